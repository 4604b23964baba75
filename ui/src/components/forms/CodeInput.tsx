import { Input, PinInput } from '@mantine/core';
import { useId } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface Props {
  label: string;
  description?: string;
  value: string;
  onChange: (value: string) => void;
  /** Told once all digits are there. */
  onComplete: (value: string) => void;
  error?: ReactNode;
  /** It is being checked. Nothing can be typed, and the focus stays. */
  busy: boolean;
  /** Whether it takes the focus when it appears. */
  autoFocus?: boolean;
}

/** A field for the six digits of an authenticator app or a mail; takes what is pasted or filled in. */
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
          'aria-label': `Digit ${index + 1} of 6`,
          ...(about && { 'aria-describedby': about }),
        })}
      />
    </Input.Wrapper>
  );
}
