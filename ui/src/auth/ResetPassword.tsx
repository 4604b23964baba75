import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import * as text from '#strings/auth.tsx';
import { api, ServiceError } from '../app/api.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { NewPasswordField } from '../components/forms/PasswordField.tsx';
import { passwordProblem } from '../components/forms/rules.ts';
import { useSend } from '../components/forms/use-send.ts';
import { WeakPassword } from '../components/forms/WeakPassword.tsx';
import { LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { ContinueLink } from './ContinueLink.tsx';
import { keepChosenName } from './chosen-name.ts';

const route = getRouteApi('/_public/reset-password');

const isExpired = (error: unknown) =>
  error instanceof ServiceError && error.details.some(({ field }) => field === 'token');

/** Sets a password with a mailed link: a new one, or the first one of an invited user. */
export function ResetPassword() {
  const { token, new: first } = route.useSearch();
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: {
      name: (value) => (first && value.trim() === '' ? text.enterYourName : null),
      password: (value) => passwordProblem(value) ?? null,
    },
  });
  const reset = useSend(form, {
    send: ({ password }) => api.post('/auth/reset-password', { body: { token: token ?? '', password } }),
    onSent: (_, { name }) => first && keepChosenName(name.trim()),
  });

  if (reset.isSuccess) {
    return (
      <Page title={first ? text.passwordSet : text.passwordChanged}>
        <Text role="status">{first ? text.readyToSignIn : text.sessionsEnded}</Text>
        <WeakPassword message={reset.data.message} />
        {first ? <FirstSignIn /> : <ContinueLink to="/login">{text.signIn}</ContinueLink>}
      </Page>
    );
  }
  if (!token || isExpired(reset.error)) {
    return (
      <Page title={token ? text.linkExpired : text.linkIncomplete}>
        <Alert role="alert" color="yellow">
          {!token ? text.copyCompleteLink : first ? text.whyInvitationExpired : text.whyResetExpired}
        </Alert>
        <LinkButton to="/forgot-password" fullWidth>
          {text.requestAnotherLink}
        </LinkButton>
      </Page>
    );
  }
  return (
    <Page
      title={first ? text.setYourPassword : text.setNewPassword}
      description={first ? text.youWereInvited : text.sessionsWillEnd}
    >
      <form noValidate onSubmit={reset.submit}>
        <Stack>
          {reset.problem !== undefined && <Problem error={reset.problem} />}
          {first && (
            <TextInput
              label={text.name}
              description={text.whoSeesName}
              autoComplete="name"
              autoFocus
              required
              withAsterisk={false}
              maxLength={200}
              dir="auto"
              {...form.getInputProps('name')}
            />
          )}
          <NewPasswordField
            label={text.newPassword}
            autoFocus={!first}
            required
            {...form.getInputProps('password')}
            value={form.values.password}
          />
          <Button type="submit" loading={reset.isPending} fullWidth>
            {text.setPassword}
          </Button>
        </Stack>
      </form>
    </Page>
  );
}

/** The link to the login, without a page load: it would lose the chosen name. */
function FirstSignIn() {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => link.current?.focus(), []);
  return (
    <LinkButton to="/login" ref={link} fullWidth>
      {text.signIn}
    </LinkButton>
  );
}
