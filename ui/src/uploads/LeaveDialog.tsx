import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { Uploads } from './queue.ts';

/** Asks before uploads are canceled. */
export function LeaveDialog(props: { opened: boolean; onStay: () => void; onLeave: () => void }) {
  const { opened, onStay, onLeave } = props;
  return (
    <Modal opened={opened} onClose={onStay} title="Files are being uploaded">
      <Stack>
        <Text size="sm">If you leave this page, uploads that are not complete are canceled.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onLeave}>
            Leave and cancel
          </Button>
          <Button onClick={onStay} data-autofocus>
            Stay on this page
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Asks before the user leaves the page during an upload. */
export function LeaveGuard({ uploads }: { uploads: Uploads }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => uploads.isBusy() && current.pathname !== next.pathname,
    enableBeforeUnload: uploads.isBusy,
    withResolver: true,
  });
  return (
    <LeaveDialog
      opened={status === 'blocked'}
      onStay={() => reset?.()}
      onLeave={() => {
        uploads.cancelAll();
        proceed?.();
      }}
    />
  );
}
