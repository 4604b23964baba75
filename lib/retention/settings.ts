import { KEEP_ALL, type RetentionDays } from '../../db/retention/settings.ts';
import { z } from '../schema.ts';

const MAX_DAYS = 3_650;
const EXAMPLE = { resolved_findings: 365, scans: 180 };

// As OpenAPI 3.0 writes it; the types of the library are those of 3.1.
const NULLABLE = { nullable: true } as object;

const DESCRIPTIONS = {
  resolved_findings:
    'Findings that are neither `open` nor `confirmed` are removed so many days after their last change and their last report. Regressed findings stay, and accepted risks with an end until it.',
  scans: 'Ended scans are removed after so many days, except for the newest 10 of each project.',
} as const;

type Kind = keyof RetentionDays;
const KINDS = Object.keys(KEEP_ALL) as Kind[];

const days = (kind: Kind) =>
  z
    .int()
    .min(1)
    .max(MAX_DAYS)
    .nullish()
    .openapi({
      ...{ type: 'integer', minimum: 1, maximum: MAX_DAYS, description: DESCRIPTIONS[kind] },
      ...NULLABLE,
    });

/** Days by kind in a request. A kind that is left out is null. At least one is given, so that `{}` changes nothing. */
export const RetentionInput = z
  .object({ resolved_findings: days('resolved_findings'), scans: days('scans') })
  .superRefine((given, context) => {
    if (KINDS.every((kind) => given[kind] === undefined))
      context.addIssue({ code: 'custom', path: ['resolved_findings'], message: 'is required, or scans' });
  })
  .openapi('RetentionInput', { example: EXAMPLE });

const shownDays = (kind: Kind) =>
  z
    .int()
    .nullable()
    .openapi({ type: 'integer', ...NULLABLE, example: EXAMPLE[kind], description: DESCRIPTIONS[kind] });

/** Days by kind in a response. */
export const Retention = z
  .object({ resolved_findings: shownDays('resolved_findings'), scans: shownDays('scans') })
  .openapi('Retention', { example: EXAMPLE });

/** The days of all kinds. */
export const allKinds = (given: { [K in Kind]?: number | null | undefined }): RetentionDays => {
  const { resolved_findings = null, scans = null } = given;
  return { resolved_findings, scans };
};

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The times before which findings and scans have expired. */
export function expiredBefore({ resolved_findings, scans }: RetentionDays, now: Date) {
  const before = (days: number | null) =>
    days === null ? undefined : new Date(now.getTime() - days * DAY_MS);
  return { findings: before(resolved_findings), scans: before(scans) };
}
