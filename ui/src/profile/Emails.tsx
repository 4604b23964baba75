import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, ServiceError } from '../app/api.ts';
import { openConfirm } from '../components/dialogs/confirm.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showError, showSuccess } from '../components/errors/toasts.ts';
import { emailProblem } from '../components/forms/email.ts';
import { toFields } from '../components/forms/to-fields.ts';
import { Loaded } from '../components/Loaded.tsx';
import { Row, Rows } from '../components/Rows.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { emailsQuery } from './queries.ts';
import { useRefreshUser } from './use-refresh-user.ts';

type Email = Schemas['UserEmail'];

/** The e-mail addresses of the user. */
export function Emails() {
  const emails = useQuery(emailsQuery);
  return (
    <Stack>
      <div>
        <Title order={2}>E-mails</Title>
        <Text size="sm" c="dimmed">
          You can sign in with every verified address. Mails about your account are sent to the primary
          address.
        </Text>
      </div>
      <Loaded query={emails}>
        {(list) => (
          <Rows label="E-mails">
            {list.map((email) => (
              <EmailRow key={email.id} email={email} />
            ))}
          </Rows>
        )}
      </Loaded>
      <AddEmail />
    </Stack>
  );
}

function EmailRow({ email }: { email: Email }) {
  const { id } = email;
  const renew = useRefreshUser();
  const path = { params: { path: { id } } };
  const said = (message: string) => {
    showSuccess(message);
    return renew();
  };
  const resend = useMutation({
    mutationFn: () => api.post('/profile/emails/{id}/send-verification', path),
    onSuccess: () => said(`Verification link sent to ${email.email}.`),
    onError: showError,
  });
  const makePrimary = useMutation({
    mutationFn: () => api.post('/profile/emails/{id}/set-primary', path),
    onSuccess: () => said(`${email.email} is now your primary address.`),
    onError: showError,
  });
  const remove = useMutation({
    mutationFn: () => api.delete('/profile/emails/{id}', path),
    onSuccess: () => said(`${email.email} was removed.`),
    onError: showError,
  });
  const ask = () =>
    openConfirm({
      title: 'Remove this address?',
      children: (
        <Text size="sm">
          You can no longer sign in with <bdi>{email.email}</bdi>, and another account can add it.
        </Text>
      ),
      labels: { confirm: 'Remove', cancel: 'Cancel' },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(),
    });
  const actions = (
    <>
      {!email.verified && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Send mail again to ${email.email}`}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          Send mail again
        </Button>
      )}
      {email.verified && !email.is_primary && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Make primary: ${email.email}`}
          loading={makePrimary.isPending}
          onClick={() => makePrimary.mutate()}
        >
          Make primary
        </Button>
      )}
      {!email.is_primary && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`Remove ${email.email}`}
          loading={remove.isPending}
          onClick={ask}
        >
          Remove
        </Button>
      )}
    </>
  );
  return (
    <Row actions={!email.is_primary || !email.verified ? actions : undefined}>
      <Group gap="xs">
        <Text size="sm" fw={500}>
          <bdi>{email.email}</bdi>
        </Text>
        {email.is_primary && <StateBadge label="Primary" color="indigo" />}
        {email.verified ? (
          <StateBadge label="Verified" color="green" />
        ) : (
          <StateBadge label="Not verified" color="orange" />
        )}
      </Group>
    </Row>
  );
}

function AddEmail() {
  const queries = useQueryClient();
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: emailProblem },
  });
  const add = useMutation({
    mutationFn: async (email: string) => (await api.post('/profile/emails', { body: { email } })).result,
    onSuccess: ({ email }) => {
      form.reset();
      showSuccess(`Verification link sent to ${email}. It expires after 24 hours.`);
      return queries.invalidateQueries({ queryKey: emailsQuery.queryKey });
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
      onSubmit={form.onSubmit(({ email }) => {
        setProblem(undefined);
        add.mutate(email.trim());
      })}
    >
      <Stack gap="sm">
        <Group align="flex-start" gap="xs">
          <TextInput
            label="Add an address"
            type="email"
            autoComplete="email"
            style={{ flex: '1 1 14rem' }}
            maw={360}
            {...form.getInputProps('email')}
          />
          <Button type="submit" mt={25} loading={add.isPending}>
            Add
          </Button>
        </Group>
        {problem !== undefined && <Problem error={problem} />}
      </Stack>
    </form>
  );
}
