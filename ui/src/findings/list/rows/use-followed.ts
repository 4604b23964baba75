import { useCallback, useLayoutEffect, useRef } from 'react';
import { type Held, nextStaying, positionOf } from './positions.ts';
import type { Rows } from './use-rows.ts';

/** The number of completely visible rows. */
export const visibleRows = (element: HTMLElement | null, head: number, height: number): number =>
  Math.floor(((element?.clientHeight ?? 0) - head) / height);

/**
 * Keeps the active finding active when other findings are pushed or leave the list.
 * @param onMoved called with the new position
 */
export function useFollowed(
  { rowAt, rowNow }: Pick<Rows, 'rowAt' | 'rowNow'>,
  { at, count, touched }: { at: number; count: number; touched: boolean },
  onMoved: (at: number) => void,
) {
  const held = useRef<Held>(undefined);
  /** The finding that becomes active as soon as the list is updated. */
  const next = useRef<Held & { from: number }>(undefined);
  const id = rowAt(at)?.id;
  useLayoutEffect(() => {
    const wanted = next.current;
    if (wanted && rowNow(wanted.at)?.id === wanted.id) {
      next.current = undefined;
      held.current = wanted;
      if (wanted.at !== at) return onMoved(wanted.at);
    } else if (wanted && wanted.from !== at) {
      // The user has moved to another finding.
      next.current = undefined;
    }
    const before = held.current;
    if (!id) return;
    held.current = { at, id };
    if (!touched || before?.at !== at || before.id === id) return;
    const moved = positionOf(before, count, rowAt);
    if (moved === undefined) return;
    held.current = { at: moved, id: before.id };
    onMoved(moved);
  });
  return {
    /** Stops following the finding. */
    unfollow: useCallback(() => {
      held.current = undefined;
    }, []),
    /** Follows the next finding that stays if the active one is among those that leave the list. */
    followStaying(leaves: ReadonlySet<string>) {
      const staying = nextStaying(at, count, rowNow, leaves);
      next.current = staying && { ...staying, from: at };
    },
  };
}
