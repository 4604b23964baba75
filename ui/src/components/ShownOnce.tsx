import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import * as text from '#strings/components.ts';
import { IconEyeOff } from '../icons/icons.ts';

interface Props {
  /** Tells that the secret is shown only once, and where to store it. */
  warning: ReactNode;
  /** The label of the checkbox that allows to close the dialog. */
  saved: string;
  onClose: () => void;
  children: ReactNode;
}

/** Properties of a dialog with {@link ShownOnce}: clicks outside and Escape do not close it. */
export const KEPT_OPEN = { withCloseButton: false, closeOnClickOutside: false, closeOnEscape: false };

/** A secret that is shown only once. Navigation is blocked until the user confirms. */
export function ShownOnce({ warning, saved, onClose, children }: Props) {
  const [isSaved, setSaved] = useState(false);
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: () => !isSaved, disabled: isSaved });
  const alert = useRef<HTMLDivElement>(null);
  // The form that had the focus is gone.
  useEffect(() => alert.current?.focus(), []);
  return (
    <Stack>
      <Alert ref={alert} tabIndex={-1} color="yellow" icon={<IconEyeOff />} style={{ outline: 'none' }}>
        {warning}
      </Alert>
      {children}
      <Group justify="space-between">
        <Checkbox
          label={saved}
          checked={isSaved}
          onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
        />
        <Button onClick={onClose} disabled={!isSaved}>
          {text.done}
        </Button>
      </Group>
    </Stack>
  );
}
