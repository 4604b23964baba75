import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle, IconCheck, IconMail } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Schemas, ServiceError } from '../app/api.ts';
import { ROLE_NAMES, type Role } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { emailProblem } from '../components/forms/email.ts';
import { toFields } from '../components/forms/to-fields.ts';
import { membersQuery } from './queries.ts';
import { RoleChoice } from './RoleChoice.tsx';

type Member = Schemas['Member'];

/** A dialog that invites a member and explains what happens next. */
export function InviteMember({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [added, setAdded] = useState<Member>();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      onExitTransitionEnd={() => setAdded(undefined)}
      title="Invite a member"
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
  const org = useOrg();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<unknown>();
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    validate: { email: emailProblem },
  });
  const invite = useMutation({
    mutationFn: async ({ email, role }: { email: string; role: Role }) =>
      (await org.api.post('/members/invite', { body: { email: email.trim(), role } })).result,
    onSuccess: (member) => {
      onAdded(member);
      return queries.invalidateQueries({ queryKey: membersQuery(org).queryKey });
    },
    onError: (error) => {
      if (error instanceof ServiceError && error.code === 'already_exists') {
        return form.setFieldError('email', error.message);
      }
      setProblem(toFields(form, error));
    },
  });
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => {
        setProblem(undefined);
        invite.mutate(values);
      })}
    >
      <Stack>
        <TextInput
          label="E-mail address"
          description="We mail an invitation to this address."
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
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Explains what happens next, and the risk of an unverified address. */
function Added(props: { member: Member; onAnother: () => void; onClose: () => void }) {
  const { member, onAnother, onClose } = props;
  const { email, role, pending, verified } = member;
  return (
    <Stack>
      <Alert
        color="teal"
        icon={pending ? <IconMail /> : <IconCheck />}
        role="status"
        styles={{ message: { color: 'var(--mantine-color-text)' } }}
      >
        <Text size="sm" fw={500}>
          <bdi>{email}</bdi>{' '}
          {pending
            ? `was invited with the role “${ROLE_NAMES[role]}”.`
            : `is now a member with the role “${ROLE_NAMES[role]}”.`}
        </Text>
        <Text size="sm">
          {pending
            ? 'We mailed an invitation. They get access when they verify the address.'
            : 'We mailed an invitation. They do not have to accept it and can leave at any time.'}
        </Text>
      </Alert>
      {!pending && !verified && (
        <Alert
          color="orange"
          icon={<IconAlertTriangle />}
          title="This address is not verified yet"
          styles={{
            title: { color: 'var(--mantine-color-text)' },
            message: { color: 'var(--mantine-color-text)' },
          }}
        >
          <Text size="sm">
            If someone else registered an account with this address, that person has access now. The list of
            members shows when the address is verified. If you are not sure, remove the member.
          </Text>
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onAnother}>
          Invite another
        </Button>
        <Button onClick={onClose} autoFocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
