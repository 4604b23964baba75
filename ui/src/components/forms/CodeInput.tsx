import { Input, PinInput } from '@mantine/core';
import { useId } from '@mantine/hooks';
import type { ReactNode } from 'react';
import * as text from '#strings/components/forms.ts';

interface Props {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
  /** Called when all digits are entered. */
  onComplete: (value: string) => void;
  error?: ReactNode;
  /** The code is being checked. The field is read-only and keeps the focus. */
  busy: boolean;
  /** Whether the field takes the focus when it appears. */
  autoFocus?: boolean;
}

/** A field for the six digits of a code. Users can paste the code. */
export function CodeInput({
  label,
  description,
  value,
  onChange,
  onComplete,
  error,
  busy,
  autoFocus = true,
}: Props) {
  const id = useId();
  const about = [description && `${id}-about`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id: `${id}-label` }}
      description={description}
      descriptionProps={{ id: `${id}-about` }}
      error={error}
      errorProps={{ id: `${id}-error`, role: 'alert' }}
    >
      <PinInput
        aria-labelledby={`${id}-label`}
        mt={6}
        gap="xs"
        length={6}
        type="number"
        autoFocus={autoFocus}
        value={value}
        onChange={onChange}
        onComplete={onComplete}
        error={Boolean(error)}
        readOnly={busy}
        getInputProps={(index) => ({
          'aria-label': text.digitOfCode(index + 1),
          ...(about && { 'aria-describedby': about }),
        })}
      />
    </Input.Wrapper>
  );
}
