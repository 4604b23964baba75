import { z } from 'zod';
import { anything, number, object, objects, optional, requiredText, text, texts } from '../read/schema.ts';

const Cvss = z.object({ V40Vector: text, V3Vector: text, V2Vector: text });

export const Vulnerability = z.object({
  VulnerabilityID: requiredText,
  PkgName: requiredText,
  PkgPath: text,
  InstalledVersion: text,
  FixedVersion: text,
  Status: text,
  Severity: text,
  SeveritySource: text,
  Title: text,
  Description: text,
  PrimaryURL: text,
  References: texts,
  CweIDs: texts,
  CVSS: optional(z.record(z.string(), Cvss).nullable()),
});

export const Misconfiguration = z.object({
  ID: text,
  AVDID: text,
  Title: text,
  Description: text,
  Message: text,
  Resolution: text,
  Severity: text,
  Status: text,
  PrimaryURL: text,
  References: texts,
  CauseMetadata: optional(
    z
      .object({
        Resource: text,
        Provider: text,
        Service: text,
        StartLine: number,
        Code: object({ Lines: objects({ Content: text }) }),
      })
      .nullable(),
  ),
});

export const Secret = z.object({
  RuleID: requiredText,
  Category: text,
  Severity: text,
  Title: text,
  StartLine: number,
  EndLine: number,
  Match: text,
});

export const License = z.object({
  Severity: text,
  Category: text,
  PkgName: text,
  FilePath: text,
  Name: requiredText,
  Confidence: number,
  Link: text,
});

/** The results of a target. The lists are read separately. */
export const Section = z.object({
  Target: text,
  Class: text,
  Type: text,
  Vulnerabilities: anything,
  Misconfigurations: anything,
  MisconfSummary: object({ Exceptions: number }),
  Secrets: anything,
  Licenses: anything,
  /** Suppressed by `.trivyignore`, a policy or a VEX document, with `--show-suppressed`. */
  ExperimentalModifiedFindings: objects({ Status: text }),
});

/** A resource in a cluster. */
export const Resource = z.object({
  Namespace: text,
  Kind: text,
  Name: text,
  Error: text,
  Results: anything,
});

export type Section = z.output<typeof Section>;
export type Resource = z.output<typeof Resource>;
export type Vulnerability = z.output<typeof Vulnerability>;
export type Misconfiguration = z.output<typeof Misconfiguration>;
export type Secret = z.output<typeof Secret>;
export type License = z.output<typeof License>;
