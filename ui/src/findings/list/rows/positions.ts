/** The distance within which a moved finding is searched. */
const NEAR = 150;

/** A finding at a position of the list. */
export interface Held {
  at: number;
  id: string;
}

/** The positions from `from` on, up to the end of the list. */
export const span = (from: number, length: number, count: number): number[] =>
  Array.from({ length: Math.min(length, Math.max(0, count - from)) }, (_, i) => from + i);

/** The current position of a finding; undefined if it is not nearby. */
export const positionOf = (
  { at, id }: Held,
  count: number,
  rowAt: (at: number) => { id: string } | undefined,
): number | undefined =>
  rowAt(at)?.id === id ? at : span(Math.max(0, at - NEAR), 2 * NEAR, count).find((i) => rowAt(i)?.id === id);

/**
 * The finding that becomes active when others leave the list: the active one, or the first one after it that stays.
 * @returns its position after the others have left; undefined if no known finding stays
 */
export function nextStaying(
  at: number,
  count: number,
  rowAt: (at: number) => { id: string } | undefined,
  leaves: ReadonlySet<string>,
): Held | undefined {
  let position = at;
  for (let i = 0; i < at; i++) {
    const row = rowAt(i);
    if (row && leaves.has(row.id)) position--;
  }
  for (let i = at; i < count; i++) {
    const row = rowAt(i);
    if (!row) return undefined;
    if (!leaves.has(row.id)) return { at: position, id: row.id };
  }
  return undefined;
}
