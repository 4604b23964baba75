import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { sessionQuery } from '../app/session.ts';
import type { Site } from '../app/site.ts';

/** Whether a request found the session ended while somebody was at work. */
function createSignal() {
  const listeners = new Set<() => void>();
  let on = false;
  const set = (value: boolean) => {
    on = value;
    for (const listener of listeners) listener();
  };
  return {
    tell: () => set(true),
    clear: () => set(false),
    isOn: () => on,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export const sessionEnded = createSignal();

/**
 * Sees to it that the page is that of who is signed in, which may change in another window. Lets somebody whose session
 * has ended sign in again in a window beside it, so that nothing they have typed here is lost.
 */
export function SessionEnded({ site }: { site: Site }) {
  const on = useSyncExternalStore(sessionEnded.subscribe, sessionEnded.isOn);
  const queries = useQueryClient();
  // Whose page it is: what is known of the session by then says nothing of it.
  const [owner] = useState(() => queries.getQueryData(sessionQuery.queryKey)?.user?.id);
  const [state, setState] = useState<'waiting' | 'looking' | 'not yet'>('waiting');

  const look = useCallback(async () => {
    const known = queries.getQueryData(sessionQuery.queryKey)?.user;
    setState('looking');
    const session = await queries
      .query({ ...sessionQuery, staleTime: 0, retry: false })
      .catch(() => undefined);
    if (session?.user) {
      // Somebody else's page must not stay.
      if (session.user.id !== owner) return location.reload();
      setState('waiting');
      if (!sessionEnded.isOn()) return;
      sessionEnded.clear();
      return queries.invalidateQueries();
    }
    setState(sessionEnded.isOn() ? 'not yet' : 'waiting');
    if (session && known) sessionEnded.tell();
  }, [queries, owner]);

  useEffect(() => {
    if (owner === undefined) return;
    const onVisible = () => document.visibilityState === 'visible' && look();
    const onShow = async ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      await look();
      // Whoever comes back to it after logging out finds nothing of it.
      if (sessionEnded.isOn()) location.reload();
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

  const leave = `/login?return_to=${encodeURIComponent(location.href)}`;
  return (
    <Modal
      opened={on}
      onClose={sessionEnded.clear}
      title="Your session has ended"
      centered
      // Above other dialogs, which stay as they are.
      zIndex={1000}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">
          Sign in again in a new window. This page, and what you typed in it, stays as it is: come back to it
          afterwards.
        </Text>
        <Text size="sm" role="status" c="dimmed">
          {state === 'not yet' && 'You are not signed in yet.'}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="subtle" component="a" href={site.signInUrl(leave)}>
            Leave this page
          </Button>
          <Button variant="default" onClick={look} loading={state === 'looking'}>
            I have signed in
          </Button>
          <Button
            component="a"
            href={site.signInUrl('/login?return_to=/signed-in')}
            target="_blank"
            data-autofocus
          >
            Sign in
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
