import { Button, Card, Group, Menu, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/profile/mfa.tsx';
import { api, type Schemas } from '../../app/api.ts';
import { useAction } from '../../components/dialogs/use-confirmed.ts';
import { Empty } from '../../components/Empty.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { StateBadge } from '../../components/StateBadge.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { IconDeviceMobile, IconMail, IconPlus } from '../../icons/icons.ts';
import { PasswordDialog } from '../PasswordDialog.tsx';
import { emailsQuery, mfaQuery, useRefreshUser } from '../queries.ts';
import { Authenticator } from './Authenticator.tsx';

type Device = Schemas['MfaDevice'];

interface Props {
  isOn: boolean;
  devices: Device[];
  onEnabled: (codes: string[]) => void;
}

/** The devices that provide codes. */
export function MfaDevices({ isOn, devices: all, onEnabled }: Props) {
  const [adding, { open, close }] = useDisclosure();
  const [unverified, setUnverified] = useState<Device>();
  const devices = all.filter(({ type }) => type !== 'passkey');
  return (
    <Card withBorder component="section" aria-labelledby="devices">
      <Stack>
        <Group justify="space-between">
          <Title order={3} id="devices">
            {text.devices}
          </Title>
          <Group gap="xs">
            <AddEmailDevice devices={devices} />
            <Button size="sm" leftSection={<IconPlus size={16} />} onClick={open}>
              {text.addApp}
            </Button>
          </Group>
        </Group>
        {devices.length === 0 ? (
          <Empty icon={<IconDeviceMobile />} title={text.noDevices}>
            {text.whatAppDoes}
          </Empty>
        ) : (
          <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }} aria-label={text.devices}>
            {devices.map((device) => (
              <DeviceRow
                key={device.id}
                device={device}
                isLast={isOn && device.verified && all.filter(({ verified }) => verified).length === 1}
                onVerify={() => setUnverified(device)}
              />
            ))}
          </Stack>
        )}
      </Stack>
      <Authenticator opened={adding} onClose={close} isOn={isOn} onEnabled={onEnabled} />
      <Authenticator
        opened={unverified !== undefined}
        device={unverified}
        onClose={() => setUnverified(undefined)}
        isOn={isOn}
        onEnabled={onEnabled}
      />
    </Card>
  );
}

function DeviceRow({ device, isLast, onVerify }: { device: Device; isLast: boolean; onVerify: () => void }) {
  const { id, name, type, verified, last_used_at } = device;
  const [removing, { open, close }] = useDisclosure();
  const renew = useRefreshUser();
  return (
    <Group component="li" justify="space-between">
      <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
        <ThemeIcon variant="light" color="gray" size="lg" radius="md">
          {type === 'totp' ? <IconDeviceMobile size={20} aria-hidden /> : <IconMail size={20} aria-hidden />}
        </ThemeIcon>
        <div style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text size="sm" fw={500}>
              <bdi>{name}</bdi>
            </Text>
            {!verified && <StateBadge label={text.notVerified} color="orange" />}
          </Group>
          <Text size="xs" c="dimmed">
            {last_used_at
              ? (type === 'totp' ? text.appLastUsed : text.mailLastUsed)(<Ago time={last_used_at} />)
              : type === 'totp'
                ? text.appNeverUsed
                : text.mailNeverUsed}
          </Text>
        </div>
      </Group>
      <Group gap="xs">
        {!verified && (
          <Button size="compact-sm" variant="default" aria-label={text.verifyDevice(name)} onClick={onVerify}>
            {text.verify}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={text.removeDevice(name)}
          onClick={open}
        >
          {text.remove}
        </Button>
      </Group>
      <PasswordDialog
        opened={removing}
        onClose={close}
        title={text.askRemove(<bdi>{name}</bdi>)}
        action={isLast ? text.removeAndTurnOff : text.remove}
        color="red"
        onConfirm={async (password) => {
          const path = { params: { path: { id } }, body: { password } };
          const { message } = await api.delete('/profile/mfa/devices/{id}', path);
          showSuccess(message ?? text.deviceRemoved);
          await renew();
        }}
      >
        <Text size="sm">{isLast ? text.lastDevice : text.codesStopWorking}</Text>
      </PasswordDialog>
    </Group>
  );
}

function AddEmailDevice({ devices }: { devices: Device[] }) {
  const queries = useQueryClient();
  const { data: emails } = useQuery(emailsQuery);
  const taken = new Set(devices.filter(({ type }) => type === 'email').map(({ name }) => name));
  const free = emails?.filter(({ verified, email }) => verified && !taken.has(email)) ?? [];
  const add = useAction({
    mutationFn: async (email_id: string) =>
      (await api.post('/profile/mfa/devices/email', { body: { email_id } })).result,
    onSuccess: ({ name }) => {
      showSuccess(text.codesMailedTo(name));
      return queries.invalidateQueries({ queryKey: mfaQuery.queryKey });
    },
  });
  if (free.length === 0) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="sm" variant="default" leftSection={<IconPlus size={16} />} loading={add.isPending}>
          {text.addMailedCodes}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{text.mailCodesTo}</Menu.Label>
        {free.map(({ id, email }) => (
          <Menu.Item key={id} onClick={() => add.mutate(id)}>
            <bdi>{email}</bdi>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
