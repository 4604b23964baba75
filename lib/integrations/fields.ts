import { toResource } from '../../db/resources.ts';
import { CHAT_KINDS, type destinations as t } from '../../db/schema/destinations.ts';
import type { OwnEventType } from '../../db/schema/values.ts';
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
import { id, optional, shown, text, z } from '../schema.ts';

/* The fields of integrations, in requests, responses, rows and the audit log. `kind` tells which fields one has. */

const MAX_NAME = 100;
const NAME_EXAMPLE = 'Security team';
const URL_EXAMPLE = 'https://hooks.slack.com/services/T024BE7LD/B0324JX2N/pKkzGOEm1mTqCjw7';

/** The events that chat services are told. */
const CHAT_EVENTS: readonly OwnEventType[] = ['scan.completed', 'scan.failed'];

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
export const Integration = z.discriminatedUnion('kind', [ChatIntegration]).openapi('Integration');

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
  .discriminatedUnion('kind', [NewChatIntegration])
  .openapi('NewIntegration', { example: { kind: 'slack', name: NAME_EXAMPLE, url: URL_EXAMPLE } });

export const IntegrationChanges = z
  .object({ ...chatShape, name: optional(chatShape.name), url: optional(chatShape.url) })
  .openapi('IntegrationChanges', { example: { enabled: true } });

type Input = z.output<typeof IntegrationInput>;
type Changes = z.output<typeof IntegrationChanges>;

export const toIntegration = (row: DestinationRow): z.output<typeof Integration> =>
  toResource({
    id: row.id,
    // The rows that are read have no other kinds.
    kind: row.kind as Input['kind'],
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
  project_ids: row.projectIds,
  muted_project_ids: row.mutedProjectIds,
  min_severity: row.minSeverity,
  enabled: row.enabled,
});

/** An address as it is stored: the origin, and the sealed whole. */
export interface SealedAddress {
  url: string;
  secret: string;
}

/** The columns of a new integration. */
export const newColumns = (
  { id, at, orgId, sealed }: { id: string; at: Date; orgId: string; sealed: SealedAddress },
  given: Input,
): typeof t.$inferInsert => ({
  ...{ id, orgId, kind: given.kind, name: given.name, ...sealed },
  events: [...CHAT_EVENTS],
  ...newChoices(given, at),
});

/** Whether a change makes the service try again at once. An address that is entered again counts as another one. */
export const isRestarted = (before: DestinationRow, given: Changes): boolean =>
  restarts(before, given, given.url !== undefined);

/** The columns that a change sets. @param sealed the new address */
export const changedColumns = (
  before: DestinationRow,
  given: Changes,
  sealed: SealedAddress | undefined,
  now: Date,
) => ({
  ...(given.name !== undefined && { name: given.name }),
  ...sealed,
  ...changedChoices(given, isRestarted(before, given), now),
});
