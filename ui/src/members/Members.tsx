import { Alert, Avatar, Button, Card, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouteContext, useRouter } from '@tanstack/react-router';
import * as text from '#strings/members.tsx';
import type { Schemas } from '../app/api.ts';
import { type Role, rolesAllowed } from '../app/roles.ts';
import { sessionQuery, useMailsInLog, useMe, useOrg } from '../app/session.ts';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { Tip } from '../components/floating/Tip.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor, OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { Ago, dateTime } from '../components/time/Time.tsx';
import { IconAlertTriangle, IconLogout2, IconMail, IconUserCog, IconUserPlus } from '../icons/icons.ts';
import { InviteMember } from './InviteMember.tsx';
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
      title={text.members}
      description={
        org.isLimited
          ? text.whoReachesYourProjects
          : mayInvite
            ? text.whoHasAccess
            : text.whoHasAccessAndInvites(rolesAllowed('inviteMember'))
      }
      actions={
        mayInvite && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
            {text.invite}
          </Button>
        )
      }
    >
      <InviteMember opened={opened} onClose={close} />
      <Loaded query={members}>
        {(list) => (
          <>
            <OwnOffer members={list} />
            <OwnAddress members={list} />
            <Unverified members={list} />
            <Card withBorder p={0}>
              <Table verticalSpacing="sm" horizontalSpacing="sm" aria-label={text.members}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{text.member}</Table.Th>
                    <Table.Th>{text.role}</Table.Th>
                    {org.may('updateMember') && (
                      <>
                        <Table.Th visibleFrom="md">{text.mfa}</Table.Th>
                        <Table.Th visibleFrom="md">{text.lastActive}</Table.Th>
                        <Table.Th visibleFrom="md">{text.tokens}</Table.Th>
                      </>
                    )}
                    {org.may('updateMember') && (
                      <Table.Th w={56}>
                        <VisuallyHidden>{text.actions}</VisuallyHidden>
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

/** Asks the user to become an owner. */
function OwnOffer({ members }: { members: Member[] }) {
  const org = useOrg();
  const { user } = useMe();
  const queries = useQueryClient();
  const router = useRouter();
  const renew = async () => {
    await queries.invalidateQueries({ queryKey: membersQuery(org).queryKey });
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    await router.invalidate();
  };
  const accept = useAction({ mutationFn: () => org.api.post('/members/accept-ownership'), onSuccess: renew });
  const decline = useAction({
    mutationFn: () => org.api.post('/members/decline-ownership'),
    onSuccess: renew,
  });
  const until = members.find(({ user_id }) => user_id === user.id)?.owner_offer_until;
  if (!until) return null;
  return (
    <Alert
      color="blue"
      icon={<IconUserCog />}
      title={text.becomeOwner}
      styles={{ message: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="sm">
        {text.becomeOwnerUntil(dateTime(until))}
        <Group gap="xs">
          <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate()}>
            {text.acceptOwnership}
          </Button>
          <Button size="xs" variant="default" loading={decline.isPending} onClick={() => decline.mutate()}>
            {text.declineOwnership}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** Tells the user that their own address is not verified and where to verify it. */
function OwnAddress({ members }: { members: Member[] }) {
  const { user } = useMe();
  const isInLog = useMailsInLog();
  const own = members.find(({ user_id }) => user_id === user.id);
  if (!own || own.verified) return null;
  return (
    <Alert
      color="blue"
      icon={<IconMail />}
      title={text.ownAddress}
      styles={{ message: { color: 'var(--mantine-color-text)' } }}
    >
      {(isInLog ? text.openLoggedLink : text.openMailedLink)(<bdi>{own.email}</bdi>, (label) => (
        <LinkAnchor to="/profile" inherit c="inherit" underline="always">
          {label}
        </LinkAnchor>
      ))}
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
  return (
    <Alert
      color={isPending ? 'gray' : 'orange'}
      icon={isPending ? <IconMail /> : <IconAlertTriangle />}
      title={text.unverifiedMembers(others.length)}
      styles={{ message: { color: 'var(--mantine-color-text)' } }}
    >
      {isPending ? text.noAccessYet : text.accessUnverified}
    </Alert>
  );
}

/** The state of a membership that gives less than its role. */
function Mark({ member: { pending, suspended, verified } }: { member: Member }) {
  if (suspended)
    return (
      <Tip label={text.whatDeactivatedIs}>
        <StateBadge label={text.deactivated} color="gray" />
      </Tip>
    );
  if (verified) return null;
  return pending ? (
    <StateBadge label={text.pending} color="blue" />
  ) : (
    <StateBadge label={text.notVerified} color="orange" />
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
          <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
            <Group gap={4} mb={2}>
              <Text size="sm" fw={500} mr={4}>
                <bdi>{member.name}</bdi>
                {isOwn && (
                  <Text span size="sm" c="dimmed" fw={400}>
                    {' '}
                    {text.you}
                  </Text>
                )}
              </Text>
              <Mark member={member} />
              {member.owner_offer_until && <StateBadge label={text.ownershipOffered} color="grape" />}
              {member.project_access === 'assigned' && (
                <Tip label={text.whatAssignedProjectsAre}>
                  <StateBadge label={text.assignedProjects} color="cyan" />
                </Tip>
              )}
              {member.break_glass && (
                <Tip label={text.whatBreakGlassIs}>
                  <StateBadge label={text.breakGlass} color="gray" />
                </Tip>
              )}
              {member.role_mapped && (
                <Tip label={text.whatByGroupIs}>
                  <StateBadge label={text.byGroup} color="gray" />
                </Tip>
              )}
            </Group>
            <Text size="xs" c="dimmed">
              <bdi>{member.email}</bdi>
              {!member.pending && (
                <Text span inherit visibleFrom="md">
                  {text.separator}
                  <ActivityLink member={member} />
                </Text>
              )}
            </Text>
            <Group gap="0 8px" fz="xs" c="dimmed" hiddenFrom="md">
              {may('updateMember') && (
                <>
                  {member.mfa_enabled !== undefined && (
                    <span>
                      <Mfa member={member} />
                    </span>
                  )}
                  <span>
                    <LastActive member={member} />
                  </span>
                  {member.api_tokens !== undefined && <span>{tokensOf(member)}</span>}
                </>
              )}
              {!member.pending && <ActivityLink member={member} />}
            </Group>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>
        <Tip label={text.roleRights[member.role]}>
          <div style={{ width: 'fit-content' }}>
            <StateBadge label={text.roleNames[member.role]} color={COLORS[member.role]} />
          </div>
        </Tip>
      </Table.Td>
      {may('updateMember') && (
        <>
          {member.mfa_enabled === undefined ? (
            <Table.Td visibleFrom="md" fz="sm" c="dimmed" colSpan={3}>
              {text.notOpened}
            </Table.Td>
          ) : (
            <>
              <Table.Td visibleFrom="md" fz="sm">
                <Mfa member={member} />
              </Table.Td>
              <Table.Td visibleFrom="md" fz="sm">
                <LastActive member={member} />
              </Table.Td>
              <Table.Td visibleFrom="md" fz="sm">
                {tokensOf(member)}
              </Table.Td>
            </>
          )}
          <Table.Td>
            <MemberMenu member={member} />
          </Table.Td>
        </>
      )}
    </Table.Tr>
  );
}

const ActivityLink = ({ member: { user_id, name } }: { member: Member }) => (
  <OrgAnchor
    to="/o/$org/activity"
    search={{ actor: user_id }}
    inherit
    underline="always"
    aria-label={text.activityOf(name)}
  >
    {text.activity}
  </OrgAnchor>
);

/** Whether the account has a second factor. */
const Mfa = ({ member: { mfa_enabled } }: { member: Member }) =>
  mfa_enabled ? (
    text.hasMfa
  ) : (
    <Text span inherit c="var(--mantine-color-error)">
      {text.hasNoMfa}
    </Text>
  );

const LastActive = ({ member: { last_active_at } }: { member: Member }) =>
  last_active_at === undefined ? text.neverActive : <Ago time={last_active_at} />;

const tokensOf = ({ api_tokens = 0, personal_tokens = 0 }: Member) =>
  text.tokensOf(api_tokens, personal_tokens);

/** Lets the user leave the organization. */
function LeaveOrg({ isLastOwner }: { isLastOwner: boolean }) {
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
