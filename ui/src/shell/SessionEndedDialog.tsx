import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { close } from '#strings/app.ts';
import * as text from '#strings/shell/session-ended.ts';
import type { Site } from '../app/site.ts';

interface Props {
  opened: boolean;
  onClose(): void;
  site: Site;
  state: 'waiting' | 'looking' | 'not yet';
  /** Looks whether the user has signed in again. */
  look(): void;
}

/** Asks the user to sign in again in a second window, so that the input on this page is kept. */
export function SessionEndedDialog({ opened, onClose, site, state, look }: Props) {
  const leave = `/login?return_to=${encodeURIComponent(location.href)}`;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={text.sessionEnded}
      centered
      // Above other dialogs, which keep their input.
      zIndex={1000}
      closeButtonProps={{ 'aria-label': close }}
    >
      <Stack>
        <Text size="sm">{text.signInInNewWindow}</Text>
        <Text size="sm" role="status" c="dimmed">
          {state === 'not yet' && text.notSignedInYet}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="subtle" component="a" href={site.signInUrl(leave)}>
            {text.leavePage}
          </Button>
          <Button variant="default" onClick={look} loading={state === 'looking'}>
            {text.continueHere}
          </Button>
          <Button
            component="a"
            href={site.signInUrl('/login?return_to=/signed-in')}
            target="_blank"
            data-autofocus
          >
            {text.signIn}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
