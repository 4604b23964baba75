import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/members.tsx';
import { mayManageRole } from '../../../lib/members/roles.ts';
import type { Schemas } from '../app/api.ts';
import { ROLES, type Role } from '../app/roles.ts';
import { useMailsInLog, useOrg } from '../app/session.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { emailProblem } from '../components/forms/rules.ts';
import { useSend } from '../components/forms/use-send.ts';
import { Loaded } from '../components/Loaded.tsx';
import { IconAlertTriangle, IconCheck, IconMail } from '../icons/icons.ts';
import { projectsQuery } from '../projects/queries.ts';
import {
  type Access,
  AccessChoice,
  assignmentsOf,
  ProjectRoles,
  type RolesByProject,
} from './ProjectRoles.tsx';
import { membersQuery } from './queries.ts';

type Member = Schemas['Member'];

/** A dialog that invites a member and explains what happens next. */
export function InviteMember({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [added, setAdded] = useState<Member>();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setAdded(undefined)}
      title={text.inviteMember}
    >
      {added ? (
        <Added member={added} onAnother={() => setAdded(undefined)} onClose={onClose} />
      ) : (
        <InviteForm onAdded={setAdded} onClose={onClose} />
      )}
    </Modal>
  );
}

function InviteForm({ onAdded, onClose }: { onAdded: (member: Member) => void; onClose: () => void }) {
  const isInLog = useMailsInLog();
  const org = useOrg();
  const queries = useQueryClient();
  const [access, setAccess] = useState<Access>('all');
  const [roles, setRoles] = useState<RolesByProject>(new Map());
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    validate: { email: emailProblem },
  });
  const { role } = form.values;
  // Owners reach all projects.
  const isLimited = access === 'assigned' && role !== 'owner';
  const invite = useSend(form, {
    send: async ({ email, role }) => {
      const limits = isLimited && { project_access: 'assigned' as const, projects: assignmentsOf(roles) };
      return (await org.api.post('/members/invite', { body: { email: email.trim(), role, ...limits } }))
        .result;
    },
    onSent: (member) => {
      onAdded(member);
      return queries.invalidateQueries({ queryKey: membersQuery(org).queryKey });
    },
    errorsOf: ({ code, message }) => (code === 'already_exists' ? { email: message } : undefined),
  });
  return (
    <DialogForm sending={invite} action={text.invite} onCancel={onClose}>
      <TextInput
        label={text.emailAddress}
        description={isInLog ? text.weLogInvitation : text.weMailInvitation}
        type="email"
        required
        withAsterisk={false}
        // When the dialog opens, and when it shows the form again.
        data-autofocus
        autoFocus
        autoComplete="off"
        {...form.getInputProps('email')}
      />
      <RoleChoice {...form.getInputProps('role')} />
      {role !== 'owner' && <AccessChoice value={access} onChange={setAccess} />}
      {isLimited && <AssignedProjects role={role} roles={roles} onChange={setRoles} />}
    </DialogForm>
  );
}

interface AssignedProjectsProps {
  role: Role;
  roles: RolesByProject;
  onChange: (roles: RolesByProject) => void;
}

/** The projects of a limited member. */
function AssignedProjects({ role, roles, onChange }: AssignedProjectsProps) {
  const projects = useQuery(projectsQuery(useOrg()));
  return (
    <Loaded query={projects}>
      {(list) => (
        <ProjectRoles projects={list} ceiling={text.roleNames[role]} roles={roles} onChange={onChange} />
      )}
    </Loaded>
  );
}

/** Explains what happens next, and the risk of an unverified address. */
function Added(props: { member: Member; onAnother: () => void; onClose: () => void }) {
  const { member, onAnother, onClose } = props;
  const { email, role, pending, verified } = member;
  const isInLog = useMailsInLog();
  return (
    <Stack>
      <Alert
        color="teal"
        icon={pending ? <IconMail /> : <IconCheck />}
        role="status"
        styles={{ message: { color: 'var(--mantine-color-text)' } }}
      >
        <Text size="sm" fw={500}>
          {(pending ? text.invited : text.added)(<bdi>{email}</bdi>, role)}
        </Text>
        <Text size="sm">
          {isInLog ? text.invitationInLog : text.invitationMailed}{' '}
          {pending ? text.accessAfterVerification : text.mayLeave}
        </Text>
      </Alert>
      {member.owner_offer_until && <Text size="sm">{text.askedForOwnership}</Text>}
      {!pending && !verified && (
        <Alert
          color="orange"
          icon={<IconAlertTriangle />}
          title={text.addressNotVerified}
          styles={{ message: { color: 'var(--mantine-color-text)' } }}
        >
          <Text size="sm">{text.riskOfAddress}</Text>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onAnother}>
          {text.inviteAnother}
        </Button>
        <Button onClick={onClose} autoFocus>
          {text.done}
        </Button>
      </Group>
    </Stack>
  );
}

/** The roles that the user may give, with their rights. */
export function RoleChoice(props: Omit<React.ComponentProps<typeof Radio.Group>, 'children' | 'label'>) {
  const org = useOrg();
  const roles = ROLES.filter((role) => mayManageRole(org.role, role));
  return (
    <Radio.Group label={text.role} {...props}>
      <Stack gap="xs" mt={6}>
        {roles.map((role) => (
          <Radio key={role} value={role} label={text.roleNames[role]} description={text.roleRights[role]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
