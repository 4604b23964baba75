import { z } from 'zod';
import { anything, flag, list, number, object, record, requiredText, text, texts } from '../read/schema.ts';

export const Vulnerability = z.object({
  vulnerabilityID: requiredText,
  resource: text,
  installedVersion: text,
  fixedVersion: text,
  severity: text,
  score: number,
  title: text,
  description: text,
  primaryLink: text,
  links: texts,
  target: text,
  class: text,
  packagePath: text,
  packageType: text,
  cvss: record,
});
export const Check = z.object({
  checkID: text,
  title: text,
  description: text,
  category: text,
  messages: texts,
  remediation: text,
  severity: text,
  success: flag,
  target: text,
});
export const Secret = z.object({
  ruleID: text,
  title: text,
  category: text,
  severity: text,
  match: text,
  target: text,
});
export const Control = z.object({
  id: text,
  name: text,
  description: text,
  severity: text,
  totalFail: number,
  checks: list(Check),
});
export const Resource = z.object({
  kind: requiredText,
  metadata: z
    .object({
      name: text,
      namespace: text,
      labels: record,
    })
    .catch({ name: undefined, namespace: undefined, labels: undefined }),
  report: object({
    artifact: object({ repository: text, tag: text, digest: text }),
    registry: object({ server: text }),
    vulnerabilities: anything,
    checks: anything,
    secrets: anything,
  }),
  status: object({
    detailReport: object({ results: anything, title: text }),
    summaryReport: object({ controlCheck: anything, title: text }),
  }),
});
export type Resource = z.output<typeof Resource>;

export type Vulnerability = z.output<typeof Vulnerability>;
export type Check = z.output<typeof Check>;
export type Secret = z.output<typeof Secret>;
export type Control = z.output<typeof Control>;
