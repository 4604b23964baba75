import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import * as text from '#strings/uploads.tsx';
import type { Uploads } from './queue.ts';

/** Asks before uploads are canceled. */
export function LeaveDialog(props: { opened: boolean; onStay: () => void; onLeave: () => void }) {
  const { opened, onStay, onLeave } = props;
  return (
    <Modal opened={opened} onClose={onStay} title={text.filesBeingUploaded}>
      <Stack>
        <Text size="sm">{text.leavingCancels}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onLeave}>
            {text.leave}
          </Button>
          <Button onClick={onStay} data-autofocus>
            {text.stay}
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
