import { Button, Card, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconShieldCheck, IconShieldOff } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, type Schemas } from '../../app/api.ts';
import { tellDone } from '../../components/errors/notify.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { PasswordDialog } from '../PasswordDialog.tsx';
import { emailsQuery } from '../queries.ts';
import { useRenew } from '../use-refresh-user.ts';

interface Props {
  isOn: boolean;
  devices: Schemas['MfaDevice'][];
  onEnabled: (codes: string[]) => void;
}

/** Whether MFA is on, and the switch. */
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
  const renew = useRenew();
  return (
    <>
      <Text size="sm">Logging in takes your password, and a code of one of your devices.</Text>
      <Button variant="default" size="sm" onClick={open}>
        Switch MFA off
      </Button>
      <PasswordDialog
        opened={opened}
        onClose={close}
        title="Switch MFA off?"
        action="Switch off"
        color="red"
        onConfirm={async (password) => {
          await api.post('/profile/mfa/disable', { body: { password } });
          tellDone('MFA is off. Your recovery codes no longer work.');
          await renew();
        }}
      >
        <Text size="sm">
          Your password alone will be enough to log in, and your recovery codes are deleted; your devices
          stay. Organizations that require MFA will refuse you until it is on again.
        </Text>
      </PasswordDialog>
    </>
  );
}

function Off({ devices, onEnabled }: Omit<Props, 'isOn'>) {
  const { data: emails } = useQuery(emailsQuery);
  const enable = useEnable(onEnabled);
  const hasDevice = devices.some(({ verified }) => verified);
  // The same that the service takes.
  const verified = emails?.filter((email) => email.verified) ?? [];
  const email = verified.find(({ is_primary }) => is_primary) ?? verified.at(-1);
  return (
    <>
      <Text size="sm">
        Your password alone is enough to log in. With MFA it takes a code, too, that only you can have.
      </Text>
      {hasDevice ? (
        <Button loading={enable.isPending} onClick={() => enable.mutate()}>
          Switch MFA on
        </Button>
      ) : email ? (
        <>
          <Text size="sm">
            Add an authenticator app below, which is safer and works without mail; or have codes mailed to{' '}
            <bdi>{email.email}</bdi>.
          </Text>
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
            Switch on with mailed codes
          </Button>
        </>
      ) : (
        <Text size="sm">
          To switch it on, first add an authenticator app below, or verify an e-mail address.
        </Text>
      )}
      {enable.error && <Problem error={enable.error} />}
    </>
  );
}

/** Switches MFA on, which brings the recovery codes. */
export function useEnable(onEnabled: (codes: string[]) => void) {
  return useMutation({
    mutationFn: async () => (await api.post('/profile/mfa/enable')).result.recovery_codes,
    onSuccess: onEnabled,
  });
}
