import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
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
  const [tried, setTried] = useState(false);

  useEffect(() => {
    if (!on) return;
    const look = async () => {
      const before = queries.getQueryData(sessionQuery.queryKey);
      const me = await queries.query({ ...sessionQuery, staleTime: 0 }).catch(() => null);
      if (!me?.user) return setTried(true);
      // Somebody else's page must not stay.
      if (before?.user && before.user.id !== me.user.id) return location.reload();
      sessionEnded.clear();
      setTried(false);
      await queries.invalidateQueries();
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [on, queries]);

  return (
    <Modal opened={on} onClose={sessionEnded.clear} title="Your session has ended" centered>
      <Stack>
        <Text size="sm">
          Sign in again in a new window. This page, and what you typed in it, stays as it is: come back to it
          afterwards.
        </Text>
        {tried && (
          <Text size="sm" role="status">
            You are not signed in yet.
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" component="a" href={site.signInUrl('/login')}>
            Leave this page
          </Button>
          <Button component="a" href={site.signInUrl('/login?return_to=/signed-in')} target="_blank">
            Sign in
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
