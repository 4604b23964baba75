import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { usePasskey } from '#strings/auth/passkeys.tsx';
import * as factor from '#strings/auth/second-factor.tsx';
import { cancel } from '#strings/components.ts';
import * as text from '#strings/shell/step-up.ts';
import { plainApi, type Schemas, ServiceError } from '../app/api.ts';
import { sessionQuery } from '../app/session.ts';
import type { Site } from '../app/site.ts';
import { stepUps } from '../app/step-up.ts';
import { PasskeyButton } from '../auth/PasskeyButton.tsx';
import { MailedCode } from '../auth/second-factor/MailedCode.tsx';
import { MethodButtons } from '../auth/second-factor/MethodButtons.tsx';
import { RecoveryCodeInput } from '../auth/second-factor/RecoveryCodeInput.tsx';
import { isRefused, type Method, methodsHere } from '../auth/second-factor/second-factor.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { CodeInput } from '../components/forms/CodeInput.tsx';
import { PasswordField } from '../components/forms/PasswordField.tsx';
import { startUrl } from '../sso/start-url.ts';

interface Props {
  /** The password that the user has already entered. */
  password: string | undefined;
  site: Site;
  hasMfa: boolean;
  /** The verified devices. */
  devices: Schemas['MfaDevice'][];
}

const isWrong = (error: unknown) => error instanceof ServiceError && error.code === 'invalid_credentials';

/** The form for the password and, if MFA is on, a code. */
export function StepUpForm({ password: typed, site, hasMfa, devices: all }: Props) {
  const session = useQueryClient().getQueryData(sessionQuery.queryKey);
  const email = session?.user?.email;
  const connection = session?.session_connection;
  // A passkey also replaces the password.
  const devices = hasMfa ? all.filter(({ type }) => type !== 'passkey') : [];
  const hasPasskey = methodsHere(all).some(({ type }) => type === 'passkey');
  const [password, setPassword] = useState(typed ?? '');
  const [chosen, choose] = useState<Method | 'recovery' | undefined>(() => firstOf(devices));
  const [code, setCode] = useState('');
  const [attempt, setAttempt] = useState(0);
  const passwordField = useRef<HTMLInputElement>(null);

  const confirm = useMutation({
    mutationFn: (given: string) =>
      plainApi.post('/auth/step-up', { body: { password, ...proofOf(chosen, given) } }),
    onSuccess: () => stepUps.answer(true),
    onError: (error) => {
      if (isWrong(error)) passwordField.current?.select();
      if (!isRefused(error)) return;
      setCode('');
      setAttempt(attempt + 1);
    },
  });
  const isWrongPassword = isWrong(confirm.error);
  const isWrongCode = isRefused(confirm.error);
  const isComplete =
    password !== '' && (!hasMfa || (chosen === 'recovery' ? code.trim() !== '' : code.length === 6));

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) confirm.mutate(code);
      }}
    >
      <Stack>
        {connection && (
          <>
            <Text size="sm">{text.leavesPage}</Text>
            <Button
              component="a"
              variant="default"
              href={site.signInUrl(startUrl({ connection: connection.id, fresh: 'true' }, location.href))}
            >
              {text.signInAgainAt(connection.name)}
            </Button>
            <Divider label={factor.otherMethod} />
          </>
        )}
        {hasPasskey && (
          <>
            <PasskeyButton
              label={usePasskey}
              ask={() => plainApi.post('/auth/step-up/passkey-options')}
              send={(passkey) => plainApi.post('/auth/step-up', { body: { passkey } })}
              onDone={() => stepUps.answer(true)}
            />
            <Divider label={factor.otherMethod} />
          </>
        )}
        <Text size="sm">{hasMfa ? text.enterPasswordAndCode : text.enterPassword}</Text>
        <input type="email" autoComplete="username" value={email ?? ''} readOnly hidden />
        <PasswordField
          label={text.yourPassword}
          ref={passwordField}
          autoFocus={typed === undefined}
          value={password}
          onChange={({ currentTarget }) => {
            setPassword(currentTarget.value);
            confirm.reset();
          }}
          error={isWrongPassword && text.wrongPassword}
          errorProps={{ role: 'alert' }}
        />
        {chosen === 'recovery' ? (
          <RecoveryCodeInput value={code} onChange={setCode} isWrong={isWrongCode} />
        ) : (
          chosen && (
            <>
              {chosen.type === 'email' && (
                <MailedCode
                  method={chosen}
                  purpose="step-up"
                  send={() =>
                    plainApi.post('/auth/step-up/send-email-otp', { body: { device_id: chosen.id } })
                  }
                />
              )}
              <CodeInput
                // A new field after a wrong code: empty and focused.
                key={`${chosen.id} ${attempt}`}
                label={factor.sixDigitCode}
                {...(chosen.type === 'totp' && {
                  description: text.enterCodeOf(chosen.name),
                })}
                value={code}
                onChange={setCode}
                onComplete={(value) => password !== '' && confirm.mutate(value)}
                busy={confirm.isPending}
                autoFocus={attempt > 0 || typed !== undefined}
                error={isWrongCode && factor.wrongRecoveryCode}
              />
            </>
          )
        )}
        {confirm.error && !isWrongPassword && !isWrongCode && <Problem error={confirm.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => stepUps.answer(false)}>
            {cancel}
          </Button>
          <Button type="submit" loading={confirm.isPending} disabled={!isComplete}>
            {text.confirm}
          </Button>
        </Group>
        {hasMfa && (
          <>
            {chosen ? <Divider label={factor.otherMethod} /> : <Text size="sm">{factor.chooseMethod}</Text>}
            <MethodButtons
              methods={devices}
              chosen={chosen}
              disabled={confirm.isPending}
              onChoose={(method) => {
                confirm.reset();
                setCode('');
                choose(method);
              }}
            />
          </>
        )}
      </Stack>
    </form>
  );
}

/** Prefers an app. No mail is sent before the user chooses it. */
const firstOf = (devices: readonly Method[]) => devices.find(({ type }) => type === 'totp');

function proofOf(chosen: Method | 'recovery' | undefined, code: string) {
  if (!chosen) return {};
  return chosen === 'recovery' ? { code, is_recovery: true } : { code, device_id: chosen.id };
}
