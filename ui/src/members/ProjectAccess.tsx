import { Modal, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/members/project-access.tsx';
import * as memberText from '#strings/members.tsx';
import type { Schemas } from '../app/api.ts';
import { useMe, useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { type Assignments, assignmentsQuery, useRenewAccess } from './assignments.ts';
import {
  type Access,
  AccessChoice,
  assignmentsOf,
  ProjectRoles,
  type RolesByProject,
} from './ProjectRoles.tsx';
import { TheirTokens } from './TheirTokens.tsx';

type Member = Schemas['Member'];

interface Props {
  opened: boolean;
  onClose: () => void;
  member: Member;
}

/** A dialog that chooses the projects that a member reaches, with a role in each. */
export function ProjectAccess({ opened, onClose, member }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.accessOf(<bdi>{member.name}</bdi>)}>
      <Read member={member} onClose={onClose} />
    </Modal>
  );
}

function Read({ member, onClose }: Omit<Props, 'opened'>) {
  const assignments = useQuery(assignmentsQuery(useOrg(), member.user_id));
  return (
    <Loaded query={assignments}>
      {(stored) => <AccessForm member={member} stored={stored} onClose={onClose} />}
    </Loaded>
  );
}

function AccessForm({ member, stored, onClose }: Omit<Props, 'opened'> & { stored: Assignments }) {
  const org = useOrg();
  const { user } = useMe();
  const renew = useRenewAccess();
  const [access, setAccess] = useState<Access>(member.project_access);
  const [roles, setRoles] = useState<RolesByProject>(stored.roles);
  const { user_id: userId } = member;
  const isOwn = userId === user.id;
  const isLimited = access === 'assigned';
  const isNarrowed = isLimited && member.project_access === 'all';
  const save = useMutation({
    mutationFn: () =>
      org.api.patch('/members/{userId}', {
        params: { path: { userId } },
        body: { project_access: access, ...(isLimited && { projects: assignmentsOf(roles) }) },
      }),
    onSuccess: async () => {
      showSuccess(text.saved(member.name));
      onClose();
      await renew(userId);
    },
  });
  return (
    <DialogForm
      sending={{ ...save, submit: save.mutate, problem: save.error }}
      action={text.save}
      isReady={access !== member.project_access || (isLimited && areDifferent(stored.roles, roles))}
      onCancel={onClose}
    >
      <AccessChoice value={access} onChange={setAccess} />
      {isLimited && (
        <ProjectRoles
          projects={stored.projects}
          ceiling={memberText.roleNames[member.role]}
          roles={roles}
          onChange={setRoles}
        />
      )}
      {isNarrowed && <TheirTokens org={org} userId={member.user_id} texts={text.theirTokens} />}
      {isOwn && isNarrowed && (
        <Text size="sm" role="status">
          {text.ownAccess}
        </Text>
      )}
    </DialogForm>
  );
}

const areDifferent = (before: RolesByProject, after: RolesByProject): boolean =>
  before.size !== after.size || [...after].some(([id, role]) => before.get(id) !== role);
