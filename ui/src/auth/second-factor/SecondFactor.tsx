import { Button, Divider, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import * as text from '#strings/auth/second-factor.tsx';
import { api } from '../../app/api.ts';
import { Page } from '../../components/Page.tsx';
import { DeviceCode } from './DeviceCode.tsx';
import { MethodButtons } from './MethodButtons.tsx';
import { RecoveryCode } from './RecoveryCode.tsx';
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

  const others = methods.filter((method) => method !== chosen);
  return (
    <Page title={text.secondStep} description={<bdi>{challenge.email}</bdi>}>
      {chosen === 'recovery' && <RecoveryCode proof={proof} />}
      {chosen && chosen !== 'recovery' && (
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
          methods={others}
          withRecovery={chosen !== 'recovery'}
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

/** Prefers an app. With several addresses the user chooses, and no mail is sent before. */
function firstOf(methods: readonly Method[]): Method | undefined {
  return methods.find(({ type }) => type === 'totp') ?? (methods.length === 1 ? methods[0] : undefined);
}
