import { useLayoutEffect, useRef } from 'react';
import { positionOf } from '../rows/positions.ts';
import type { ActiveRow } from '../rows/use-active-row.ts';
import type { PreviewState } from './use-preview.ts';

/** Makes the row of the previewed finding active when the page is opened with a preview, and focuses the active row after it. */
export function usePreviewedRow({ id }: PreviewState, active: ActiveRow): void {
  const { at, count, rows, touched, go, focus } = active;
  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    if (isPlaced.current || count === 0) return;
    isPlaced.current = true;
    const position = id === undefined || touched ? undefined : positionOf({ at, id }, count, rows.rowAt);
    if (position !== undefined) go(position);
  });
  // The preview takes its focus with it, when it closes or shows another finding.
  const before = useRef(id);
  useLayoutEffect(() => {
    if (before.current === id) return;
    before.current = id;
    if (touched && document.activeElement === document.body) focus();
  });
}
