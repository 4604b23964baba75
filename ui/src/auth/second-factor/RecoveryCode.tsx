import { Button, Stack, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/auth/second-factor.tsx';
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
          label={text.recoveryCode}
          description={text.whichRecoveryCode}
          placeholder={text.formOfRecoveryCode}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          error={failed && text.wrongRecoveryCode}
          errorProps={{ role: 'alert' }}
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <Button type="submit" loading={proof.isPending || proof.isSuccess} disabled={code.trim() === ''}>
          {text.signIn}
        </Button>
      </Stack>
    </form>
  );
}
