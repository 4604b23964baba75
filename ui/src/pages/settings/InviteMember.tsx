import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Schemas, ServiceError } from '../../api.ts';
import { emailProblem } from '../../parts/email.ts';
import { toFields } from '../../parts/form.ts';
import { Problem } from '../../parts/Problem.tsx';
import { ROLE_NAMES, ROLE_RIGHTS } from '../../parts/roles.ts';
import { membersQuery } from '../../queries/members.ts';
import { ROLES, type Role, useOrg } from '../../session.ts';

type Member = Schemas['Member'];

/** A dialog that adds somebody to the organization, and says what happens next. */
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
  const roles = ROLES.filter((role) => role !== 'owner' || org.may('owner'));
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
          label="E-mail"
          type="email"
          required
          // When the dialog opens, and when it is shown again in it.
          data-autofocus
          autoFocus
          autoComplete="off"
          {...form.getInputProps('email')}
        />
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap="xs" mt={6}>
            {roles.map((role) => (
              <Radio key={role} value={role} label={ROLE_NAMES[role]} description={ROLE_RIGHTS[role]} />
            ))}
          </Stack>
        </Radio.Group>
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

/** Without an account one is made, which is called what stands before the @ until its owner is there. */
const isPerhapsNew = ({ name, email }: Member) => name === email.slice(0, email.lastIndexOf('@'));

function Added(props: { member: Member; onAnother: () => void; onClose: () => void }) {
  const { member, onAnother, onClose } = props;
  return (
    <Stack>
      <Alert color="teal" icon={<IconCheck />} role="status">
        <Text size="sm" fw={500}>
          <bdi>{member.name}</bdi> (<bdi>{member.email}</bdi>) is a member now, as{' '}
          {ROLE_NAMES[member.role].toLowerCase()}.
        </Text>
      </Alert>
      <Text size="sm">
        {isPerhapsNew(member)
          ? 'If the address had no account yet, a link to set a password was mailed to it; it works for an hour, and “Forgot password” sends another. Otherwise the organization is in their list already.'
          : 'They have an account: the organization is in their list, and no mail is sent. Tell them, and look whether the name is that of whom you meant.'}
      </Text>
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
