import { Modal, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/members/project-access.tsx';
import * as memberText from '#strings/members.tsx';
import { type Schemas, ServiceError } from '../app/api.ts';
import { sessionQuery, useMe, useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { type Access, AccessChoice, ProjectRoles, type RolesByProject } from './ProjectRoles.tsx';
import { type Assignments, assignmentsQuery, membersQuery, projectMembersKey } from './queries.ts';
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
  const queries = useQueryClient();
  const router = useRouter();
  const [access, setAccess] = useState<Access>(member.project_access);
  const [roles, setRoles] = useState<RolesByProject>(stored.roles);
  /** The roles that the service has. After a failure, saving again sends the rest. */
  const [sent] = useState(() => new Map(stored.roles));
  const isOwn = member.user_id === user.id;
  const isNarrowed = access === 'assigned' && member.project_access === 'all';
  const changes = access === 'all' ? [] : changesOf(sent, roles);
  const save = useMutation({
    async mutationFn() {
      const { user_id: userId } = member;
      // Before the access is narrowed, so that the member reaches the projects all the time. New roles come before removals.
      for (const { id, role } of changes) {
        const params = { path: { id, userId } };
        if (role) await org.api.put('/projects/{id}/members/{userId}', { params, body: { role } });
        else await org.api.delete('/projects/{id}/members/{userId}', { params }).catch(ignoreMissing);
        if (role) sent.set(id, role);
        else sent.delete(id);
      }
      if (access === member.project_access) return;
      const params = { path: { userId } };
      await org.api.patch('/members/{userId}', { params, body: { project_access: access } });
    },
    onSuccess: async () => {
      showSuccess(text.saved(member.name));
      onClose();
      if (!isOwn) return;
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      await router.invalidate();
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: membersQuery(org).queryKey }),
        // Not the one of this form, which knows what it has sent.
        queries.invalidateQueries({ queryKey: projectMembersKey(org) }),
      ]),
  });
  return (
    <DialogForm
      sending={{ ...save, submit: save.mutate, problem: save.error }}
      action={text.save}
      isReady={access !== member.project_access || changes.length > 0}
      onCancel={onClose}
    >
      <AccessChoice value={access} onChange={setAccess} />
      {access === 'assigned' && (
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

/** The assignment, the project or the member is gone already. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ServiceError && error.status === 404)) throw error;
}

/** The differences between roles. New and changed ones come first. */
function changesOf(from: RolesByProject, to: RolesByProject) {
  const set = [...to].filter(([id, role]) => from.get(id) !== role).map(([id, role]) => ({ id, role }));
  const removed = [...from.keys()].filter((id) => !to.has(id)).map((id) => ({ id, role: undefined }));
  return [...set, ...removed];
}
