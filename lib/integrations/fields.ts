import { toResource } from '../../db/resources.ts';
import { CHAT_KINDS, type StoredTracker, type destinations as t } from '../../db/schema/destinations.ts';
import { ISSUE_REQUESTED, type OwnEventType } from '../../db/schema/values.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import {
  address,
  changedChoices,
  commonFields,
  commonInput,
  commonValues,
  newChoices,
  projectList,
  restarts,
  shownProjects,
} from '../destinations/fields.ts';
import { type DestinationRow, originOf } from '../destinations/groups.ts';
import { ApiError } from '../errors.ts';
import { secretContext } from '../events/signature.ts';
import { id, optional, shown, text, z } from '../schema.ts';
import { isTrackerKind } from '../trackers/settings.ts';
import type { ChatKind } from './chat/formats.ts';
import { newTracker, TrackerIntegration, trackerChanges, trackerColumns, trackerValues } from './trackers.ts';

/* The fields of integrations, in requests, responses, rows and the audit log. `kind` tells which fields one has. */

const MAX_NAME = 100;
const NAME_EXAMPLE = 'Security team';
const URL_EXAMPLE = 'https://hooks.slack.com/services/T024BE7LD/B0324JX2N/pKkzGOEm1mTqCjw7';

/** The events that chat services are told. */
const CHAT_EVENTS: readonly OwnEventType[] = ['scan.completed', 'scan.failed'];

/** The events that issue trackers are told. */
const TRACKER_EVENTS: readonly string[] = [
  ISSUE_REQUESTED,
  ...(['finding.status_changed', 'scan.completed', 'scan.failed'] satisfies OwnEventType[]),
];

/** An integration with a chat service, as the API shows it. */
const ChatIntegration = z
  .object({
    id: id(),
    kind: z.enum(CHAT_KINDS).openapi({ example: 'slack' }),
    name: shown(NAME_EXAMPLE),
    host: shown('hooks.slack.com', 'The host of the address. The rest is secret.'),
    project_ids: shownProjects('Absent: all projects.'),
    muted_project_ids: shownProjects('Absent: no project is muted.'),
    ...commonFields('integration'),
  })
  .openapi('ChatIntegration');

/** An integration, as the API shows it. */
export const Integration = z
  .discriminatedUnion('kind', [ChatIntegration, TrackerIntegration])
  .openapi('Integration');

const chatShape = {
  name: text({ min: 1, max: MAX_NAME, trim: true, example: NAME_EXAMPLE }),
  url: address(URL_EXAMPLE).openapi({
    description: 'The address of an incoming webhook. It contains a secret, so no response has it.',
  }),
  project_ids: projectList('Only scans of these projects are sent. `null`: scans of all projects.'),
  muted_project_ids: projectList('Scans of these projects are not sent. `null`: no project is muted.'),
  ...commonInput,
};

const NewChatIntegration = z
  .object({ kind: z.enum(CHAT_KINDS).openapi({ example: 'slack' }), ...chatShape })
  .openapi('NewChatIntegration', { example: { kind: 'slack', name: NAME_EXAMPLE, url: URL_EXAMPLE } });

export const IntegrationInput = z
  .discriminatedUnion('kind', [NewChatIntegration, newTracker(chatShape.name)])
  .openapi('NewIntegration', { example: { kind: 'slack', name: NAME_EXAMPLE, url: URL_EXAMPLE } });

export const IntegrationChanges = z
  .object({ ...chatShape, ...trackerChanges, name: optional(chatShape.name), url: optional(chatShape.url) })
  .openapi('IntegrationChanges', { example: { enabled: true } });

type Input = z.output<typeof IntegrationInput>;
type Changes = z.output<typeof IntegrationChanges>;

const OF_CHAT = ['min_severity', 'muted_project_ids'] as const;
const OF_TRACKERS = [
  'project',
  'labels',
  'issue_type',
  'email',
  'on_resolved',
  'on_closed',
  'token',
] as const;

