import { z } from 'zod';
import {
  anything,
  fields,
  flag,
  list,
  number,
  object,
  record,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';

export const Vulnerability = z.object({
  vulnerabilityID: requiredText,
  ...fields(text, 'resource', 'installedVersion', 'fixedVersion', 'severity'),
  score: number,
  ...fields(text, 'title', 'description', 'primaryLink'),
  links: texts,
  ...fields(text, 'target', 'class', 'packagePath', 'packageType'),
  cvss: record,
});
export const Check = z.object({
  ...fields(text, 'checkID', 'title', 'description', 'category'),
  messages: texts,
  remediation: text,
  severity: text,
  success: flag,
  target: text,
});
export const Secret = z.object({
  ...fields(text, 'ruleID', 'title', 'category', 'severity', 'match', 'target'),
});
export const Control = z.object({
  ...fields(text, 'id', 'name', 'description', 'severity'),
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
