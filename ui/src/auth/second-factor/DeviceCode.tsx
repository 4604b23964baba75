import { Button, Stack, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/auth/second-factor.tsx';
import { api } from '../../app/api.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { CodeInput } from '../../components/forms/CodeInput.tsx';
import { MailedCode } from './MailedCode.tsx';
import { isRefused, type Method, type Proof } from './second-factor.ts';

interface Props {
  method: Method;
  token: string;
  proof: UseMutationResult<unknown, Error, Proof>;
  onExpired: () => void;
}

const REFUSED: Record<Method['type'], string> = {
  totp: text.wrongAppCode,
  email: text.wrongMailedCode,
};

/** The form for a six-digit code from an app or a mail. */
export function DeviceCode({ method, token, proof, onExpired }: Props) {
  const [code, setCode] = useState('');
  const [attempt, setAttempt] = useState(0);
  const failed = isRefused(proof.error);
  const isMail = method.type === 'email';
  const busy = proof.isPending || proof.isSuccess;

  const send = (value: string) =>
    proof.mutate(
      { device_id: method.id, code: value },
      {
        onError(error) {
          if (!isRefused(error)) return;
          setCode('');
          setAttempt((count) => count + 1);
        },
      },
    );

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send(code);
      }}
    >
      <Stack>
        {isMail ? (
          <MailedCode
            method={method}
            purpose={token}
            send={() =>
              api.post('/auth/mfa/send-email-otp', { body: { mfa_token: token, device_id: method.id } })
            }
            onExpired={onExpired}
          />
        ) : (
          <Text size="sm">{text.enterCodeOf(<bdi>{method.name}</bdi>)}</Text>
        )}
        {proof.error && !failed && <Problem error={proof.error} />}
        <CodeInput
          // A new field after a wrong code: empty and focused.
          key={attempt}
          label={text.sixDigitCode}
          value={code}
          onChange={setCode}
          onComplete={send}
          busy={busy}
          error={failed ? REFUSED[method.type] : undefined}
        />
        <Button type="submit" loading={busy} disabled={code.length < 6}>
          {text.signIn}
        </Button>
      </Stack>
    </form>
  );
}