/** @throws ApiError `validation_error/field_invalid` if a change names a field that the kind does not have */
function requireOwnFields(kind: string, given: Partial<Changes>): void {
  const others = isTrackerKind(kind) ? OF_CHAT : OF_TRACKERS;
  const field = others.find((name) => given[name] !== undefined);
  if (field === undefined) return;
  const message = `is not a field of integrations of the kind ${kind}`;
  throw new ApiError('validation_error/field_invalid', { details: [{ field, message }] });
}

export const toIntegration = (row: DestinationRow): z.output<typeof Integration> =>
  isTrackerKind(row.kind)
    ? toResource({ id: row.id, kind: row.kind, ...trackerValues(row) })
    : toResource({
        id: row.id,
        // The rows that are read have no other kinds.
        kind: row.kind as ChatKind,
        name: row.name ?? '',
        host: new URL(row.url).host,
        project_ids: row.projectIds,
        muted_project_ids: row.mutedProjectIds,
        ...commonValues(row),
      });

/** The values of an integration that the audit log shows. */
export const auditedValues = (row: DestinationRow) => ({
  kind: row.kind,
  name: row.name,
  url: originOf(row),
  // Without the account, which is personal data.
  project: row.tracker?.project,
  labels: row.tracker?.labels,
  issue_type: row.tracker?.issue_type,
  on_resolved: row.tracker?.on_resolved,
  on_closed: row.tracker?.on_closed,
  project_ids: row.projectIds,
  muted_project_ids: row.mutedProjectIds,
  min_severity: row.minSeverity,
  enabled: row.enabled,
});

/** The columns of a row that say where an integration sends, and with which secret. */
export interface Target {
  url?: string;
  secret?: string;
  tracker?: StoredTracker;
}

/**
 * The target that a request names. The address of a chat service is a secret, so it is sealed whole.
 * @param before the integration that is changed
 * @throws ApiError `validation_error/field_invalid`
 */
export async function targetOf(
  box: SecretBox,
  id: string,
  given: Partial<Changes> & { kind?: Input['kind'] },
  before?: DestinationRow,
): Promise<Target> {
  const kind = before?.kind ?? given.kind ?? '';
  requireOwnFields(kind, given);
  const seal = (secret: string) => box.seal(secret, secretContext(id));
  if (isTrackerKind(kind))
    return {
      ...trackerColumns(kind, given, before?.tracker),
      ...(given.token !== undefined && { secret: await seal(given.token) }),
    };
  return given.url === undefined ? {} : { url: new URL(given.url).origin, secret: await seal(given.url) };
}

/** The columns of a new integration. */
export const newColumns = (
  { id, at, orgId, target }: { id: string; at: Date; orgId: string; target: Target },
  given: Input,
): typeof t.$inferInsert => ({
  ...{ id, orgId, kind: given.kind, name: given.name },
  ...{ url: '', secret: '', ...target },
  events: isTrackerKind(given.kind) ? [...TRACKER_EVENTS] : [...CHAT_EVENTS],
  ...newChoices(given, at),
});

/** Whether a change makes the service try again at once. A secret that is entered again counts as another one. */
export const isRestarted = (before: DestinationRow, given: Changes, { secret }: Target): boolean =>
  restarts(before, given, secret !== undefined);

/** The columns that a change sets. */
export const changedColumns = (before: DestinationRow, given: Changes, target: Target, now: Date) => ({
  ...(given.name !== undefined && { name: given.name }),
  ...target,
  ...changedChoices(given, isRestarted(before, given, target), now),
});

/** The change of a secret in the audit log, without the secret. */
export function secretChange(
  before: DestinationRow,
  after: DestinationRow,
  { secret }: Target,
): Record<string, { from?: string; to: string }> {
  if (secret === undefined) return {};
  // The address of a chat service is secret, except its origin, which may stay the same.
  return isTrackerKind(after.kind)
    ? { token: { to: 'replaced' } }
    : { url: { from: originOf(before), to: originOf(after) } };
}
