import { Alert, Button, Checkbox, Group, Modal, Stack } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

interface Props {
  title: string;
  /** Says that it cannot be seen again, and what to do with it. */
  warning: ReactNode;
  /** What one has to agree to before it can be closed. */
  saved: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog with a secret that is shown this once: neither a stray click or key nor a link closes it. */
export function ShownOnce({ title, warning, saved, onClose, children }: Props) {
  const [isSaved, setSaved] = useState(false);
  useBlocker({ shouldBlockFn: () => true, enableBeforeUnload: () => !isSaved, disabled: isSaved });
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow" icon={<IconEyeOff />}>
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
    </Modal>
  );
}
