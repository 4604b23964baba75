import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';

interface Props {
  /** Says that it cannot be seen again, and what to do with it. */
  warning: ReactNode;
  /** What one has to agree to before it can be closed. */
  saved: string;
  onClose: () => void;
  children: ReactNode;
}

/** Of a dialog with something that is {@link ShownOnce}: neither a stray click nor a key closes it. */
export const KEPT_OPEN = { withCloseButton: false, closeOnClickOutside: false, closeOnEscape: false };

/** A secret that is shown this once: neither a link nor the browser's buttons lead away from it unasked. */
export function ShownOnce({ warning, saved, onClose, children }: Props) {
  const [isSaved, setSaved] = useState(false);
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: () => !isSaved, disabled: isSaved });
  const alert = useRef<HTMLDivElement>(null);
  // What was filled in before it, and had the focus, is gone.
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
          Done
        </Button>
      </Group>
    </Stack>
  );
}
