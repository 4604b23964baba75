import { getRouteApi, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { positionOf } from '../rows/positions.ts';
import type { ActiveRow } from '../rows/use-active-row.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether Back leads to the list without the preview. */
    isAfterList?: boolean;
    /** Whether the preview was open before the filter changed. It closes if its finding does not match. */
    isPreviewKept?: boolean;
  }
}

const route = getRouteApi('/_signed-in/o/$org/findings');

/** The preview of an address, for the address of the same list with another filter or order. */
export const previewOf = ({ preview }: { preview?: string }) => (preview === undefined ? {} : { preview });

/** The finding that is previewed beside the list. */
export interface PreviewState {
  /** Undefined if the preview is closed. */
  id: string | undefined;
  /** Whether the filter has changed since the finding was shown. */
  isKept: boolean;
  show(id: string): void;
  close(): void;
}

/** The preview of the list. Its finding is in the address: Back closes it. */
export function usePreview(id: string | undefined): PreviewState {
  const navigate = route.useNavigate();
  const router = useRouter();
  const isKept = useLocation({ select: ({ state }) => state.isPreviewKept === true });
  const closing = useRef<string>(undefined);
  useEffect(() => {
    closing.current = undefined;
  });
  return useMemo(
    () => ({
      id,
      isKept,
      show(next) {
        const isOpen = id !== undefined;
        void navigate({
          search: (before) => ({ ...before, preview: next }),
          state: ({ isPreviewKept: _, ...before }) => (isOpen ? before : { ...before, isAfterList: true }),
          replace: isOpen,
          resetScroll: false,
        });
      },
      close() {
        // A second key, before the address has changed, must not go back twice.
        if (id === undefined || closing.current === id) return;
        closing.current = id;
        if (router.state.location.state.isAfterList) return router.history.back();
        void navigate({ search: ({ preview: _, ...list }) => list, replace: true, resetScroll: false });
      },
    }),
    [id, isKept, navigate, router],
  );
}

/** Moves through the list pass findings quickly. Only the one on which the user rests is read. */
const REST_MS = 100;

/** Lets an open preview follow the active finding. */
export function useFollowingPreview({ id, show }: PreviewState, activeId: string | undefined): void {
  useEffect(() => {
    if (id === undefined || activeId === undefined || activeId === id) return;
    const timer = setTimeout(() => show(activeId), REST_MS);
    return () => clearTimeout(timer);
  }, [id, activeId, show]);
}

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
