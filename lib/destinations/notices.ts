import type { DestinationRow } from './groups.ts';

/** The facts of a mail to owners. */
export type Facts = [label: string, value: string][];

/** Names of columns for such mails. */
export type ColumnNames = Partial<Record<keyof DestinationRow, string>>;

/**
 * The facts about a change of a destination.
 * @param names of the columns that determine what leaves the organization, and where to
 * @returns undefined if none of them has changed, and it was not switched on or off
 */
export function changeFacts(
  before: DestinationRow,
  after: DestinationRow,
  names: ColumnNames,
  facts: Facts,
): Facts | undefined {
  const changed = Object.entries(names).flatMap(([key, name]) => {
    const column = key as keyof DestinationRow;
    return JSON.stringify(before[column]) === JSON.stringify(after[column]) ? [] : [name];
  });
  if (before.enabled !== after.enabled) changed.push(after.enabled ? 'switched on' : 'switched off');
  return changed.length > 0 ? [...facts, ['Changed', changed.join(', ')]] : undefined;
}
