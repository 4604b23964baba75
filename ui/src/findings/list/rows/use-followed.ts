import { useCallback, useLayoutEffect, useRef } from 'react';
import { type Held, placeOf } from './places.ts';
import type { Rows } from './use-rows.ts';

/** How many whole rows are in view. */
export const visibleRows = (element: HTMLElement | null, head: number, height: number): number =>
  Math.floor(((element?.clientHeight ?? 0) - head) / height);

/**
 * Others push and triage: the active finding stays so, wherever it moves.
 * @param onMoved told where it is now
 * @returns forgets which one it was
 */
export function useFollowed(
  { rowAt }: Pick<Rows, 'rowAt'>,
  { at, count, touched }: { at: number; count: number; touched: boolean },
  onMoved: (at: number) => void,
): () => void {
  const held = useRef<Held>(undefined);
  const id = rowAt(at)?.id;
  useLayoutEffect(() => {
    const before = held.current;
    if (!id) return;
    held.current = { at, id };
    if (!touched || before?.at !== at || before.id === id) return;
    const moved = placeOf(before, count, rowAt);
    if (moved === undefined) return;
    held.current = { at: moved, id: before.id };
    onMoved(moved);
  });
  return useCallback(() => {
    held.current = undefined;
  }, []);
}
