import { Alert, Anchor, Button, Center, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import qrcode from 'qrcode-generator';
import { useMemo, useState } from 'react';
import * as text from '#strings/profile/mfa.tsx';
import { api, type Schemas, ServiceError } from '../../app/api.ts';
import { Copy } from '../../components/Copy.tsx';
import { Problem } from '../../components/errors/Problem.tsx';
import { CodeInput } from '../../components/forms/CodeInput.tsx';
import { DialogForm } from '../../components/forms/DialogForm.tsx';
import { IconCheck } from '../../icons/icons.ts';
import { mfaQuery } from '../queries.ts';
import { useEnable } from './MfaStatus.tsx';

type Device = Schemas['MfaDevice'];

/** A device, with its secret while it is known. */
interface Enrolment {
  device: Device;
  secret?: string;
  url?: string;
}

interface Props {
  opened: boolean;
  /** A device that is not verified yet; undefined adds a new one. */
  device?: Device | undefined;
  /** Whether MFA is already on. */
  isOn: boolean;
  onClose: () => void;
  onEnabled: (codes: string[]) => void;
}

/** Adds an authenticator app: name, secret, and a code that proves that the app has the secret. */
export function Authenticator({ opened, device, isOn, onClose, onEnabled }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={device ? text.verifyYourApp : text.addAnApp}
      // A click outside must not discard the input.
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
    <DialogForm
      sending={{ ...add, submit: add.mutate, problem: add.error }}
      action={text.next}
      isReady={name.trim() !== ''}
      onCancel={onCancel}
    >
      <TextInput
        label={text.name}
        description={text.whatNameIsFor}
        placeholder={text.exampleOfName}
        maxLength={100}
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </DialogForm>
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
          <Text size="sm">{text.secretShownBefore(<bdi>{device.name}</bdi>)}</Text>
        )}
        {verify.error && !isWrong(verify.error) && <Problem error={verify.error} />}
        <CodeInput
          // A new field after a wrong code: empty and focused.
          key={attempt}
          label={text.codeFromApp}
          value={code}
          onChange={setCode}
          onComplete={verify.mutate}
          busy={verify.isPending}
          error={isWrong(verify.error) && text.wrongCode}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={verify.isPending} disabled={code.length < 6}>
            {text.verify}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Secret({ secret, url }: { secret: string; url: string }) {
  return (
    <>
      <Text size="sm">{text.scanCode}</Text>
      <Center>
        <QrCode value={url} label={text.qrCode} />
      </Center>
      <Group justify="center" gap={4} wrap="nowrap">
        <Text ff="monospace" size="sm" ta="center" style={{ overflowWrap: 'anywhere' }}>
          {secret.match(/.{1,4}/g)?.join(' ')}
        </Text>
        <Copy value={secret} label={text.copySecret} />
      </Group>
      {url.startsWith('otpauth://') && (
        <Anchor href={url} size="sm" ta="center" hiddenFrom="sm">
          {text.openInApp}
        </Anchor>
      )}
    </>
  );
}

function LastStep({ name, isOn, onClose, onEnabled }: Omit<Props, 'opened' | 'device'> & { name: string }) {
  // The content must not change while the dialog closes.
  const [wasOn] = useState(isOn);
  const enable = useEnable((codes) => {
    onClose();
    onEnabled(codes);
  });
  return (
    <Stack>
      <Alert color="teal" icon={<IconCheck />} role="status">
        {text.deviceVerified(<bdi>{name}</bdi>)}
      </Alert>
      {wasOn ? (
        <Group justify="flex-end">
          <Button onClick={onClose} autoFocus>
            {text.done}
          </Button>
        </Group>
      ) : (
        <>
          <Text size="sm">{text.stillOff}</Text>
          {enable.error && <Problem error={enable.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.later}
            </Button>
            <Button loading={enable.isPending} onClick={() => enable.mutate()} autoFocus>
              {text.turnOn}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** The empty margin in cells, which cameras need. */
const MARGIN = 4;

/** A QR code. Always black on white, because many apps read nothing else. */
function QrCode({ value, label }: { value: string; label: string }) {
  const { path, size } = useMemo(() => draw(value), [value]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      shapeRendering="crispEdges"
      style={{ borderRadius: 'var(--mantine-radius-md)', maxWidth: '100%' }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function draw(value: string): { path: string; size: number } {
  const code = qrcode(0, 'M');
  code.addData(value);
  code.make();
  const cells = code.getModuleCount();
  const rows = Array.from({ length: cells }, (_, row) =>
    Array.from({ length: cells }, (_, column) =>
      code.isDark(row, column) ? `M${column + MARGIN} ${row + MARGIN}h1v1h-1z` : '',
    ).join(''),
  );
  return { path: rows.join(''), size: cells + 2 * MARGIN };
}
