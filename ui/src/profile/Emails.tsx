import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/profile.tsx';
import { api, type Schemas } from '../app/api.ts';
import { useMailsInLog } from '../app/session.ts';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { emailProblem } from '../components/forms/rules.ts';
import { useSend } from '../components/forms/use-send.ts';
import { Loaded } from '../components/Loaded.tsx';
import { Row, Rows } from '../components/Rows.tsx';
import { SectionHead } from '../components/SectionHead.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { emailsQuery, useRefreshUser } from './queries.ts';

type Email = Schemas['UserEmail'];

/** The e-mail addresses of the user. */
export function Emails() {
  const emails = useQuery(emailsQuery);
  return (
    <Stack>
      <SectionHead title={text.emails} description={text.whatAddressesAreFor} />
      <Loaded query={emails}>
        {(list) => (
          <Rows label={text.emails}>
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
  const isInLog = useMailsInLog();
  const path = { params: { path: { id } } };
  const said = (message: string) => {
    showSuccess(message);
    return renew();
  };
  const resend = useAction({
    mutationFn: () => api.post('/profile/emails/{id}/send-verification', path),
    onSuccess: () => said((isInLog ? text.linkInLog : text.linkSent)(email.email)),
  });
  const makePrimary = useAction({
    mutationFn: () => api.post('/profile/emails/{id}/set-primary', path),
    onSuccess: () => said(text.nowPrimary(email.email)),
  });
  const remove = useConfirmed({
    title: text.removeThisAddress,
    children: <Text size="sm">{text.consequencesOfRemoval(<bdi>{email.email}</bdi>)}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: () => api.delete('/profile/emails/{id}', path),
    onSuccess: () => said(text.addressRemoved(email.email)),
  });
  const actions = (
    <>
      {!email.verified && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={text.sendMailAgainTo(email.email)}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {text.sendMailAgain}
        </Button>
      )}
      {email.verified && !email.is_primary && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={text.makePrimaryAddress(email.email)}
          loading={makePrimary.isPending}
          onClick={() => makePrimary.mutate()}
        >
          {text.makePrimary}
        </Button>
      )}
      {!email.is_primary && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={text.removeAddress(email.email)}
          loading={remove.isPending}
          onClick={remove.ask}
        >
          {text.remove}
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
        {email.is_primary && <StateBadge label={text.primary} color="indigo" />}
        {email.verified ? (
          <StateBadge label={text.verified} color="green" />
        ) : (
          <StateBadge label={text.notVerified} color="orange" />
        )}
      </Group>
    </Row>
  );
}

function AddEmail() {
  const isInLog = useMailsInLog();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: emailProblem },
  });
  const add = useSend(form, {
    send: async ({ email }) => (await api.post('/profile/emails', { body: { email: email.trim() } })).result,
    onSent: ({ email }) => {
      form.reset();
      showSuccess((isInLog ? text.linkInLog : text.linkSentAndExpires)(email));
      return queries.invalidateQueries({ queryKey: emailsQuery.queryKey });
    },
    errorsOf: ({ code, message }) => (code === 'already_exists' ? { email: message } : undefined),
  });
  return (
    <form noValidate onSubmit={add.submit}>
      <Stack gap="sm">
        <Group align="flex-start" gap="xs">
          <TextInput
            label={text.addAddress}
            type="email"
            autoComplete="email"
            style={{ flex: '1 1 14rem' }}
            maw={360}
            {...form.getInputProps('email')}
          />
          <Button type="submit" mt={25} loading={add.isPending}>
            {text.add}
          </Button>
        </Group>
        {add.problem !== undefined && <Problem error={add.problem} />}
      </Stack>
    </form>
  );
}
