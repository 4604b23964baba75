import { Alert, Avatar, Button, Card, Group, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconMail, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import { ROLE_NAMES, ROLE_RIGHTS, type Role, rolesAllowed } from '../app/roles.ts';
import { useMe, useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { InviteMember } from './InviteMember.tsx';
import { LeaveOrg } from './LeaveOrg.tsx';
import { MemberMenu } from './MemberMenu.tsx';
import { membersQuery } from './queries.ts';

type Member = Schemas['Member'];

const COLORS: Record<Role, string> = { owner: 'grape', admin: 'indigo', member: 'teal', viewer: 'gray' };

/** The members of the organization. */
export function Members() {
  const org = useOrg();
  const members = useQuery(membersQuery(org));
  const [opened, { open, close }] = useDisclosure();
  const mayInvite = org.may('inviteMember');
  return (
    <Page
      title="Members"
      description={
        mayInvite
          ? 'People with access to this organization.'
          : `People with access to this organization. Only ${rolesAllowed('inviteMember')} can invite members.`
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
          <>
            <OwnAddress members={list} />
            <Unverified members={list} />
            <Card withBorder p={0}>
              <Table verticalSpacing="sm" horizontalSpacing="md" aria-label="Members">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Member</Table.Th>
                    <Table.Th>Role</Table.Th>
                    {org.may('updateMember') && (
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
            <LeaveOrg
              isLastOwner={
                org.role === 'owner' &&
                list.filter(({ role, pending }) => role === 'owner' && !pending).length === 1
              }
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Tells the user that their own address is not verified and where to verify it. */
function OwnAddress({ members }: { members: Member[] }) {
  const { user } = useMe();
  const own = members.find(({ user_id }) => user_id === user.id);
  if (!own || own.verified) return null;
  return (
    <Alert
      color="blue"
      icon={<IconMail />}
      title="Your address is not verified"
      styles={{
        title: { color: 'var(--mantine-color-text)' },
        message: { color: 'var(--mantine-color-text)' },
      }}
    >
      Open the link that we mailed to <bdi>{own.email}</bdi>, or{' '}
      <LinkAnchor to="/profile" inherit c="inherit" underline="always">
        request another link in your profile
      </LinkAnchor>
      . Until then, other members see you as “Not verified”.
    </Alert>
  );
}

/** Explains unverified addresses to members who can act on them. */
function Unverified({ members }: { members: Member[] }) {
  const { may } = useOrg();
  const { user } = useMe();
  const others = members.filter(({ user_id, verified }) => !verified && user_id !== user.id);
  if (others.length === 0 || !may('resendInvitation')) return null;
  const isPending = others.every(({ pending }) => pending);
  const count = others.length === 1 ? '1 member has' : `${others.length} members have`;
  return (
    <Alert
      color={isPending ? 'gray' : 'orange'}
      icon={isPending ? <IconMail /> : <IconAlertTriangle />}
      title={`${count} not verified their address`}
      styles={{
        title: { color: 'var(--mantine-color-text)' },
        message: { color: 'var(--mantine-color-text)' },
      }}
    >
      {isPending
        ? 'They have no access until they do. “Resend invitation” mails them another link.'
        : 'They have access even if someone else registered the address. “Resend invitation” mails a link to the owner of the address. Remove members you do not know.'}
    </Alert>
  );
}

/** The state of an invitation. */
function Mark({ member: { pending, verified } }: { member: Member }) {
  if (verified) return null;
  return pending ? (
    <StateBadge label="Pending" color="blue" />
  ) : (
    <StateBadge label="Not verified" color="orange" />
  );
}

function MemberRow({ member }: { member: Member }) {
  const { may } = useOrg();
  const { user } = useMe();
  const isOwn = member.user_id === user.id;
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Avatar name={member.name} color="indigo" size={34} alt="" visibleFrom="xs" />
          <div style={{ minWidth: 0 }}>
            <Group gap={4} mb={2}>
              <Text size="sm" fw={500} mr={4}>
                <bdi>{member.name}</bdi>
                {isOwn && (
                  <Text span size="sm" c="dimmed" fw={400}>
                    {' '}
                    (you)
                  </Text>
                )}
              </Text>
              <Mark member={member} />
            </Group>
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
      {may('updateMember') && (
        <Table.Td>
          <MemberMenu member={member} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}
