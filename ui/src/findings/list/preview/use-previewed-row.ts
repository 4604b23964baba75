import { useLayoutEffect, useRef } from 'react';
import { positionOf } from '../rows/positions.ts';
import type { ActiveRow } from '../rows/use-active-row.ts';
import type { PreviewState } from './use-preview.ts';

/**
 * Makes the row of the previewed finding active when the page is opened with a preview, and when the filter or the order
 * changes. Closes a preview whose finding is not near the top of the filtered list.
 */
export function usePreviewedRow({ id, isKept, close }: PreviewState, sort: string, active: ActiveRow): void {
  const { at, count, rows, touched, activate, go, focus, virtualizer } = active;
  const placed = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (placed.current === sort || rows.total === undefined || (count > 0 && !rows.rowAt(at))) return;
    const isSorted = placed.current !== undefined;
    placed.current = sort;
    if (id === undefined || (touched && !isSorted)) return;
    const position = positionOf({ at, id }, count, rows.rowAt);
    if (position === undefined) {
      if (isKept && !isSorted) close();
    } else if (document.activeElement === document.body) go(position);
    else {
      // The filter or the choice of the order keeps the focus.
      activate(position);
      virtualizer.scrollToIndex(position, { align: 'auto' });
    }
  });
  // The preview takes its focus with it, when it closes or shows another finding.
  const before = useRef(id);
  useLayoutEffect(() => {
    if (before.current === id) return;
    before.current = id;
    if (touched && document.activeElement === document.body) focus();
  });
}
