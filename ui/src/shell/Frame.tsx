import { ActionIcon, Alert, Group, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { onlineManager, useIsFetching } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import * as text from '#strings/shell.tsx';
import { usePollingFails } from '../app/revision.ts';
import { serverWaits } from '../app/server.ts';
import { Tip } from '../components/floating/Tip.tsx';
import icon from '../icon.svg';
import { IconMoon, IconPlugConnectedX, IconSun } from '../icons/icons.ts';

/** The logo of the service. */
export function Logo() {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={icon} alt="" width={28} height={28} />
      <Text fw={600} visibleFrom="xs">
        {text.productName}
      </Text>
    </Group>
  );
}

/** Switches between light and dark mode. */
export function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const next = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const label = next === 'dark' ? text.darkMode : text.lightMode;
  return (
    <Tip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => setColorScheme(next)}>
        {next === 'dark' ? <IconMoon size={18} /> : <IconSun size={18} />}
      </ActionIcon>
    </Tip>
  );
}

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
