import { Alert } from '@mantine/core';
import { onlineManager, useIsFetching } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import * as text from '#strings/shell.tsx';
import { usePollingFails } from '../app/revision.ts';
import { serverWaits } from '../app/server.ts';
import { IconPlugConnectedX } from '../icons/icons.ts';

/** Tells that reads, the next page or the check for changes fail and are retried. */
export function ConnectionBanner() {
  const failing = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 1 });
  const online = useSyncExternalStore(
    (tell) => onlineManager.subscribe(tell),
    () => onlineManager.isOnline(),
  );
  const waits = useSyncExternalStore(serverWaits.subscribe, serverWaits.get) > 0;
  const pollingFails = usePollingFails();
  if (failing === 0 && online && !waits && !pollingFails) return null;
  return (
    <Alert role="status" color="yellow" radius={0} py="xs" mb="sm" icon={<IconPlugConnectedX />}>
      {online ? text.serverSilent : text.offline}
    </Alert>
  );
}
