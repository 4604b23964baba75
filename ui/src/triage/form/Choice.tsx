import { Box, Group, Input, Text } from '@mantine/core';
import { useId } from 'react';
import { KeyButton } from '../../components/keyboard/KeyButton.tsx';

interface Props<Value extends string> {
  label: string;
  options: readonly { value: Value; label: string; hotkey?: string }[];
  value: Value | undefined;
  onChoose(value: Value): void;
  hint?: string | undefined;
  error?: string | undefined;
  /** Whether the dialog gives the focus to the chosen or first option. */
  autoFocus?: boolean;
}

/** A choice among few values, each a button with its key. */
export function Choice<Value extends string>(props: Props<Value>) {
  const { label, options, value, onChoose, hint, error, autoFocus } = props;
  const id = useId();
  const focused = options.some((one) => one.value === value) ? value : options[0]?.value;
  return (
    <Box role="group" aria-labelledby={id} aria-describedby={error ? `${id}-error` : undefined}>
      <Input.Label id={id} labelElement="div" mb={4}>
        {label}
      </Input.Label>
      <Group gap={6}>
        {options.map((one) => (
          <KeyButton
            key={one.value}
            hotkey={one.hotkey}
            fw={500}
            variant={one.value === value ? 'filled' : 'default'}
            aria-pressed={one.value === value}
            onClick={() => onChoose(one.value)}
            data-autofocus={(autoFocus && one.value === focused) || undefined}
          >
            {one.label}
          </KeyButton>
        ))}
      </Group>
      {hint && (
        <Text size="xs" c="dimmed" mt={4}>
          {hint}
        </Text>
      )}
      {error && (
        <Input.Error id={`${id}-error`} role="alert" mt={4}>
          {error}
        </Input.Error>
      )}
    </Box>
  );
}
