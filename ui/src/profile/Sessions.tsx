import { Button, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/profile.tsx';
import { api, type Schemas } from '../app/api.ts';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { Row, Rows } from '../components/Rows.tsx';
import { SectionHead } from '../components/SectionHead.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { Ago } from '../components/time/Time.tsx';
import { IconDeviceDesktop, IconDeviceMobile, IconDeviceTablet, IconDeviceUnknown } from '../icons/icons.ts';
import { sessionsQuery } from './queries.ts';

type Session = Schemas['Session'];

const ICONS: Record<string, typeof IconDeviceDesktop> = {
  desktop: IconDeviceDesktop,
  mobile: IconDeviceMobile,
  tablet: IconDeviceTablet,
};

const nameOf = ({ browser, os }: Session) =>
  browser && os ? text.browserOn(browser, os) : browser || os || text.unknownBrowser;

/** The sessions of the user. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <SectionHead flex="1 1 18rem" title={text.sessions} description={text.whatSessionsAre} />
        {sessions.data?.some(({ current }) => !current) && <RevokeOthers />}
      </Group>
      <Loaded query={sessions}>
        {(list) => (
          <Rows label={text.sessions}>
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
  const address = <bdi>{session.ip_address || text.unknownAddress}</bdi>;
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
            {session.current && <StateBadge label={text.thisSession} color="teal" />}
          </Group>
          <Text size="xs" c="dimmed">
            {session.device_type
              ? text.fromDevice(address, text.devices[session.device_type] ?? session.device_type)
              : text.from(address)}
          </Text>
          <Text size="xs" c="dimmed">
            {text.activity(<Ago time={session.last_active_at} />, <Ago time={session.created_at} />)}
          </Text>
        </div>
      </Group>
    </Row>
  );
}

function Revoke({ session }: { session: Session }) {
  const queries = useQueryClient();
  const name = nameOf(session);
  const revoke = useConfirmed({
    title: text.revokeThisSession,
    children: <Text size="sm">{text.signedOutNext(<bdi>{name}</bdi>, <bdi>{session.ip_address}</bdi>)}</Text>,
    confirm: text.revoke,
    color: 'red',
    mutationFn: () => api.delete('/profile/sessions/{id}', { params: { path: { id: session.id } } }),
    onSuccess: () => showSuccess(text.sessionRevoked(name)),
    // The session may have ended in the meantime.
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={text.revokeSession(name, session.ip_address)}
      loading={revoke.isPending}
      onClick={revoke.ask}
    >
      {text.revoke}
    </Button>
  );
}

function RevokeOthers() {
  const queries = useQueryClient();
  const revoke = useConfirmed({
    title: text.revokeAllOthers,
    children: <Text size="sm">{text.othersSignedOut}</Text>,
    confirm: text.revokeOthers,
    color: 'red',
    mutationFn: () => api.delete('/profile/sessions'),
    onSuccess: ({ message = text.othersRevoked }) => showSuccess(message),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <Button variant="default" color="red" loading={revoke.isPending} onClick={revoke.ask}>
      {text.revokeOthers}
    </Button>
  );
}
