import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDeviceTablet,
  IconDeviceUnknown,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, type Schemas } from '../app/api.ts';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { showError, showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { Row, Rows } from '../components/Rows.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { Ago } from '../components/time/Time.tsx';
import { sessionsQuery } from './queries.ts';

type Session = Schemas['Session'];

const ICONS: Record<string, typeof IconDeviceDesktop> = {
  desktop: IconDeviceDesktop,
  mobile: IconDeviceMobile,
  tablet: IconDeviceTablet,
};

const nameOf = ({ browser, os }: Session) => [browser, os].filter(Boolean).join(' on ') || 'Unknown browser';

/** The sessions of the user. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: '1 1 18rem' }}>
          <Title order={2}>Sessions</Title>
          <Text size="sm" c="dimmed">
            The browsers in which you are signed in. A session ends after 24 hours. If you do not recognize a
            session, revoke it and change your password.
          </Text>
        </div>
        {sessions.data?.some(({ current }) => !current) && <RevokeOthers />}
      </Group>
      <Loaded query={sessions}>
        {(list) => (
          <Rows label="Sessions">
            {list
              .toSorted((a, b) => Number(b.current) - Number(a.current))
              .map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
          </Rows>
        )}
      </Loaded>
    </Stack>
  );
}

function SessionRow({ session }: { session: Session }) {
  const Icon = ICONS[session.device_type] ?? IconDeviceUnknown;
  return (
    <Row actions={!session.current && <Revoke session={session} />}>
      <Group gap="sm" wrap="nowrap">
        <ThemeIcon variant="light" color={session.current ? 'teal' : 'gray'} size="lg" radius="md">
          <Icon size={20} aria-hidden />
        </ThemeIcon>
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text size="sm" fw={500} title={session.user_agent}>
              <bdi>{nameOf(session)}</bdi>
            </Text>
            {session.current && <StateBadge label="This session" color="teal" />}
          </Group>
          <Text size="xs" c="dimmed">
            From <bdi>{session.ip_address || 'an unknown address'}</bdi>
            {session.device_type && `, ${session.device_type}`}
          </Text>
          <Text size="xs" c="dimmed">
            Last active <Ago time={session.last_active_at} /> · signed in <Ago time={session.created_at} />
          </Text>
        </div>
      </Group>
    </Row>
  );
}

function Revoke({ session }: { session: Session }) {
  const queries = useQueryClient();
  const name = nameOf(session);
  const revoke = useMutation({
    mutationFn: () => api.delete('/profile/sessions/{id}', { params: { path: { id: session.id } } }),
    onSuccess: () => showSuccess(`The session of ${name} was revoked.`),
    onError: showError,
    // The session may have ended in the meantime.
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const ask = () =>
    openConfirm({
      title: 'Revoke this session?',
      children: (
        <Text size="sm">
          <bdi>{name}</bdi> from <bdi>{session.ip_address}</bdi> is signed out with its next request.
        </Text>
      ),
      labels: { confirm: 'Revoke', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => revoke.mutate(),
    });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`Revoke ${name}, from ${session.ip_address}`}
      loading={revoke.isPending}
      onClick={ask}
    >
      Revoke
    </Button>
  );
}

function RevokeOthers() {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api.delete('/profile/sessions'),
    onSuccess: ({ message = 'All other sessions were revoked.' }) => showSuccess(message),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const ask = () =>
    openConfirm({
      title: 'Revoke all other sessions?',
      children: <Text size="sm">Every other browser is signed out with its next request.</Text>,
      labels: { confirm: 'Revoke all others', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => revoke.mutate(),
    });
  return (
    <Button variant="default" color="red" loading={revoke.isPending} onClick={ask}>
      Revoke all others
    </Button>
  );
}
