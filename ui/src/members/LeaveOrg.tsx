import { Button, Group, Stack, Text } from '@mantine/core';
import { IconLogout2 } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { ROLE_NAMES } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { showError } from '../components/errors/toasts.ts';

/** Lets the user leave the organization. */
export function LeaveOrg({ isLastOwner }: { isLastOwner: boolean }) {
  const org = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const leave = useMutation({
    mutationFn: () => org.api.post('/members/leave'),
    onSuccess: () => location.assign(site.signInUrl('/orgs')),
    onError: showError,
  });
  const ask = () =>
    openConfirm({
      title: (
        <>
          Leave <bdi>{org.org.name}</bdi>?
        </>
      ),
      children: (
        <Stack gap="xs">
          <Text size="sm">You lose access immediately. To return, you need a new invitation.</Text>
          <Text size="sm">API tokens that you created keep working.</Text>
        </Stack>
      ),
      labels: { confirm: 'Leave', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => leave.mutate(),
    });
  const role = ROLE_NAMES[org.role].toLowerCase();
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {isLastOwner
          ? 'You are the only owner. Make another member an owner before you leave.'
          : `Your role in this organization is ${role}.`}
      </Text>
      {!isLastOwner && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconLogout2 size={16} />}
          loading={leave.isPending}
          onClick={ask}
        >
          Leave organization
        </Button>
      )}
    </Group>
  );
}
