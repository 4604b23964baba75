import { type DestinationRow, originOf } from '../destinations/groups.ts';
import { changeFacts, type Facts } from '../destinations/notices.ts';

/* Mails to owners about a webhook. */

export const factsOf = (row: DestinationRow): Facts => [
  ['Address', originOf(row)],
  ['Events', row.events.join(', ')],
  ['Projects', row.projectIds === null ? 'all' : String(row.projectIds.length)],
];

const NAMES = { url: 'address', events: 'events', projectIds: 'projects', minSeverity: 'lowest severity' };

/** @returns undefined if owners get no mail */
export function factsOfChange(before: DestinationRow, after: DestinationRow): Facts | undefined {
  const former: Facts = before.url === after.url ? [] : [['Before', originOf(before)]];
  return changeFacts(before, after, NAMES, [...former, ...factsOf(after)]);
}
