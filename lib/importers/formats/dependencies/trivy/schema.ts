import { z } from 'zod';

const text = z.string().nullish();
const number = z.number().nullish();
const list = <S extends z.ZodType>(item: S) => z.array(item).nullish();

const Cvss = z.object({
  V40Vector: text,
  V40Score: number,
  V3Vector: text,
  V3Score: number,
  V2Vector: text,
  V2Score: number,
});

const Vulnerability = z.object({
  VulnerabilityID: z.string(),
  PkgName: z.string(),
  PkgPath: text,
  InstalledVersion: text,
  FixedVersion: text,
  Status: text,
  Severity: text,
  SeveritySource: text,
  Title: text,
  Description: text,
  PrimaryURL: text,
  References: list(z.string()),
  CweIDs: list(z.string()),
  CVSS: z.record(z.string(), Cvss).nullish(),
});

const Misconfiguration = z.object({
  ID: text,
  AVDID: text,
  Title: text,
  Description: text,
  Message: text,
  Resolution: text,
  Severity: text,
  Status: text,
  PrimaryURL: text,
  References: list(z.string()),
  CauseMetadata: z
    .object({
      Resource: text,
      Provider: text,
      Service: text,
      StartLine: number,
      Code: z.object({ Lines: list(z.object({ Content: text })) }).nullish(),
    })
    .nullish(),
});

const Secret = z.object({
  RuleID: z.string(),
  Category: text,
  Severity: text,
  Title: text,
  StartLine: number,
  Match: text,
});

const License = z.object({
  Severity: text,
  Category: text,
  PkgName: text,
  FilePath: text,
  Name: z.string(),
  Confidence: number,
  Link: text,
});

const Result = z.object({
  Target: text,
  Class: text,
  Type: text,
  Vulnerabilities: list(Vulnerability),
  Misconfigurations: list(Misconfiguration),
  Secrets: list(Secret),
  Licenses: list(License),
});

export const Document = z.object({
  SchemaVersion: z.number(),
  ArtifactName: text,
  ArtifactType: text,
  Results: list(Result),
});

export type Result = z.output<typeof Result>;
export type Vulnerability = z.output<typeof Vulnerability>;
export type Misconfiguration = z.output<typeof Misconfiguration>;
export type Secret = z.output<typeof Secret>;
export type License = z.output<typeof License>;
