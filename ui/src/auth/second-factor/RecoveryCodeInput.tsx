import { TextInput } from '@mantine/core';
import * as text from '#strings/auth/second-factor.tsx';

interface Props {
  value: string;
  onChange(value: string): void;
  isWrong: boolean;
  autoFocus?: boolean;
}

/** A field for a recovery code. */
export const RecoveryCodeInput = ({ value, onChange, isWrong, autoFocus = false }: Props) => (
  <TextInput
    label={text.recoveryCode}
    description={text.whichRecoveryCode}
    placeholder={text.formOfRecoveryCode}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    error={isWrong && text.wrongRecoveryCode}
    errorProps={{ role: 'alert' }}
    autoFocus={autoFocus}
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={100}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
  />
);
