import { useCallback, useLayoutEffect, useRef } from 'react';
import { type Held, positionOf } from './positions.ts';
import type { Rows } from './use-rows.ts';

/** The number of completely visible rows. */
export const visibleRows = (element: HTMLElement | null, head: number, height: number): number =>
  Math.floor(((element?.clientHeight ?? 0) - head) / height);

/**
 * Keeps the active finding active when pushes or triage by other users move it.
 * @param onMoved called with the new position
 * @returns stops following the finding
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
    const moved = positionOf(before, count, rowAt);
    if (moved === undefined) return;
    held.current = { at: moved, id: before.id };
    onMoved(moved);
  });
  return useCallback(() => {
    held.current = undefined;
  }, []);
}
