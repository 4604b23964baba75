import { sql } from 'drizzle-orm';
import { toResource } from '../../db/resources.ts';
import { DISABLED_REASONS, destinations as t } from '../../db/schema/destinations.ts';
import { SEVERITIES } from '../../db/schema/values.ts';
import { EVENT_FILTERS, type EventFilter } from '../events/types.ts';
import { count, EXAMPLE_ID, id, optional, shown, text, timestamp, uuid, z } from '../schema.ts';

/* The fields of webhooks, in requests, responses, rows and the audit log. */

export const MAX_WEBHOOKS = 20;
const MAX_URL = 2_048;
const MAX_PROJECTS = 100;

const URL_EXAMPLE = 'https://hooks.acme.example/findings';
const EVENTS_EXAMPLE: EventFilter[] = ['scan.completed', 'finding.status_changed', 'member.*'];

/** A webhook, as the API shows it. */
export const Webhook = z
  .object({
    id: id(),
    url: shown(URL_EXAMPLE),
    events: z.array(z.enum(EVENT_FILTERS)).openapi({ example: EVENTS_EXAMPLE }),
    project_ids: z
      .array(id())
      .optional()
      .openapi({
        description: 'Absent: all projects, and what concerns no project.',
        example: [EXAMPLE_ID],
      }),
    min_severity: z
      .enum(SEVERITIES)
      .optional()
      .openapi({ description: 'Absent: findings of all severities.', example: 'high' }),
    enabled: z.boolean().openapi({ example: true }),
    disabled_reason: z.enum(DISABLED_REASONS).optional().openapi({
      description:
        'Why the service has switched the webhook off: its address failed for long (`failing`), or answered 410 (`gone`). Absent: the service has not.',
      example: 'failing',
    }),
    failures: count(3).optional().openapi({
      description: 'Attempts that failed in a row. Absent: the latest one succeeded, or there was none.',
    }),
    failing_since: timestamp().optional().openapi({ description: 'When the first of them failed.' }),
    former_secret_until: timestamp().optional().openapi({
      description: 'The former secret signs beside the new one until then.',
    }),
    created_at: timestamp(),
    updated_at: timestamp(),
  })
  .openapi('Webhook');

/** A webhook with its secret. */
export const WebhookWithSecret = z
  .object({
    ...Webhook.shape,
    secret: shown(
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDpHy5Fv0lUZY=',
      'Signs the requests. It is returned only here.',
    ),
  })
  .openapi('WebhookWithSecret');

const areUnique = (values: readonly string[]) => new Set(values).size === values.length;
const REPEATED = 'must not have a value twice';

const shape = {
  url: text({ min: 1, max: MAX_URL, trim: true, example: URL_EXAMPLE }),
  events: z
    .array(z.enum(EVENT_FILTERS))
    .min(1, 'must not be empty')
    .max(EVENT_FILTERS.length)
    .refine(areUnique, REPEATED)
    .openapi({
      description: '`member.*` stands for all events of members; `token.*` and `project.*` likewise.',
      example: EVENTS_EXAMPLE,
    }),
  project_ids: z
    .array(uuid())
    .min(1, 'must not be empty')
    .max(MAX_PROJECTS)
    .refine(areUnique, REPEATED)
    .nullable()
    .optional()
    .openapi({
      description:
        'Only what concerns these projects is sent. `null`: all projects, and what concerns no project, such as `member.*`.',
    }),
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

export const WebhookInput = z
  .object(shape)
  .openapi('NewWebhook', { example: { url: URL_EXAMPLE, events: EVENTS_EXAMPLE } });
export const WebhookChanges = z
  .object({ ...shape, url: optional(shape.url), events: optional(shape.events) })
  .openapi('WebhookChanges', { example: { enabled: true } });

type Input = z.output<typeof WebhookInput>;
type Changes = z.output<typeof WebhookChanges>;
type Row = typeof t.$inferSelect;

/** Scheme, host and port of an address. The rest may have secrets, so the audit log, mails and the log do not show it. */
export const originOf = ({ url }: Pick<Row, 'url'>): string => new URL(url).origin;

export const toWebhook = (row: Row, now: Date): z.output<typeof Webhook> =>
  toResource({
    id: row.id,
    url: row.url,
    events: row.events as EventFilter[],
    project_ids: row.projectIds,
    min_severity: row.minSeverity,
    enabled: row.enabled,
    disabled_reason: row.disabledReason,
    failures: row.failures || null,
    failing_since: row.failingSince,
    former_secret_until: row.formerSecretUntil && row.formerSecretUntil > now ? row.formerSecretUntil : null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  });

/** The values of a webhook that the audit log shows. */
export const auditedValues = (row: Row) => ({
  url: originOf(row),
  events: row.events,
  project_ids: row.projectIds,
  min_severity: row.minSeverity,
  enabled: row.enabled,
});

/** The columns of a new webhook. @param secret sealed */
export const newColumns = (
  { id, at, orgId, secret }: { id: string; at: Date; orgId: string; secret: string },
  given: Input,
): typeof t.$inferInsert => ({
  ...{ id, orgId, kind: 'webhook', url: given.url, secret },
  events: given.events,
  projectIds: given.project_ids ?? null,
  minSeverity: given.min_severity ?? null,
  enabled: given.enabled ?? true,
  ...{ createdAt: at, updatedAt: at },
});

/** Whether a change makes the service try again at once: the webhook is enabled again, or has another address. */
export const restarts = (before: Row, { enabled = before.enabled, url = before.url }: Changes): boolean =>
  enabled && (!before.enabled || url !== before.url);

/** The columns that a change sets. A turn in progress, which has the values of before, loses its lease. */
export const changedColumns = (before: Row, given: Changes, now: Date) => ({
  ...(given.url !== undefined && { url: given.url }),
  ...(given.events !== undefined && { events: given.events }),
  ...(given.project_ids !== undefined && { projectIds: given.project_ids }),
  ...(given.min_severity !== undefined && { minSeverity: given.min_severity }),
  ...(given.enabled !== undefined && { enabled: given.enabled }),
  ...(given.enabled === false && { dueAt: null }),
  ...(restarts(before, given) && { disabledReason: null, failures: 0, failingSince: null }),
  leases: sql`${t.leases} + ${t.leases} % 2`,
  updatedAt: now,
});
