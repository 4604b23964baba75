import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether Back leads to the list without the preview. */
    isAfterList?: boolean;
  }
}

const route = getRouteApi('/_signed-in/o/$org/findings');

/** The finding that is previewed beside the list. */
export interface PreviewState {
  /** Undefined if the preview is closed. */
  id: string | undefined;
  show(id: string): void;
  close(): void;
}

/** The preview of the list. Its finding is in the address: Back closes it. */
export function usePreview(id: string | undefined): PreviewState {
  const navigate = route.useNavigate();
  const router = useRouter();
  const closing = useRef<string>(undefined);
  useEffect(() => {
    closing.current = undefined;
  });
  return useMemo(
    () => ({
      id,
      show(next) {
        const isOpen = id !== undefined;
        void navigate({
          search: (before) => ({ ...before, preview: next }),
          state: (before) => (isOpen ? before : { ...before, isAfterList: true }),
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
    [id, navigate, router],
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
