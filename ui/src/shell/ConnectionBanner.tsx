import { Alert } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { onlineManager, useIsFetching } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** Says that something is asked for again and again, and that nobody has to do it by hand. */
export function ConnectionBanner() {
  const failing = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 1 });
  const online = useSyncExternalStore(
    (tell) => onlineManager.subscribe(tell),
    () => onlineManager.isOnline(),
  );
  if (failing === 0 && online) return null;
  return (
    <Alert role="status" color="yellow" radius={0} py="xs" mb="sm" icon={<IconPlugConnectedX />}>
      {online ? 'The server does not answer at the moment.' : 'You are offline.'} What is shown may be old; it
      is tried again by itself.
    </Alert>
  );
}
