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
import {
  type Assignments,
  assignmentsQuery,
  PROJECT_ROLES,
  readRoles,
  useRenewAccess,
} from './assignments.ts';
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
    async mutationFn() {
      const params = { path: { userId } };
      // Others may have assigned the member meanwhile: only what this user has changed is changed.
      const present = isLimited ? await readRoles(org, userId) : undefined;
      const projects = present && assignmentsOf(merged(present, stored.roles, roles));
      await org.api.patch('/members/{userId}', {
        params,
        body: {
          ...(access !== member.project_access && { project_access: access }),
          ...(projects && { projects }),
        },
      });
    },
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
      {(isNarrowed || (isLimited && isLowered(stored.roles, roles))) && (
        <TheirTokens org={org} userId={member.user_id} texts={text.theirTokens} />
      )}
      {isOwn && isNarrowed && (
        <Text size="sm" role="status">
          {text.ownAccess}
        </Text>
      )}
    </DialogForm>
  );
}

/** The roles of now with the differences between two others. */
function merged(now: RolesByProject, before: RolesByProject, after: RolesByProject): RolesByProject {
  const result = new Map(now);
  for (const id of before.keys()) if (!after.has(id)) result.delete(id);
  for (const [id, role] of after) if (before.get(id) !== role) result.set(id, role);
  return result;
}

/** Whether a role is removed or becomes lower. */
const isLowered = (before: RolesByProject, after: RolesByProject): boolean =>
  [...before].some(([id, role]) => {
    const now = after.get(id);
    return now === undefined || PROJECT_ROLES.indexOf(now) < PROJECT_ROLES.indexOf(role);
  });

const areDifferent = (before: RolesByProject, after: RolesByProject): boolean =>
  before.size !== after.size || [...after].some(([id, role]) => before.get(id) !== role);
