import { Button, Stack, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../components/errors/Problem.tsx';
import { isRefused, type Proof } from './second-factor.ts';

/** For who has neither their app nor their mail. */
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
          description="One of the eight you were given when you switched on MFA. Each works once."
          placeholder="xxxx-xxxx-xxxx-xxxx-xxxx-xxxx"
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          error={failed && 'This is not one of your codes, or it was used before.'}
          errorProps={{ role: 'alert' }}
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          ff="monospace"
        />
        <Button type="submit" loading={proof.isPending || proof.isSuccess} disabled={code.trim() === ''}>
          Log in
        </Button>
      </Stack>
    </form>
  );
}
