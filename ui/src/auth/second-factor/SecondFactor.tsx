import { Alert, Button, Divider, Group, Stack, Text } from '@mantine/core';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import * as passkeys from '#strings/auth/passkeys.tsx';
import * as text from '#strings/auth/second-factor.tsx';
import { api } from '../../app/api.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { CodeInput } from '../../components/forms/CodeInput.tsx';
import { Page } from '../../components/Page.tsx';
import { PasskeyButton } from '../PasskeyButton.tsx';
import { MailedCode } from './MailedCode.tsx';
import { MethodButtons } from './MethodButtons.tsx';
import { RecoveryCodeInput } from './RecoveryCodeInput.tsx';
import { type Challenge, isRefused, type Method, MFA_MINUTES, type Proof } from './second-factor.ts';

const EXPIRED = text.signInExpired(MFA_MINUTES);

interface Props {
  challenge: Challenge;
  /** Called with the number of recovery codes left, if one was used. */
  onDone: (recoveryCodesLeft: number | undefined) => void;
  /** Returns to the password, with a reason. */
  onBack: (why?: string) => void;
}

/** The second step of a sign-in: authenticator app, mailed code or recovery code. */
export function SecondFactor({ challenge, onDone, onBack }: Props) {
  const { methods, token, until } = challenge;
  const [chosen, choose] = useState<Method | 'recovery' | undefined>(() => firstOf(methods));
  const proof = useMutation({
    mutationFn: async (proof: Proof) =>
      (await api.post('/auth/mfa/validate', { body: { mfa_token: token, ...proof } })).result,
    onSuccess: ({ recovery_codes_remaining }) => onDone(recovery_codes_remaining),
    onError: (error) => isRefused(error) && Date.now() >= until && onBack(EXPIRED),
  });

  useEffect(() => {
    const look = () => Date.now() >= until && onBack(EXPIRED);
    // Timers stop while the computer sleeps.
    document.addEventListener('visibilitychange', look);
    const timer = setTimeout(look, until - Date.now());
    return () => {
      document.removeEventListener('visibilitychange', look);
      clearTimeout(timer);
    };
  }, [until, onBack]);

  return (
    <Page title={text.secondStep} description={<bdi>{challenge.email}</bdi>}>
      {chosen === 'recovery' && <RecoveryCode proof={proof} />}
      {chosen && chosen !== 'recovery' && chosen.type === 'passkey' && (
        <Stack>
          <Text size="sm">{passkeys.confirmOnDevice}</Text>
          <PasskeyButton
            label={passkeys.usePasskey}
            ask={() => api.post('/auth/passkey/options', { body: { mfa_token: token } })}
            send={(credential) =>
              api.post('/auth/passkey/verify', { body: { mfa_token: token, credential } })
            }
            onDone={() => onDone(undefined)}
            onError={(error) => isRefused(error) && Date.now() >= until && onBack(EXPIRED)}
            isMain
          />
        </Stack>
      )}
      {chosen && chosen !== 'recovery' && chosen.type !== 'passkey' && (
        <DeviceCode
          key={chosen.id}
          method={chosen}
          token={token}
          proof={proof}
          onExpired={() => onBack(EXPIRED)}
        />
      )}
      <Stack gap="xs">
        {chosen ? <Divider label={text.otherMethod} /> : <Text size="sm">{text.chooseMethod}</Text>}
        <MethodButtons
          methods={methods}
          chosen={chosen}
          disabled={proof.isPending || proof.isSuccess}
          onChoose={(method) => {
            proof.reset();
            choose(method);
          }}
        />
        <Button variant="subtle" size="compact-sm" onClick={() => onBack()}>
          {text.otherAccount}
        </Button>
      </Stack>
    </Page>
  );
}

/** Prefers a passkey, then an app. With several addresses the user chooses, and no mail is sent before. */
function firstOf(methods: readonly Method[]): Method | undefined {
  const preferred = (['passkey', 'totp'] as const).map((one) => methods.find(({ type }) => type === one));
  return preferred.find(Boolean) ?? (methods.length === 1 ? methods[0] : undefined);
}

interface DeviceCodeProps {
  method: Method;
  token: string;
  proof: UseMutationResult<unknown, Error, Proof>;
  onExpired: () => void;
}

const REFUSED: Record<Exclude<Method['type'], 'passkey'>, string> = {
  totp: text.wrongAppCode,
  email: text.wrongMailedCode,
};

/** The form for a six-digit code from an app or a mail. */
function DeviceCode({ method, token, proof, onExpired }: DeviceCodeProps) {
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
          error={failed && method.type !== 'passkey' ? REFUSED[method.type] : undefined}
        />
        <Button type="submit" loading={busy} disabled={code.length < 6}>
          {text.signIn}
        </Button>
      </Stack>
    </form>
  );
}

/** The form for a recovery code. */
function RecoveryCode({ proof }: { proof: UseMutationResult<unknown, Error, Proof> }) {
  const [code, setCode] = useState('');
  const failed = isRefused(proof.error);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        proof.mutate({ code, is_recovery: true });
      }}
    >
      <Stack>
        {proof.error && !failed && <Problem error={proof.error} />}
        <RecoveryCodeInput value={code} onChange={setCode} isWrong={failed} autoFocus />
        <Button type="submit" loading={proof.isPending || proof.isSuccess} disabled={code.trim() === ''}>
          {text.signIn}
        </Button>
      </Stack>
    </form>
  );
}

/** The number of recovery codes left, after one was used. */
export function RecoveryCodesLeft({ left, onContinue }: { left: number; onContinue: () => void }) {
  const few = left <= 2;
  return (
    <Page title={text.signedIn}>
      <Alert
        role="status"
        color={few ? 'red' : 'yellow'}
        title={left === 0 ? text.lastCodeUsed : text.codesLeft(left)}
      >
        {few ? text.generateNow : text.codeIsUsed}
      </Alert>
      <Group justify="flex-end">
        <Button component="a" href="/profile/mfa" variant="default">
          {text.generateCodes}
        </Button>
        <Button onClick={onContinue} autoFocus>
          {text.continueHere}
        </Button>
      </Group>
    </Page>
  );
}
