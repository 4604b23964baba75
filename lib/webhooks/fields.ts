import { toResource } from '../../db/resources.ts';
import type { destinations as t } from '../../db/schema/destinations.ts';
import {
  address,
  areUnique,
  changedChoices,
  commonFields,
  commonInput,
  commonValues,
  newChoices,
  projectList,
  REPEATED,
  restarts,
  shownProjects,
} from '../destinations/fields.ts';
import { type DestinationRow, originOf } from '../destinations/groups.ts';
import { EVENT_FILTERS, type EventFilter } from '../events/types.ts';
import { id, optional, shown, timestamp, z } from '../schema.ts';

/* The fields of webhooks, in requests, responses, rows and the audit log. */

const URL_EXAMPLE = 'https://hooks.acme.example/findings';
const EVENTS_EXAMPLE: EventFilter[] = ['scan.completed', 'finding.status_changed', 'member.*'];

/** A webhook, as the API shows it. */
export const Webhook = z
  .object({
    id: id(),
    url: shown(URL_EXAMPLE),
    events: z.array(z.enum(EVENT_FILTERS)).openapi({ example: EVENTS_EXAMPLE }),
    project_ids: shownProjects('Absent: all projects, and what concerns no project.'),
    ...commonFields('webhook'),
    former_secret_until: timestamp().optional().openapi({
      description: 'The former secret signs beside the new one until then.',
    }),
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

const shape = {
  url: address(URL_EXAMPLE),
  events: z
    .array(z.enum(EVENT_FILTERS))
    .min(1, 'must not be empty')
    .max(EVENT_FILTERS.length)
    .refine(areUnique, REPEATED)
    .openapi({
      description:
        '`member.*` stands for all events of members; `token.*` and `project.*` likewise. `audit.*` stands for all entries of the audit log, those of members, tokens and projects included; the bodies of all entries then have the IP address and the user agent.',
      example: EVENTS_EXAMPLE,
    }),
  project_ids: projectList(
    'Only what concerns these projects is sent. `null`: all projects, and what concerns no project, such as `member.*` and most of `audit.*`.',
  ),
  ...commonInput,
};

export const WebhookInput = z
  .object(shape)
  .openapi('NewWebhook', { example: { url: URL_EXAMPLE, events: EVENTS_EXAMPLE } });
export const WebhookChanges = z
  .object({ ...shape, url: optional(shape.url), events: optional(shape.events) })
  .openapi('WebhookChanges', { example: { enabled: true } });

type Input = z.output<typeof WebhookInput>;
type Changes = z.output<typeof WebhookChanges>;

export const toWebhook = (row: DestinationRow, now: Date): z.output<typeof Webhook> =>
  toResource({
    id: row.id,
    url: row.url,
    events: row.events as EventFilter[],
    project_ids: row.projectIds,
    ...commonValues(row),
    former_secret_until: row.formerSecretUntil && row.formerSecretUntil > now ? row.formerSecretUntil : null,
  });

/** The values of a webhook that the audit log shows. */
export const auditedValues = (row: DestinationRow) => ({
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
  ...newChoices(given, at),
});

/** Whether a change makes the service try again at once. */
export const isRestarted = (before: DestinationRow, given: Changes): boolean =>
  restarts(before, given, given.url !== undefined && given.url !== before.url);

/** The columns that a change sets. */
export const changedColumns = (before: DestinationRow, given: Changes, now: Date) => ({
  ...(given.url !== undefined && { url: given.url }),
  ...(given.events !== undefined && { events: given.events }),
  ...changedChoices(given, isRestarted(before, given), now),
});
