import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { sessionQuery } from '../session.ts';
import type { Site } from '../site.ts';

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

/** Lets somebody sign in again in another window, so that nothing they have typed here is lost. */
export function SessionEnded({ site }: { site: Site }) {
  const on = useSyncExternalStore(sessionEnded.subscribe, sessionEnded.isOn);
  const queries = useQueryClient();
  // Whose page it is: what is known of the session by then says nothing of it.
  const [owner] = useState(() => queries.getQueryData(sessionQuery.queryKey)?.user?.id);
  const [state, setState] = useState<'waiting' | 'looking' | 'not yet'>('waiting');

  const look = useCallback(async () => {
    setState('looking');
    const session = await queries.query({ ...sessionQuery, staleTime: 0 }).catch(() => undefined);
    if (!session?.user) return setState('not yet');
    // Somebody else's page must not stay.
    if (session.user.id !== owner) return location.reload();
    sessionEnded.clear();
    setState('waiting');
    await queries.invalidateQueries();
  }, [queries, owner]);

  useEffect(() => {
    if (!on) return;
    const onVisible = () => document.visibilityState === 'visible' && look();
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      window.removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [on, look]);

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
