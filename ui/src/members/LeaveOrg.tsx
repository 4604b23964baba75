import { Button, Group, Stack, Text } from '@mantine/core';
import { useRouteContext } from '@tanstack/react-router';
import * as text from '#strings/members.tsx';
import { useOrg } from '../app/session.ts';
import { useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { IconLogout2 } from '../icons/icons.ts';

/** Lets the user leave the organization. */
export function LeaveOrg({ isLastOwner }: { isLastOwner: boolean }) {
  const org = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const leave = useConfirmed({
    title: text.leaveName(<bdi>{org.org.name}</bdi>),
    children: (
      <Stack gap="xs">
        <Text size="sm">{text.youLoseAccess}</Text>
        <Text size="sm">{text.yourTokens}</Text>
      </Stack>
    ),
    confirm: text.leave,
    color: 'red',
    mutationFn: () => org.api.post('/members/leave'),
    onSuccess: () => location.assign(site.signInUrl('/orgs')),
  });
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {isLastOwner ? text.onlyOwner : text.yourRole(org.role)}
      </Text>
      {!isLastOwner && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconLogout2 size={16} />}
          loading={leave.isPending}
          onClick={leave.ask}
        >
          {text.leaveOrganization}
        </Button>
      )}
    </Group>
  );
}
