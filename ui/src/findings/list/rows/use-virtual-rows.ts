import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useMemo, useRef } from 'react';
import type { Place } from '../../list-queries.ts';

/** Browsers render nothing beyond about 16 million pixels. */
const MAX_HEIGHT = 16_000_000;
const HEAD_REM = 2.25;
/** Heights of rows in rem: 40 and 28 pixels. */
const ROW_REM = 2.5;
const COMPACT_REM = 1.75;
/** Heights of rows with two lines on narrow screens. */
const CARD_REM = 5.25;
const COMPACT_CARD_REM = 3.5;

interface Rows {
  total: number | undefined;
  /** The active row. */
  active: number;
  /** The initial position. */
  start: Place;
  /** Whether each finding has two lines. */
  card: boolean;
  /** Whether rows have as little height as possible. */
  compact: boolean;
}

/** The rows to render and their positions. Heights are in pixels. */
export function useVirtualRows({ total = 0, active, start, card, compact }: Rows) {
  const rem = useMemo(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize), []);
  const rows = card ? [CARD_REM, COMPACT_CARD_REM] : [ROW_REM, COMPACT_REM];
  const height = (rows[compact ? 1 : 0] ?? ROW_REM) * rem;
  const head = HEAD_REM * rem;
  const count = Math.min(total, Math.floor(MAX_HEIGHT / height));
  const at = Math.max(0, Math.min(active, count - 1));
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
    paddingStart: head,
    scrollPaddingStart: head,
    initialOffset: start.top * height,
    // The active row is always rendered, so that it keeps the focus.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), at])].filter((i) => i < count),
  });
  const measured = useRef(height);
  useLayoutEffect(() => {
    if (measured.current !== height) virtualizer.measure();
    measured.current = height;
  }, [virtualizer, height]);
  return { scroller, virtualizer, height, head, count, at };
}
