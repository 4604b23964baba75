import {
  ActionIcon,
  Avatar,
  Button,
  Card,
  Group,
  Stack,
  Table,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconUserMinus, IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../api.ts';
import { Loaded } from '../../parts/Loaded.tsx';
import { tellDone, tellFailed } from '../../parts/notify.ts';
import { Page } from '../../parts/Page.tsx';
import { ROLE_NAMES, ROLE_RIGHTS } from '../../parts/roles.ts';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { membersQuery } from '../../queries/members.ts';
import { type Role, useMe, useOrg } from '../../session.ts';
import { InviteMember } from './InviteMember.tsx';

type Member = Schemas['Member'];

const COLORS: Record<Role, string> = { owner: 'grape', admin: 'indigo', member: 'teal', viewer: 'gray' };

/** Who belongs to the organization. */
export function Members() {
  const org = useOrg();
  const members = useQuery(membersQuery(org));
  const [opened, { open, close }] = useDisclosure();
  const mayInvite = org.may('admin');
  return (
    <Page
      title="Members"
      description={
        mayInvite
          ? 'Who sees and triages the findings of this organization. To give somebody another role, remove and invite them again.'
          : 'Who sees and triages the findings of this organization. Admins and owners invite and remove members.'
      }
      actions={
        mayInvite && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
            Invite
          </Button>
        )
      }
    >
      <InviteMember opened={opened} onClose={close} />
      <Loaded query={members}>
        {(list) => (
          <Card withBorder p={0}>
            <Table verticalSpacing="sm" horizontalSpacing="md" aria-label="Members">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Member</Table.Th>
                  <Table.Th>Role</Table.Th>
                  {mayInvite && (
                    <Table.Th w={56}>
                      <VisuallyHidden>Actions</VisuallyHidden>
                    </Table.Th>
                  )}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.map((member) => (
                  <MemberRow key={member.user_id} member={member} />
                ))}
              </Table.Tbody>
            </Table>
          </Card>
        )}
      </Loaded>
    </Page>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { may } = useOrg();
  const { user } = useMe();
  const isOwn = member.user_id === user.id;
  const mayRemove = !isOwn && (member.role !== 'owner' || may('owner'));
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Avatar name={member.name} color="indigo" size={34} alt="" visibleFrom="xs" />
          <div style={{ minWidth: 0 }}>
            <Text size="sm" fw={500}>
              <bdi>{member.name}</bdi>
              {isOwn && (
                <Text span size="sm" c="dimmed" fw={400}>
                  {' '}
                  (you)
                </Text>
              )}
            </Text>
            <Text size="xs" c="dimmed">
              <bdi>{member.email}</bdi>
            </Text>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>
        <Tooltip label={ROLE_RIGHTS[member.role]}>
          <div style={{ width: 'fit-content' }}>
            <StateBadge label={ROLE_NAMES[member.role]} color={COLORS[member.role]} />
          </div>
        </Tooltip>
      </Table.Td>
      {may('admin') && <Table.Td>{mayRemove && <RemoveButton member={member} />}</Table.Td>}
    </Table.Tr>
  );
}

function RemoveButton({ member }: { member: Member }) {
  const org = useOrg();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => org.api.delete('/members/{userId}', { params: { path: { userId: member.user_id } } }),
    onSuccess: () => {
      tellDone(`${member.name} was removed.`);
      return queries.invalidateQueries({ queryKey: membersQuery(org).queryKey });
    },
    onError: tellFailed,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: (
        <>
          Remove <bdi>{member.name}</bdi>?
        </>
      ),
      children: (
        <Stack gap="xs">
          <Text size="sm">
            <bdi>{member.email}</bdi> can no longer open <bdi>{org.org.name}</bdi>, from the next click on.
            What they triaged stays.
          </Text>
          <Text size="sm">API tokens they made go on working: revoke those they should not keep.</Text>
        </Stack>
      ),
      labels: { confirm: 'Remove', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(),
    });
  return (
    <Tooltip label="Remove">
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={`Remove ${member.name}`}
        loading={remove.isPending}
        onClick={ask}
      >
        <IconUserMinus size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
