import { ActionIcon, Button, Card, Group, Modal, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import * as text from '#strings/members/project-access.tsx';
import * as memberText from '#strings/members.tsx';
import type { Schemas } from '../app/api.ts';
import { ROLES } from '../app/roles.ts';
import { useMe, useOrg } from '../app/session.ts';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { Empty } from '../components/Empty.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { Tip } from '../components/floating/Tip.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { SectionHead } from '../components/SectionHead.tsx';
import { IconUserMinus, IconUserPlus, IconUsers } from '../icons/icons.ts';
import { type ProjectRole, projectMembersQuery, useRenewAccess } from '../members/assignments.ts';
import { RoleSelect } from '../members/ProjectRoles.tsx';
import { membersQuery } from '../members/queries.ts';
import { TokensNote } from '../members/TheirTokens.tsx';
import { AssignMember } from './AssignMember.tsx';

type Project = Schemas['Project'];
type Member = Schemas['Member'];

/** The members who are assigned to a project, for its admins, who change that here. */
export function People({ project }: { project: Project }) {
  return useOrg().may('setProjectMember', project) ? <Assigned project={project} /> : null;
}

function Assigned({ project }: { project: Project }) {
  const org = useOrg();
  const members = useQuery(membersQuery(org));
  const assigned = useQuery(projectMembersQuery(org, project.id));
  const [opened, { open, close }] = useDisclosure();
  const assign = useRef<HTMLButtonElement>(null);
  // The assignments of members who reach all projects have no effect.
  const limited = members.data?.filter(({ project_access: access }) => access === 'assigned') ?? [];
  const roles = new Map(assigned.data?.map(({ user_id, role }) => [user_id, role]));
  return (
    <Card withBorder component="section" aria-labelledby="people">
      <Stack>
        <Group justify="space-between">
          <SectionHead
            title={text.assignments}
            description={text.whatAssignmentsAre}
            id="people"
            flex="1 1 20rem"
          />
          <Button
            ref={assign}
            size="sm"
            variant="default"
            leftSection={<IconUserPlus size={16} />}
            onClick={open}
            aria-haspopup="dialog"
          >
            {text.assignMember}
          </Button>
        </Group>
        <Loaded query={members}>
          {() => (
            <Loaded query={assigned}>
              {() => (
                <PeopleTable
                  project={project}
                  people={limited.flatMap((member) => {
                    const given = roles.get(member.user_id);
                    return given ? [{ member, given }] : [];
                  })}
                  onFocusLost={() => assign.current?.focus()}
                />
              )}
            </Loaded>
          )}
        </Loaded>
        <Modal opened={opened} onClose={close} title={text.assignMember}>
          <AssignMember
            projectId={project.id}
            candidates={limited.filter(({ user_id }) => !roles.has(user_id))}
            onClose={close}
          />
        </Modal>
      </Stack>
    </Card>
  );
}

interface Person {
  member: Member;
  /** The role in the project, which the role in the organization limits. */
  given: ProjectRole;
}

interface PeopleTableProps {
  project: Project;
  people: readonly Person[];
  /** Called after a row with the focus has disappeared. */
  onFocusLost(): void;
}

function PeopleTable({ project, people, onFocusLost }: PeopleTableProps) {
  const before = useRef(people.length);
  useEffect(() => {
    if (people.length < before.current && document.activeElement === document.body) onFocusLost();
    before.current = people.length;
  });
  if (people.length === 0)
    return (
      <Empty icon={<IconUsers />} title={text.nobodyAssigned}>
        {text.whereAccessIsLimited((label) => (
          <OrgAnchor to="/o/$org/members" inherit underline="always">
            {label}
          </OrgAnchor>
        ))}
      </Empty>
    );
  return (
    <Table verticalSpacing="xs" aria-label={text.assignments}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.member}</Table.Th>
          <Table.Th w="8rem">{text.role}</Table.Th>
          <Table.Th w={48}>
            <VisuallyHidden>{memberText.actions}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {people.map((person) => (
          <PersonRow key={person.member.user_id} {...person} project={project} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function PersonRow({ member, given, project }: Person & Pick<PeopleTableProps, 'project'>) {
  const { user_id: userId, name, role } = member;
  const org = useOrg();
  const isOwn = useMe().user.id === userId;
  const navigate = useNavigate();
  const renew = useRenewAccess();
  const params = { path: { id: project.id, userId } };
  /** Gives another role; without one, the member is removed. */
  const change = useAction<unknown, ProjectRole | undefined>({
    mutationFn: (next) =>
      next
        ? org.api.put('/projects/{id}/members/{userId}', { params, body: { role: next } })
        : org.api.delete('/projects/{id}/members/{userId}', { params }),
    async onSuccess(_, next) {
      showSuccess(next ? text.roleGiven(name, text.roleNames[next]) : text.isRemoved(name));
      // The user no longer reaches this page.
      if (isOwn && !next)
        await navigate({ to: '/o/$org/projects', params: { org: org.slug }, replace: true });
      await renew(userId);
    },
  });
  /** Asks first where the member loses rights. */
  const choose = (next: ProjectRole | undefined) => {
    if (next && ROLES.indexOf(next) < ROLES.indexOf(given)) return change.mutate(next);
    openConfirm({
      title: next
        ? text.lowerRole(<bdi>{name}</bdi>, text.roleNames[next])
        : text.removePerson(<bdi>{name}</bdi>),
      children: (
        <Stack gap="xs">
          {isOwn && <Text size="sm">{text.ownAccess}</Text>}
          <TokensNote org={org} texts={text.tokensOfPerson} />
        </Stack>
      ),
      confirm: next ? memberText.changeRole : memberText.remove,
      ...(!next && { color: 'red' }),
      onConfirm: () => change.mutate(next),
    });
  };
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm" fw={500}>
          <bdi>{name}</bdi>
          {isOwn && (
            <Text span inherit c="dimmed" fw={400}>
              {' '}
              {memberText.you}
            </Text>
          )}
        </Text>
        {ROLES.indexOf(role) > ROLES.indexOf(given) && (
          <Text size="xs" c="dimmed">
            {text.ceiling(memberText.roleNames[role])}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <RoleSelect
          size="xs"
          aria-label={text.roleOf(name)}
          value={(change.isPending && change.variables) || given}
          onChange={choose}
        />
      </Table.Td>
      <Table.Td>
        <Tip label={memberText.remove}>
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={text.removeName(name)}
            aria-haspopup="dialog"
            loading={change.isPending && !change.variables}
            onClick={() => choose(undefined)}
          >
            <IconUserMinus size={16} />
          </ActionIcon>
        </Tip>
      </Table.Td>
    </Table.Tr>
  );
}
