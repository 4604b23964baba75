import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import * as text from '#strings/components.ts';
import { Problem } from '../errors/Problem.tsx';

interface Props {
  /** The result of `useSend`, or the same fields of another mutation. */
  sending: { submit(): void; problem: unknown; isPending: boolean };
  /** The label of the button that sends the form. */
  action: string;
  color?: string | undefined;
  isReady?: boolean;
  onCancel(): void;
  children: ReactNode;
}

/** The form of a dialog: its fields, its error and its buttons. */
export function DialogForm({ sending, action, color, isReady = true, onCancel, children }: Props) {
  const { submit, problem, isPending } = sending;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        {children}
        {problem != null && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={isPending} disabled={!isReady} {...(color && { color })}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
