import { z } from 'zod';
import { flag, list, number, optional, requiredText, text, texts } from '../read/schema.ts';

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
  cvss: optional(z.record(z.string(), z.unknown())),
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
      labels: optional(z.record(z.string(), z.unknown())),
    })
    .catch({ name: undefined, namespace: undefined, labels: undefined }),
  report: optional(
    z.object({
      artifact: optional(z.object({ repository: text, tag: text, digest: text })),
      registry: optional(z.object({ server: text })),
      vulnerabilities: z.unknown().optional(),
      checks: z.unknown().optional(),
      secrets: z.unknown().optional(),
    }),
  ),
  status: optional(
    z.object({
      detailReport: optional(z.object({ results: z.unknown().optional(), title: text })),
      summaryReport: optional(z.object({ controlCheck: z.unknown().optional(), title: text })),
    }),
  ),
});
export type Resource = z.output<typeof Resource>;

export type Vulnerability = z.output<typeof Vulnerability>;
export type Check = z.output<typeof Check>;
export type Secret = z.output<typeof Secret>;
export type Control = z.output<typeof Control>;
