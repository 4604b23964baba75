import { type DestinationRow, originOf } from '../destinations/groups.ts';

/** The facts about a webhook in mails to owners. */
export const factsOf = (row: DestinationRow): [string, string][] => [
  ['Address', originOf(row)],
  ['Events', row.events.join(', ')],
  ['Projects', row.projectIds === null ? 'all' : String(row.projectIds.length)],
];
