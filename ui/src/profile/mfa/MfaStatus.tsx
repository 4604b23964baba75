import { Button, Card, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import * as text from '#strings/profile/mfa.tsx';
import { api, type Schemas } from '../../app/api.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { Waiting } from '../../components/Waiting.tsx';
import { IconShieldCheck, IconShieldOff } from '../../icons/icons.ts';
import { PasswordDialog } from '../PasswordDialog.tsx';
import { emailsQuery, useRefreshUser } from '../queries.ts';

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
            {isOn ? text.isOn : text.isOff}
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
      <Text size="sm">{text.signInWithCode}</Text>
      <Button variant="default" size="sm" onClick={open}>
        {text.turnOffMfa}
      </Button>
      <PasswordDialog
        opened={opened}
        onClose={close}
        title={text.askTurnOff}
        action={text.turnOff}
        color="red"
        onConfirm={async (password) => {
          await api.post('/profile/mfa/disable', { body: { password } });
          showSuccess(text.turnedOff);
          await renew();
        }}
      >
        <Text size="sm">{text.consequencesOfTurningOff}</Text>
      </PasswordDialog>
    </>
  );
}

function Off({ devices, onEnabled }: Omit<Props, 'isOn'>) {
  const { data: emails, isPending } = useQuery(emailsQuery);
  const enable = useEnable(onEnabled);
  const hasDevice = devices.some(({ verified }) => verified);
  // The address that the service would choose.
  const verified = emails?.filter((email) => email.verified) ?? [];
  const email = verified.find(({ is_primary }) => is_primary) ?? verified.at(-1);
  if (isPending) return <Waiting />;
  return (
    <>
      <Text size="sm">{text.signInWithoutCode}</Text>
      {hasDevice ? (
        <Button loading={enable.isPending} onClick={() => enable.mutate()}>
          {text.turnOn}
        </Button>
      ) : email ? (
        <>
          <Text size="sm">{text.appOrMail(<bdi>{email.email}</bdi>)}</Text>
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
            {text.turnOnWithMail}
          </Button>
        </>
      ) : (
        <Text size="sm">{text.needsDevice}</Text>
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
