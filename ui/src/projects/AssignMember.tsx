import { Select, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/members/project-access.tsx';
import type { Schemas } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { type ProjectRole, useRenewAccess } from '../members/assignments.ts';
import { RoleSelect } from '../members/ProjectRoles.tsx';

interface Props {
  projectId: string;
  /** Members with limited access who are not assigned yet. */
  candidates: readonly Schemas['Member'][];
  onClose(): void;
}

/** Assigns a member to a project. */
export function AssignMember({ projectId, candidates, onClose }: Props) {
  const org = useOrg();
  const renew = useRenewAccess();
  const [userId, setUserId] = useState<string | null>(null);
  const [role, setRole] = useState<ProjectRole>('viewer');
  const member = candidates.find(({ user_id }) => user_id === userId);
  const assign = useMutation({
    mutationFn: ({ user_id }: { user_id: string; name: string }) =>
      org.api.put('/projects/{id}/members/{userId}', {
        params: { path: { id: projectId, userId: user_id } },
        body: { role },
      }),
    onSuccess(_, { user_id, name }) {
      showSuccess(text.roleGiven(name, text.roleNames[role]));
      onClose();
      return renew(user_id);
    },
  });
  return (
    <DialogForm
      sending={{ ...assign, submit: () => member && assign.mutate(member), problem: assign.error }}
      action={text.assign}
      isReady={member !== undefined}
      onCancel={onClose}
    >
      {candidates.length === 0 ? (
        <Text size="sm">{text.nobodyToAssign}</Text>
      ) : (
        <>
          <Select
            label={text.member}
            description={text.whoCanBeAssigned}
            searchable
            selectFirstOptionOnChange
            nothingFoundMessage={text.noMemberFound}
            data={candidates.map(({ user_id, name, email }) => ({
              value: user_id,
              label: text.memberWithEmail(name, email),
            }))}
            value={userId}
            onChange={setUserId}
            data-autofocus
          />
          <RoleSelect label={text.role} value={role} onChange={setRole} />
        </>
      )}
    </DialogForm>
  );
}
