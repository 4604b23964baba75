/** How far a finding is looked for when others came before it. */
const NEAR = 150;

/** A finding at a place of the list. */
export interface Held {
  at: number;
  id: string;
}

/** Places from one on, as many as there are. */
export const span = (from: number, length: number, count: number): number[] =>
  Array.from({ length: Math.min(length, Math.max(0, count - from)) }, (_, i) => from + i);

/** Where a finding is by now; undefined when it is nowhere near. */
export const placeOf = (
  { at, id }: Held,
  count: number,
  rowAt: (at: number) => { id: string } | undefined,
): number | undefined =>
  rowAt(at)?.id === id ? at : span(Math.max(0, at - NEAR), 2 * NEAR, count).find((i) => rowAt(i)?.id === id);
