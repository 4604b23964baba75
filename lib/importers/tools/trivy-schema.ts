import { z } from 'zod';
import {
  anything,
  fields,
  number,
  object,
  objects,
  optional,
  record,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';

const Cvss = z.object({ V40Vector: text, V3Vector: text, V2Vector: text });

export const Vulnerability = z.object({
  VulnerabilityID: requiredText,
  PkgName: requiredText,
  ...fields(text, 'PkgPath', 'InstalledVersion', 'FixedVersion', 'Status', 'Severity', 'SeveritySource'),
  ...fields(text, 'Title', 'Description', 'PrimaryURL'),
  References: texts,
  CweIDs: texts,
  CVSS: optional(z.record(z.string(), Cvss).nullable()),
  VendorSeverity: record,
});

export const Misconfiguration = z.object({
  ...fields(text, 'ID', 'AVDID', 'Title', 'Description', 'Message', 'Resolution', 'Severity', 'Status'),
  PrimaryURL: text,
  References: texts,
  CauseMetadata: optional(
    z
      .object({
        ...fields(text, 'Resource', 'Provider', 'Service'),
        StartLine: number,
        Code: object({ Lines: objects({ Content: text }) }),
      })
      .nullable(),
  ),
});

export const Secret = z.object({
  RuleID: requiredText,
  ...fields(text, 'Category', 'Severity', 'Title', 'Match'),
  StartLine: number,
  EndLine: number,
});

export const License = z.object({
  ...fields(text, 'Severity', 'Category', 'PkgName', 'FilePath', 'Link'),
  Name: requiredText,
  Confidence: number,
});

/** The results of a target. The lists are read separately. */
export const Section = z.object({
  ...fields(text, 'Target', 'Class', 'Type'),
  ...fields(anything, 'Vulnerabilities', 'Misconfigurations', 'Secrets', 'Licenses'),
  MisconfSummary: object({ Exceptions: number }),
  /** Suppressed by `.trivyignore`, a policy or a VEX document, with `--show-suppressed`. */
  ExperimentalModifiedFindings: objects({ Type: text, Status: text, Finding: anything }),
});

/** A resource in a cluster. */
export const Resource = z.object({
  ...fields(text, 'Namespace', 'Kind', 'Name', 'Error'),
  Results: anything,
});

export type Section = z.output<typeof Section>;
export type Resource = z.output<typeof Resource>;
export type Vulnerability = z.output<typeof Vulnerability>;
export type Misconfiguration = z.output<typeof Misconfiguration>;
export type Secret = z.output<typeof Secret>;
export type License = z.output<typeof License>;
