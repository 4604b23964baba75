import { type DestinationRow, originOf } from '../destinations/groups.ts';
import { type ColumnNames, changeFacts, type Facts } from '../destinations/notices.ts';

/* Mails to owners about an integration. */

const SERVICES: Partial<Record<DestinationRow['kind'], string>> = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  mattermost: 'Mattermost',
  github: 'GitHub',
  gitlab: 'GitLab',
  jira: 'Jira',
};

/** The facts about an integration in mails to owners. */
export const factsOf = (row: DestinationRow): Facts => [
  ['Service', SERVICES[row.kind] ?? row.kind],
  ['Name', row.name ?? ''],
  ['Address', originOf(row)],
  ...(row.tracker === null ? [] : ([['Issues in', row.tracker.project]] satisfies Facts)),
  ['Projects', row.projectIds === null ? 'all' : String(row.projectIds.length)],
  ...(row.mutedProjectIds === null
    ? []
    : ([['Muted projects', String(row.mutedProjectIds.length)]] satisfies Facts)),
];

/** The columns that determine what leaves the organization, and where to. The secret of a chat service is its address. */
const CHAT_NAMES: ColumnNames = {
  secret: 'address',
  projectIds: 'projects',
  mutedProjectIds: 'muted projects',
  minSeverity: 'lowest severity',
};
const TRACKER_NAMES: ColumnNames = {
  url: 'address',
  secret: 'token',
  tracker: 'project, form or rules of issues',
  projectIds: 'projects',
};

/** @returns undefined if owners get no mail */
export const factsOfChange = (before: DestinationRow, after: DestinationRow): Facts | undefined =>
  changeFacts(before, after, after.tracker ? TRACKER_NAMES : CHAT_NAMES, factsOf(after));
