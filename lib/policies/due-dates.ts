import { type DueDays, NEVER } from '../../db/policies/due-dates.ts';
import { SEVERITIES, type Severity } from '../../db/schema/values.ts';
import { z } from '../schema.ts';

const MAX_DAYS = 3_650;

const EXAMPLE = { critical: 7, high: 30, medium: 90, low: null, info: null };

/** Days by severity in a request. A severity that is left out is null. At least one is given, so that `{}` removes nothing. */
const daysFrom = (min: number) => {
  const days = () =>
    z
      .int()
      .min(min)
      .max(MAX_DAYS)
      .nullish()
      .openapi({ type: 'integer', minimum: min, maximum: MAX_DAYS, ...NULLABLE });
  return z
    .object({ critical: days(), high: days(), medium: days(), low: days(), info: days() })
    .superRefine((given, context) => {
      if (SEVERITIES.every((severity) => given[severity] === undefined))
        context.addIssue({ code: 'custom', path: ['critical'], message: 'is required' });
    });
};

/** The days of all severities. */
export const allDays = (given: Partial<Record<Severity, number | null | undefined>>): DueDays => {
  const { critical = null, high = null, medium = null, low = null, info = null } = given;
  return { critical, high, medium, low, info };
};

// As OpenAPI 3.0 writes it; the types of the library are those of 3.1.
const NULLABLE = { nullable: true } as object;

export const DueDatesInput = daysFrom(1).openapi('DueDatesInput', { example: EXAMPLE });

export const ProjectDueDatesInput = daysFrom(NEVER).openapi('ProjectDueDatesInput', {
  example: { ...EXAMPLE, high: null, info: NEVER },
});

/** Days by severity in a response. */
export const DueDates = z
  .object(
    Object.fromEntries(
      SEVERITIES.map((severity) => [
        severity,
        z
          .int()
          .nullable()
          .openapi({ type: 'integer', ...NULLABLE, example: EXAMPLE[severity] }),
      ]),
    ) as Record<(typeof SEVERITIES)[number], z.ZodNullable<z.ZodInt>>,
  )
  .openapi('DueDates', { example: EXAMPLE });
