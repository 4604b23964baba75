import { getRouteApi, useLocation, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';

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
