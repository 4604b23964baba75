import { type DestinationRow, originOf } from '../destinations/groups.ts';

/* Mails to owners about an integration. */

const SERVICES: Partial<Record<DestinationRow['kind'], string>> = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  mattermost: 'Mattermost',
};

/** The facts about an integration in mails to owners. */
export const factsOf = (row: DestinationRow): [string, string][] => [
  ['Service', SERVICES[row.kind] ?? row.kind],
  ['Name', row.name ?? ''],
  ['Address', originOf(row)],
  ['Projects', row.projectIds === null ? 'all' : String(row.projectIds.length)],
  ...(row.mutedProjectIds === null
    ? []
    : [['Muted projects', String(row.mutedProjectIds.length)] satisfies [string, string]]),
];

/** The columns that determine what leaves the organization, and where to. */
const NAMES = {
  secret: 'address',
  projectIds: 'projects',
  mutedProjectIds: 'muted projects',
  minSeverity: 'lowest severity',
};

/** The names of what a change makes leave the organization otherwise. */
export const changedNames = (before: DestinationRow, after: DestinationRow): string[] =>
  (Object.keys(NAMES) as (keyof typeof NAMES)[])
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => NAMES[field]);
