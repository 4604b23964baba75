import { Button, Divider, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../app/api.ts';
import { Page } from '../../components/Page.tsx';
import { DeviceCode } from './DeviceCode.tsx';
import { MethodButtons } from './MethodButtons.tsx';
import { RecoveryCode } from './RecoveryCode.tsx';
import { type Challenge, isRefused, type Method, MFA_MINUTES, type Proof } from './second-factor.ts';

const EXPIRED = `The second step has to be taken within ${MFA_MINUTES} minutes. Enter your password again.`;

interface Props {
  challenge: Challenge;
  /** Told of the codes that are left when a recovery code was used. */
  onDone: (recoveryCodesLeft: number | undefined) => void;
  /** Back to the password, with a word why. */
  onBack: (why?: string) => void;
}

/** The second step of a login: by an authenticator app, a mailed code, or a recovery code. */
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
    // A computer that slept has not counted.
    document.addEventListener('visibilitychange', look);
    const timer = setTimeout(look, until - Date.now());
    return () => {
      document.removeEventListener('visibilitychange', look);
      clearTimeout(timer);
    };
  }, [until, onBack]);

  const others = methods.filter((method) => method !== chosen);
  return (
    <Page title="Second step" description={<bdi>{challenge.email}</bdi>}>
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
        {chosen ? <Divider label="Another way" /> : <Text size="sm">Where should the code come from?</Text>}
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
          Use another account
        </Button>
      </Stack>
    </Page>
  );
}

/** An app is at hand; a mail is not sent to one of several addresses unasked. */
function firstOf(methods: readonly Method[]): Method | undefined {
  return methods.find(({ type }) => type === 'totp') ?? (methods.length === 1 ? methods[0] : undefined);
}
