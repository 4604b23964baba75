import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { sessionQuery } from '../app/session.ts';
import type { Site } from '../app/site.ts';
import { createStore } from '../app/store.ts';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';

const Dialog = lazyDialog(() => import('./SessionEndedDialog.tsx'), 'SessionEndedDialog');

/** Whether a request has failed because the session has ended. */
export const sessionEnded = createStore(false);

/**
 * Keeps the page in line with the signed-in user, who may change in another window. If the session has ended, the user signs
 * in again in a second window, so that the input on this page is kept.
 */
export function SessionEnded({ site }: { site: Site }) {
  const on = useSyncExternalStore(sessionEnded.subscribe, sessionEnded.get);
  const queries = useQueryClient();
  // The user of this page. The cached session may already belong to another user.
  const [owner] = useState(() => queries.getQueryData(sessionQuery.queryKey)?.user?.id);
  const [state, setState] = useState<'waiting' | 'looking' | 'not yet'>('waiting');

  const look = useCallback(async () => {
    const known = queries.getQueryData(sessionQuery.queryKey)?.user;
    setState('looking');
    const session = await queries
      .query({ ...sessionQuery, staleTime: 0, retry: false })
      .catch(() => undefined);
    if (session?.user) {
      // The page must not show the data of another user.
      if (session.user.id !== owner) return location.reload();
      setState('waiting');
      if (!sessionEnded.get()) return;
      sessionEnded.set(false);
      return queries.invalidateQueries();
    }
    setState(sessionEnded.get() ? 'not yet' : 'waiting');
    if (session && known) sessionEnded.set(true);
  }, [queries, owner]);

  useEffect(() => {
    if (owner === undefined) return;
    const onVisible = () => document.visibilityState === 'visible' && look();
    const onShow = async ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      await look();
      // After signing out, the Back button must not show the page again.
      if (sessionEnded.get()) location.reload();
    };
    window.addEventListener('focus', look);
    window.addEventListener('pageshow', onShow);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      window.removeEventListener('focus', look);
      window.removeEventListener('pageshow', onShow);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [owner, look]);

  return <Dialog opened={on} onClose={() => sessionEnded.set(false)} site={site} state={state} look={look} />;
}
