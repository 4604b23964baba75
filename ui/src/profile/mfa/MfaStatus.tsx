import { Button, Card, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconShieldCheck, IconShieldOff } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../app/api.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { PasswordDialog } from '../PasswordDialog.tsx';
import { emailsQuery } from '../queries.ts';
import { useRefreshUser } from '../use-refresh-user.ts';

interface Props {
  isOn: boolean;
  devices: Schemas['MfaDevice'][];
  onEnabled: (codes: string[]) => void;
}

/** Shows whether MFA is on, and turns it on and off. */
export function MfaStatus({ isOn, devices, onEnabled }: Props) {
  return (
    <Card withBorder>
      <Group wrap="nowrap" align="flex-start">
        <ThemeIcon variant="light" color={isOn ? 'teal' : 'gray'} size={44} radius="md" visibleFrom="xs">
          {isOn ? <IconShieldCheck size={26} aria-hidden /> : <IconShieldOff size={26} aria-hidden />}
        </ThemeIcon>
        <Stack gap="xs" align="flex-start" style={{ minWidth: 0, flex: 1 }}>
          <Title order={3} id="mfa-state">
            MFA is {isOn ? 'on' : 'off'}
          </Title>
          {isOn ? <On /> : <Off devices={devices} onEnabled={onEnabled} />}
        </Stack>
      </Group>
    </Card>
  );
}

function On() {
  const [opened, { open, close }] = useDisclosure();
  const renew = useRefreshUser();
  return (
    <>
      <Text size="sm">You sign in with your password and a code from one of your devices.</Text>
      <Button variant="default" size="sm" onClick={open}>
        Turn off MFA
      </Button>
      <PasswordDialog
        opened={opened}
        onClose={close}
        title="Turn off MFA?"
        action="Turn off"
        color="red"
        onConfirm={async (password) => {
          await api.post('/profile/mfa/disable', { body: { password } });
          showSuccess('MFA is off. Your recovery codes no longer work.');
          await renew();
        }}
      >
        <Text size="sm">
          You will sign in with your password only. Your recovery codes are deleted. Your devices are kept.
          Organizations that require MFA deny access until it is on again.
        </Text>
      </PasswordDialog>
    </>
  );
}

function Off({ devices, onEnabled }: Omit<Props, 'isOn'>) {
  const { data: emails } = useQuery(emailsQuery);
  const enable = useEnable(onEnabled);
  const hasDevice = devices.some(({ verified }) => verified);
  // The address that the service would choose.
  const verified = emails?.filter((email) => email.verified) ?? [];
  const email = verified.find(({ is_primary }) => is_primary) ?? verified.at(-1);
  return (
    <>
      <Text size="sm">You sign in with your password only. MFA also requires a code that only you have.</Text>
      {hasDevice ? (
        <Button loading={enable.isPending} onClick={() => enable.mutate()}>
          Turn on MFA
        </Button>
      ) : email ? (
        <>
          <Text size="sm">
            Add an authenticator app below, which is safer and works without mail, or receive codes by mail at{' '}
            <bdi>{email.email}</bdi>.
          </Text>
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
            Turn on with mailed codes
          </Button>
        </>
      ) : (
        <Text size="sm">To turn on MFA, add an authenticator app below or verify an e-mail address.</Text>
      )}
      {enable.error && <Problem error={enable.error} />}
    </>
  );
}

/** Turns on MFA and receives the recovery codes. */
export function useEnable(onEnabled: (codes: string[]) => void) {
  return useMutation({
    mutationFn: async () => (await api.post('/profile/mfa/enable')).result.recovery_codes,
    onSuccess: onEnabled,
  });
}
