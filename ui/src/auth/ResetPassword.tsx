import { Alert, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/auth.tsx';
import { api, ServiceError } from '../app/api.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { NewPasswordField } from '../components/forms/PasswordField.tsx';
import { passwordProblem } from '../components/forms/password-rules.ts';
import { toFields } from '../components/forms/to-fields.ts';
import { WeakPassword } from '../components/forms/WeakPassword.tsx';
import { LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { ContinueLink } from './ContinueLink.tsx';

const route = getRouteApi('/_public/reset-password');

const isExpired = (error: unknown) =>
  error instanceof ServiceError && error.details.some(({ field }) => field === 'token');

/** Sets a password with a mailed link: a new one, or the first one of an invited user. */
export function ResetPassword() {
  const { token, new: first } = route.useSearch();
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: (value) => passwordProblem(value) ?? null },
  });
  const reset = useMutation({
    mutationFn: ({ password }: typeof form.values) =>
      api.post('/auth/reset-password', { body: { token: token ?? '', password } }),
    onMutate: () => setProblem(undefined),
    onError: (error) => setProblem(isExpired(error) ? undefined : toFields(form, error)),
  });

  if (reset.isSuccess) {
    return (
      <Page title={first ? text.passwordSet : text.passwordChanged}>
        <Text role="status">{first ? text.readyToSignIn : text.sessionsEnded}</Text>
        <WeakPassword message={reset.data.message} />
        <ContinueLink to="/login">{text.signIn}</ContinueLink>
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
      <form noValidate onSubmit={form.onSubmit((values) => reset.mutate(values))}>
        <Stack>
          {problem !== undefined && <Problem error={problem} />}
          <NewPasswordField
            label={text.newPassword}
            autoFocus
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
