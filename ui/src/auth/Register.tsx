import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/auth.tsx';
import { api, type Schemas } from '../app/api.ts';
import { sessionQuery, useMailsInLog } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { NewPasswordField } from '../components/forms/PasswordField.tsx';
import { emailProblem, passwordProblem } from '../components/forms/rules.ts';
import { useSend } from '../components/forms/use-send.ts';
import { WeakPassword } from '../components/forms/WeakPassword.tsx';
import { LinkAnchor, LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { IconMailCheck } from '../icons/icons.ts';
import { ContinueLink } from './ContinueLink.tsx';
import { closedRegistration } from './return-to.ts';

const route = getRouteApi('/_public/register');

/** Creates an account with its first organization. */
export function Register() {
  const search = route.useSearch();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const [registered, setRegistered] = useState<Registered>();
  const [closed, setClosed] = useState(false);
  const isInLog = useMailsInLog();
  const isFirst = useQueryClient().getQueryData(sessionQuery.queryKey)?.first_account === true;

  if (registered) {
    const { name, email, org, message } = registered;
    return (
      <Page title={text.welcome} heading={text.welcomeName(<bdi>{name}</bdi>)}>
        <Alert role="status" color="teal" icon={<IconMailCheck />} title={text.accountReady}>
          {(isInLog ? text.verificationInLog : text.mailedVerification)(<bdi>{email}</bdi>)}
        </Alert>
        <WeakPassword message={message} />
        {org && <Text size="sm">{text.firstOrganization(<b dir="auto">{org.name}</b>)}</Text>}
        <ContinueLink to={org ? site.orgUrl(org.slug) : '/'}>
          {org ? text.openOrganization : text.continueHere}
        </ContinueLink>
      </Page>
    );
  }
  if (closed) {
    return (
      <Page title={text.registrationClosed}>
        <Text>{text.askForInvitation}</Text>
        <LinkButton to="/login" search={search} variant="default">
          {text.signInWithAccount}
        </LinkButton>
      </Page>
    );
  }
  return (
    <Page
      title={isFirst ? text.createFirstAccount : text.createYourAccount}
      description={isFirst && text.noAccountsYet}
    >
      <RegisterForm
        email={search.email ?? ''}
        onDone={(made) => {
          closedRegistration.forget();
          setRegistered(made);
        }}
        onClosed={() => {
          closedRegistration.remember();
          setClosed(true);
        }}
      />
      {!isFirst && (
        <Text size="sm" ta="center">
          {text.haveAccount((label) => (
            <LinkAnchor to="/login" search={search} underline="always">
              {label}
            </LinkAnchor>
          ))}
        </Text>
      )}
    </Page>
  );
}

/** A new account and its first organization. */
interface Registered {
  name: string;
  email: string;
  org: Schemas['Organization'] | undefined;
  /** The message of the service, such as a warning that the password is leaked. */
  message: string | undefined;
}

interface Props {
  email: string;
  onDone: (registered: Registered) => void;
  /** Called if registration is closed. */
  onClosed: () => void;
}

/** The form for name, e-mail address and password of a new account. */
function RegisterForm({ email, onDone, onClosed }: Props) {
  const form = useForm({
    initialValues: { name: '', email, password: '' },
    validate: {
      name: (value) => (value.trim() === '' ? text.enterYourName : null),
      email: emailProblem,
      password: (value) => passwordProblem(value) ?? null,
    },
  });
  const register = useSend(form, {
    send: async (body) => {
      const { result, message } = await api.post('/auth/register', { body });
      const { user } = result;
      // The user is signed in even if this request fails.
      const orgs = await api.get('/orgs').then(
        ({ result }) => result,
        () => [],
      );
      return { name: user.name, email: user.email, org: orgs[0], message };
    },
    onSent: onDone,
    errorsOf({ status, code }) {
      if (code === 'feature_disabled') {
        onClosed();
        return {};
      }
      if (status !== 409) return undefined;
      const email = text.addressTaken((label) => (
        <LinkAnchor to="/login" search={{ email: form.values.email.trim() }} inherit underline="always">
          {label}
        </LinkAnchor>
      ));
      return { email };
    },
  });

  return (
    <form noValidate onSubmit={register.submit}>
      <Stack>
        {register.problem !== undefined && <Problem error={register.problem} />}
        <TextInput
          label={text.name}
          autoComplete="name"
          autoFocus
          required
          withAsterisk={false}
          maxLength={200}
          dir="auto"
          {...form.getInputProps('name')}
        />
        <TextInput
          label={text.emailAddress}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          {...form.getInputProps('email')}
        />
        <NewPasswordField
          label={text.password}
          required
          {...form.getInputProps('password')}
          value={form.values.password}
        />
        <Button type="submit" loading={register.isPending} fullWidth>
          {text.createAccount}
        </Button>
      </Stack>
    </form>
  );
}
