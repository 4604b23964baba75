import { type DestinationRow, originOf } from '../destinations/groups.ts';

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
export const factsOf = (row: DestinationRow): [string, string][] => [
  ['Service', SERVICES[row.kind] ?? row.kind],
  ['Name', row.name ?? ''],
  ['Address', originOf(row)],
  ...(row.tracker === null ? [] : [['Issues in', row.tracker.project] satisfies [string, string]]),
  ['Projects', row.projectIds === null ? 'all' : String(row.projectIds.length)],
  ...(row.mutedProjectIds === null
    ? []
    : [['Muted projects', String(row.mutedProjectIds.length)] satisfies [string, string]]),
];

/** The columns that determine what leaves the organization, and where to. The secret of a chat service is its address. */
const CHAT_NAMES = {
  secret: 'address',
  projectIds: 'projects',
  mutedProjectIds: 'muted projects',
  minSeverity: 'lowest severity',
  enabled: 'on or off',
};
const TRACKER_NAMES = {
  url: 'address',
  secret: 'token',
  tracker: 'project, form or rules of issues',
  projectIds: 'projects',
  enabled: 'on or off',
};

/** The names of what a change makes leave the organization otherwise. */
export function changedNames(before: DestinationRow, after: DestinationRow): string[] {
  const names: Partial<Record<keyof DestinationRow, string>> = after.tracker ? TRACKER_NAMES : CHAT_NAMES;
  return Object.entries(names)
    .filter(([field]) => {
      const column = field as keyof DestinationRow;
      return JSON.stringify(before[column]) !== JSON.stringify(after[column]);
    })
    .map(([, name]) => name);
}
