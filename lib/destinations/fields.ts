import { sql } from 'drizzle-orm';
import { DISABLED_REASONS, destinations as t } from '../../db/schema/destinations.ts';
import { SEVERITIES, type Severity } from '../../db/schema/values.ts';
import { count, EXAMPLE_ID, id, optional, text, timestamp, uuid, z } from '../schema.ts';
import type { DestinationRow } from './groups.ts';

/* The fields that webhooks and integrations have in common, in requests, responses and rows. */

const MAX_URL = 2_048;
const MAX_PROJECTS = 100;

export const areUnique = (values: readonly string[]) => new Set(values).size === values.length;
export const REPEATED = 'must not have a value twice';

/** The address of a destination in a request. */
export const address = (example: string) => text({ min: 1, max: MAX_URL, trim: true, example });

/** A list of projects in a request. Null removes it. */
export const projectList = (description: string) =>
  z
    .array(uuid())
    .min(1, 'must not be empty')
    .max(MAX_PROJECTS)
    .refine(areUnique, REPEATED)
    .nullable()
    .optional()
    .openapi({ description });

/** A list of projects in a response. */
export const shownProjects = (description: string) =>
  z
    .array(id())
    .optional()
    .openapi({ description, example: [EXAMPLE_ID] });

/** Fields of requests. */
export const commonInput = {
  min_severity: z
    .enum(SEVERITIES)
    .nullable()
    .optional()
    .openapi({
      type: 'string',
      nullable: true,
      enum: [...SEVERITIES, null],
      description: 'Findings of lower severities are not sent. `null`: all are.',
      example: 'high',
    } as object),
  enabled: optional(z.boolean().openapi({ example: true })),
};

/** Fields of responses. @param noun `webhook` or `integration` */
export const commonFields = (noun: string) => ({
  min_severity: z
    .enum(SEVERITIES)
    .optional()
    .openapi({ description: 'Absent: findings of all severities.', example: 'high' }),
  enabled: z.boolean().openapi({ example: true }),
  disabled_reason: z
    .enum(DISABLED_REASONS)
    .optional()
    .openapi({
      description: `Why the service has switched the ${noun} off: its address failed for long (\`failing\`), or answered 410 (\`gone\`). Absent: the service has not.`,
      example: 'failing',
    }),
  failures: count(3).optional().openapi({
    description: 'Attempts that failed in a row. Absent: the latest one succeeded, or there was none.',
  }),
  failing_since: timestamp().optional().openapi({ description: 'When the first of them failed.' }),
  created_at: timestamp(),
  updated_at: timestamp(),
});

/** The values of {@link commonFields}. */
export const commonValues = (row: DestinationRow) => ({
  min_severity: row.minSeverity,
  enabled: row.enabled,
  disabled_reason: row.disabledReason,
  failures: row.failures || null,
  failing_since: row.failingSince,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
});

/** Choices of a request that has them. */
interface Choices {
  project_ids?: string[] | null | undefined;
  muted_project_ids?: string[] | null | undefined;
  min_severity?: Severity | null | undefined;
  enabled?: boolean | undefined;
}

/** Choices of a new destination, as columns. */
export const newChoices = (given: Choices, at: Date) => ({
  projectIds: given.project_ids ?? null,
  mutedProjectIds: given.muted_project_ids ?? null,
  minSeverity: given.min_severity ?? null,
  enabled: given.enabled ?? true,
  ...{ createdAt: at, updatedAt: at },
});

/** Whether a change makes the service try again at once: the destination is enabled again, or has another address. */
export const restarts = (
  before: DestinationRow,
  { enabled = before.enabled }: Choices,
  isElsewhere: boolean,
): boolean => enabled && (!before.enabled || isElsewhere);

/** The choices that a change sets, as columns. A turn in progress, which has the values of before, loses its lease. */
export const changedChoices = (given: Choices, isRestarted: boolean, now: Date) => ({
  ...(given.project_ids !== undefined && { projectIds: given.project_ids }),
  ...(given.muted_project_ids !== undefined && { mutedProjectIds: given.muted_project_ids }),
  ...(given.min_severity !== undefined && { minSeverity: given.min_severity }),
  ...(given.enabled !== undefined && { enabled: given.enabled }),
  ...(given.enabled === false && { dueAt: null }),
  ...(isRestarted && { disabledReason: null, failures: 0, failingSince: null }),
  leases: sql`${t.leases} + ${t.leases} % 2`,
  updatedAt: now,
});
