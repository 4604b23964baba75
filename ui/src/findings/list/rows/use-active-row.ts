import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useOrg } from '../../../app/session.ts';
import { type FindingFilter, pageOf, placeIn, rememberPlace } from '../../list-queries.ts';
import { ALL } from '../../views.ts';
import { type Held, nextStaying, positionOf } from './positions.ts';
import type { Rows } from './use-rows.ts';
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
  const { unfollow, followStaying, goBack } = useFollowed(rows, { at, count, touched }, (moved, isBack) => {
    setActive(moved);
    const focused = document.activeElement;
    if (focused?.closest('[data-index]') || (isBack && focused === document.body)) wantsFocus.current = moved;
    if (isBack) virtualizer.scrollToIndex(moved, { align: 'auto' });
    else virtualizer.scrollToOffset((virtualizer.scrollOffset ?? 0) + (moved - at) * height);
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
    goBack,
  };
}

/** The number of completely visible rows. */
const visibleRows = (element: HTMLElement | null, head: number, height: number): number =>
  Math.floor(((element?.clientHeight ?? 0) - head) / height);

/**
 * Keeps the active finding active when other findings are pushed or leave the list.
 * @param onMoved called with the new position, and whether the user was there before
 */
function useFollowed(
  { rowAt, rowNow }: Pick<Rows, 'rowAt' | 'rowNow'>,
  { at, count, touched }: { at: number; count: number; touched: boolean },
  onMoved: (at: number, isBack: boolean) => void,
) {
  const held = useRef<Held>(undefined);
  /** The finding that becomes active as soon as the list is updated. */
  const next = useRef<Held & { from: number; isBack: boolean }>(undefined);
  const [, update] = useState({});
  const id = rowAt(at)?.id;
  useLayoutEffect(() => {
    const wanted = next.current;
    if (wanted && rowAt(wanted.at)?.id === wanted.id) {
      next.current = undefined;
      held.current = wanted;
      if (wanted.at !== at || wanted.isBack) return onMoved(wanted.at, wanted.isBack);
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
    onMoved(moved, false);
  });
  return {
    /** Stops following the finding. */
    unfollow: useCallback(() => {
      held.current = undefined;
    }, []),
    /** Follows the next finding that stays if the active one is among those that leave the list. */
    followStaying(leaves: ReadonlySet<string>) {
      const staying = nextStaying(at, count, rowNow, leaves);
      next.current = staying && { ...staying, from: at, isBack: false };
    },
    /** Goes back to a finding whose decision failed, unless the user has moved on from the one after it. */
    goBack(decided: Held) {
      const now = held.current;
      const position = positionOf(decided, count, rowNow);
      if (!now || position === undefined) return;
      const after = rowNow(position + 1) ?? rowNow(position - 1);
      if (now.id !== decided.id && now.id !== after?.id) return;
      next.current = { at: position, id: decided.id, from: now.at, isBack: true };
      update({});
    },
  };
}

const REST_MS = 300;

const route = getRouteApi('/_signed-in/o/$org/findings');

/** The initial position: where the user left the list, or the page of its address. */
function useStart(filter: FindingFilter, page: number) {
  const queries = useQueryClient();
  const org = useOrg();
  return useState(() => placeIn(queries, org, filter, page))[0];
}

/** Keeps the page of the first visible row in the address, and remembers the position when the user leaves. */
function useKeptPlace(filter: FindingFilter, page: number, place: { top: number; active: number }) {
  const queries = useQueryClient();
  const org = useOrg();
  const router = useRouter();
  const navigate = route.useNavigate();
  const latest = useRef({ filter, page, place });
  useEffect(() => {
    latest.current = { filter, page, place };
  });

  const top = pageOf(place.top);
  useEffect(() => {
    if (top === page) return;
    const timer = setTimeout(() => {
      // Must not cancel a navigation in progress.
      if (router.state.status === 'pending') return;
      navigate({
        search: ({ preview }) => ({ ...filter, ...(top > 1 && { page: top }), ...(preview && { preview }) }),
        state: (before) => before,
        replace: true,
        resetScroll: false,
      });
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [top, page, filter, router, navigate]);

  useEffect(
    () => () => {
      const { filter, page, place } = latest.current;
      rememberPlace(queries, org, filter, { ...place, page });
    },
    [queries, org],
  );
}
