import type { IssueRow } from '../../db/issues/list.ts';
import { toResource } from '../../db/resources.ts';
import { TRACKER_KINDS } from '../../db/schema/destinations.ts';
import { ISSUE_STATES } from '../../db/schema/values.ts';
import type { DestinationRow } from '../destinations/groups.ts';
import { count, EXAMPLE_ID, id, optional, shown, text, timestamp, uuid, z } from '../schema.ts';
import type { TrackerKind } from '../trackers/settings.ts';

/** The most findings of one request. */
export const MAX_FINDINGS = 100;

/** An issue tracker, as members who triage see it. */
export const IssueIntegration = z
  .object({
    id: id(),
    kind: z.enum(TRACKER_KINDS).openapi({ example: 'github' }),
    name: shown('Web shop'),
  })
  .openapi('IssueIntegration');

/** An issue of a finding, as the API shows it. */
export const Issue = z
  .object({
    id: id(),
    integration: IssueIntegration.optional().openapi({
      description: 'Absent: the organization was restored from a backup, which has no integrations.',
    } as object),
    key: shown('12', 'Its number or key at the tracker. Absent: it is not created yet.').optional(),
    url: shown('https://github.com/acme/web-shop/issues/12', 'Its page at the tracker.').optional(),
    state: z.enum(ISSUE_STATES).openapi({
      description:
        '`pending`: it is being created, or read for the first time. `gone`: it was deleted or moved, or is out of reach. `failed`: it was not created.',
      example: 'open',
    }),
    status: shown('In progress', 'Its status in the words of the tracker. Absent: not known.').optional(),
    reason: shown(
      'https://github.com does not accept the token.',
      'Why nothing was done. Absent: all is done.',
    ).optional(),
    finding_count: count(1).openapi({
      description: 'The findings that have this issue, in the projects that the caller reaches.',
    }),
    checked_at: timestamp().optional().openapi({ description: 'When the tracker was asked last.' }),
    created_by: id().openapi({ description: 'A user or a token.' }),
    created_at: timestamp(),
  })
  .openapi('Issue');

export const Issues = z.object({
  issues: z.array(Issue),
  integrations: z.array(IssueIntegration).openapi({
    description:
      'The issue trackers of the project that are enabled. Empty for callers who may not create issues.',
  }),
});

const integrationId = uuid().openapi({ description: 'An issue tracker.', example: EXAMPLE_ID });
const force = optional(
  z.boolean().openapi({
    description:
      'Create it also for findings that are resolved, duplicates, or not on the default branch or a tracked ref.',
    example: false,
  }),
);

export const IssueInput = z
  .object({
    integration_id: integrationId,
    url: optional(
      text({ min: 1, max: 2_048, trim: true, example: 'https://github.com/acme/web-shop/issues/12' }).openapi(
        {
          description: 'The page of an issue to link. Left out: an issue is created.',
        },
      ),
    ),
    force,
  })
  .openapi('NewIssue', { example: { integration_id: EXAMPLE_ID } });

export const ManyIssueInput = z
  .object({
    finding_ids: z
      .array(uuid())
      .min(1, 'must not be empty')
      .max(MAX_FINDINGS)
      .refine((ids) => new Set(ids).size === ids.length, 'must not have a value twice')
      .openapi({ example: [EXAMPLE_ID] }),
    integration_id: integrationId,
    force,
  })
  .openapi('NewSharedIssue', { example: { finding_ids: [EXAMPLE_ID], integration_id: EXAMPLE_ID } });

export const toIntegrationRef = ({ id, kind, name }: DestinationRow): z.output<typeof IssueIntegration> => ({
  // The rows that are read have no other kinds.
  ...{ id, kind: kind as TrackerKind, name: name ?? '' },
});

const OFF = 'The integration is switched off.';

/** @param integrations the issue trackers of the organization */
export function toIssue(
  { destination_id, outcome, findings, ...row }: IssueRow,
  integrations: readonly DestinationRow[],
): z.output<typeof Issue> {
  const integration = integrations.find(({ id }) => id === destination_id);
  const isWaiting = row.state === 'pending' && integration?.enabled === false;
  return {
    ...toResource({ ...row, reason: isWaiting ? OFF : outcome }),
    ...(integration && { integration: toIntegrationRef(integration) }),
    finding_count: findings,
  } as z.output<typeof Issue>;
}
