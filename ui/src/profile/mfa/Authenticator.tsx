import { Alert, Anchor, Button, Center, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, ServiceError } from '../../app/api.ts';
import { Copy } from '../../components/Copy.tsx';
import { Problem } from '../../components/errors/Problem.tsx';
import { CodeInput } from '../../components/forms/CodeInput.tsx';
import { mfaQuery } from '../queries.ts';
import { useEnable } from './MfaStatus.tsx';
import { QrCode } from './QrCode.tsx';

type Device = Schemas['MfaDevice'];

/** A device, with the secret while it is known. */
interface Enrolment {
  device: Device;
  secret?: string;
  url?: string;
}

interface Props {
  opened: boolean;
  /** One that was added before, and still is to be verified; a new one when left out. */
  device?: Device | undefined;
  /** Whether MFA is on already. */
  isOn: boolean;
  onClose: () => void;
  onEnabled: (codes: string[]) => void;
}

/** Adds an authenticator app: a name, its secret, and a code that shows that it has it. */
export function Authenticator({ opened, device, isOn, onClose, onEnabled }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={device ? 'Verify your authenticator app' : 'Add an authenticator app'}
      // What is typed, and scanned, is not lost by a click beside it.
      closeOnClickOutside={false}
    >
      <Steps device={device} isOn={isOn} onClose={onClose} onEnabled={onEnabled} />
    </Modal>
  );
}

function Steps({ device, isOn, onClose, onEnabled }: Omit<Props, 'opened'>) {
  const queries = useQueryClient();
  const [enrolment, setEnrolment] = useState<Enrolment | undefined>(device && { device });
  const [verified, setVerified] = useState(false);
  const renew = () => queries.invalidateQueries({ queryKey: mfaQuery.queryKey });
  if (!enrolment) {
    return (
      <NameStep
        onCancel={onClose}
        onAdded={(added) => {
          setEnrolment(added);
          renew();
        }}
      />
    );
  }
  if (!verified) {
    return (
      <CodeStep
        enrolment={enrolment}
        onVerified={() => {
          setVerified(true);
          renew();
        }}
      />
    );
  }
  return <LastStep name={enrolment.device.name} isOn={isOn} onClose={onClose} onEnabled={onEnabled} />;
}

function NameStep({ onCancel, onAdded }: { onCancel: () => void; onAdded: (made: Enrolment) => void }) {
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: async () =>
      (await api.post('/profile/mfa/devices/totp', { body: { name: name.trim() } })).result,
    onSuccess: onAdded,
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          description="To tell it from other devices."
          placeholder="Phone"
          maxLength={100}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {add.error && <Problem error={add.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={name.trim() === ''}>
            Next
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function CodeStep({ enrolment, onVerified }: { enrolment: Enrolment; onVerified: () => void }) {
  const { device, secret, url } = enrolment;
  const [code, setCode] = useState('');
  const [attempt, setAttempt] = useState(0);
  const isWrong = (error: unknown) => error instanceof ServiceError && error.code === 'mfa_invalid_code';
  const verify = useMutation({
    mutationFn: (value: string) =>
      api.post('/profile/mfa/devices/totp/{id}/verify', {
        params: { path: { id: device.id } },
        body: { code: value },
      }),
    onSuccess: onVerified,
    onError: (error) => {
      if (!isWrong(error)) return;
      setCode('');
      setAttempt(attempt + 1);
    },
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        verify.mutate(code);
      }}
    >
      <Stack>
        {secret && url ? (
          <Secret secret={secret} url={url} />
        ) : (
          <Text size="sm">
            Its secret was shown once, when you added “<bdi>{device.name}</bdi>”. If your app does not have
            it, remove the device and add it again.
          </Text>
        )}
        {verify.error && !isWrong(verify.error) && <Problem error={verify.error} />}
        <CodeInput
          // Made anew after a code that was refused: empty, and with the cursor at its beginning.
          key={attempt}
          label="Code that the app shows"
          value={code}
          onChange={setCode}
          onComplete={verify.mutate}
          busy={verify.isPending}
          error={
            isWrong(verify.error) &&
            'This is not the code. It changes every 30 seconds; the clock of your device has to be right.'
          }
        />
        <Group justify="flex-end">
          <Button type="submit" loading={verify.isPending} disabled={code.length < 6}>
            Verify
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Secret({ secret, url }: { secret: string; url: string }) {
  return (
    <>
      <Text size="sm">Scan this with your app, or type the secret into it.</Text>
      <Center>
        <QrCode value={url} label="QR code with the secret, for your authenticator app" />
      </Center>
      <Group justify="center" gap={4} wrap="nowrap">
        <Text ff="monospace" size="sm" ta="center" style={{ overflowWrap: 'anywhere' }}>
          {secret.match(/.{1,4}/g)?.join(' ')}
        </Text>
        <Copy value={secret} label="Copy the secret" />
      </Group>
      {url.startsWith('otpauth://') && (
        <Anchor href={url} size="sm" ta="center" hiddenFrom="sm">
          Open in the app on this device
        </Anchor>
      )}
    </>
  );
}

function LastStep({ name, isOn, onClose, onEnabled }: Omit<Props, 'opened' | 'device'> & { name: string }) {
  // Switched on from here, it stays as it is while it closes, and takes the focus from nothing.
  const [wasOn] = useState(isOn);
  const enable = useEnable((codes) => {
    onClose();
    onEnabled(codes);
  });
  return (
    <Stack>
      <Alert color="teal" icon={<IconCheck />} role="status">
        “<bdi>{name}</bdi>” is verified.
      </Alert>
      {wasOn ? (
        <Group justify="flex-end">
          <Button onClick={onClose} autoFocus>
            Done
          </Button>
        </Group>
      ) : (
        <>
          <Text size="sm">
            MFA is still off. Switch it on, so that its codes are asked for when you log in.
          </Text>
          {enable.error && <Problem error={enable.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Later
            </Button>
            <Button loading={enable.isPending} onClick={() => enable.mutate()} autoFocus>
              Switch MFA on
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
