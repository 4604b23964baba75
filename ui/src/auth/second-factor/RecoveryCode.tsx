import { Button, Stack, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../components/errors/Problem.tsx';
import { isRefused, type Proof } from './second-factor.ts';

/** The form for a recovery code. */
export function RecoveryCode({ proof }: { proof: UseMutationResult<unknown, Error, Proof> }) {
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
        <TextInput
          label="Recovery code"
          description="One of the eight codes that you received when you turned on MFA. Each code works once."
          placeholder="xxxx-xxxx-xxxx-xxxx-xxxx-xxxx"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          error={failed && 'The code is wrong or was already used.'}
          errorProps={{ role: 'alert' }}
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <Button type="submit" loading={proof.isPending || proof.isSuccess} disabled={code.trim() === ''}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
