import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { IconFingerprint } from '../icons/icons.ts';
import { answerWithPasskey, PasskeyProblem } from './passkeys.ts';

interface Props {
  label: string;
  /** Asks the service for the options. */
  ask(): Promise<{ result: { options: Schemas['PasskeyRequestOptions'] } }>;
  send(credential: Schemas['PasskeyAssertion']): Promise<unknown>;
  onDone(): void;
  onError?: (error: Error) => void;
  isMain?: boolean;
}

/** Signs in, or confirms the identity, with a passkey. */
export function PasskeyButton({ label, ask, send, onDone, onError, isMain = false }: Props) {
  const proof = useMutation({
    mutationFn: async () => send(await answerWithPasskey((await ask()).result.options)),
    onSuccess: onDone,
    ...(onError && { onError }),
  });
  return (
    <>
      {proof.error && <PasskeyError error={proof.error} />}
      <Button
        variant={isMain ? 'filled' : 'default'}
        leftSection={<IconFingerprint size={18} aria-hidden />}
        loading={proof.isPending || proof.isSuccess}
        onClick={() => proof.mutate()}
        fullWidth
      >
        {label}
      </Button>
    </>
  );
}

/** Tells why a passkey was not used. */
export const PasskeyError = ({ error }: { error: Error }) =>
  error instanceof PasskeyProblem ? (
    <Alert role="alert" color="yellow">
      {error.message}
    </Alert>
  ) : (
    <Problem error={error} />
  );
