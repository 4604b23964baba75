import { useLayoutEffect, useRef, useState } from 'react';
import type { FindingFilter } from '../../list-queries.ts';
import { ALL } from '../../views.ts';
import { useFollowed, visibleRows } from './use-followed.ts';
import { useKeptPlace, useStart } from './use-place.ts';
import { useRows } from './use-rows.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/** Time in which the list scrolls to a row. A row that it has not reached yet counts as visible. */
const SETTLED_MS = 500;

interface Look {
  /** Whether each finding has two lines. */
  card: boolean;
  /** Whether rows have as little height as possible. */
  compact: boolean;
}

export type ActiveRow = ReturnType<typeof useActiveRow>;

/** The rows of the list, its scroll position, and the active row, which has the focus of the keyboard. */
export function useActiveRow(filter: FindingFilter, page: number, look: Look) {
  const start = useStart(filter, page);
  const [active, setActive] = useState(start.active);
  const [touched, setTouched] = useState(start.back);
  const [total, setTotal] = useState<number>();
  const virtual = useVirtualRows({ total, active, start, ...look });
  const { scroller, virtualizer, height, head, count, at } = virtual;
  const { startIndex: first, endIndex: last } = virtualizer.range ?? {
    startIndex: start.top,
    endIndex: start.top + 20,
  };
  const rows = useRows(filter, [first, last]);
  if (rows.total !== total) setTotal(rows.total);

  const topRow = Math.max(0, Math.floor((virtualizer.scrollOffset ?? 0) / height + 0.01));
  useKeptPlace(filter, page, { top: total === undefined ? start.top : topRow, active: at });

  const focus = () => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${at}"]`);
    row?.focus({ preventScroll: true });
    return row != null;
  };
  // Restores the scroll position once rows exist.
  const placed = useRef(false);
  /** The row that gets the focus as soon as it is rendered. */
  const wantsFocus = useRef(start.back ? start.active : undefined);
  useLayoutEffect(() => {
    if (placed.current || count === 0) return;
    placed.current = true;
    virtualizer.scrollToOffset(start.top * height);
    const shown = (scroller.current?.clientHeight ?? 0) / height - 1;
    if (start.active < start.top || start.active > start.top + shown - 1) {
      virtualizer.scrollToIndex(start.active, { align: 'center' });
    }
  });
  const { unfollow, followStaying } = useFollowed(rows, { at, count, touched }, (moved) => {
    setActive(moved);
    if (document.activeElement?.closest('[data-index]')) wantsFocus.current = moved;
    virtualizer.scrollToOffset((virtualizer.scrollOffset ?? 0) + (moved - at) * height);
  });
  const toTop = () => {
    unfollow();
    virtualizer.scrollToOffset(0);
    setActive(0);
  };
  // A new order moves the visible rows.
  const sort = filter.sort ?? ALL.sort;
  const sorted = useRef(sort);
  useLayoutEffect(() => {
    if (sorted.current === sort) return;
    sorted.current = sort;
    setTouched(false);
    toTop();
  });
  useLayoutEffect(() => {
    if (wantsFocus.current !== at) return;
    if (focus()) wantsFocus.current = undefined;
  });

  const wentAt = useRef(0);
  const isFar = virtualizer.isScrolling ? undefined : at < topRow || at > last;
  return {
    ...virtual,
    rows,
    total,
    first,
    last,
    topRow,
    /** The number of completely visible rows. */
    visible: Math.max(1, visibleRows(scroller.current, head, height)),
    /** Whether the user has chosen the active row. */
    touched,
    /** The active row, on which keys act; undefined before the user has chosen one, or when it is out of view. */
    now: () => (touched && !(isFar && performance.now() - wentAt.current > SETTLED_MS) ? at : undefined),
    /** Moves to a row; undefined moves to the first visible one. */
    go(index: number | undefined): void {
      if (count === 0) return;
      wentAt.current = performance.now();
      const next = index ?? topRow;
      wantsFocus.current = next;
      setTouched(true);
      setActive(next);
      virtualizer.scrollToIndex(next, { align: 'auto' });
      if (next === at) focus();
    },
    /** Makes a row active that the user has pointed at, or focused. */
    activate(index: number): void {
      wantsFocus.current = undefined;
      setActive(index);
      setTouched(true);
    },
    /** Shows the first row, which becomes active. */
    restart(): void {
      toTop();
      if (touched) wantsFocus.current = 0;
    },
    focus,
    followStaying,
  };
}
