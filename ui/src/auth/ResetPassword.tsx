import { Alert, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
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
      <Page title={first ? 'Your password is set' : 'Your password was changed'}>
        <Text role="status">
          {first
            ? 'Your account is ready. Sign in with your e-mail address and the password.'
            : 'All your sessions were ended. Sign in with the new password.'}
        </Text>
        <WeakPassword message={reset.data.message} />
        <ContinueLink to="/login">Sign in</ContinueLink>
      </Page>
    );
  }
  if (!token || isExpired(reset.error)) {
    return (
      <Page title={token ? 'This link no longer works' : 'This link is incomplete'}>
        <Alert role="alert" color="yellow">
          {token
            ? `Links ${first ? 'of invitations work once and for at most 7 days' : 'to set a password work once and expire after one hour'}. Older links stop working when you use a newer one.`
            : 'Open the link from the mail again, or copy the complete link into the address bar.'}
        </Alert>
        <LinkButton to="/forgot-password" fullWidth>
          Request another link
        </LinkButton>
      </Page>
    );
  }
  return (
    <Page
      title={first ? 'Set your password' : 'Set a new password'}
      description={
        first
          ? 'You were invited. Choose a password to use your account.'
          : 'All your sessions end when you set a new password.'
      }
    >
      <form noValidate onSubmit={form.onSubmit((values) => reset.mutate(values))}>
        <Stack>
          {problem !== undefined && <Problem error={problem} />}
          <NewPasswordField
            label="New password"
            autoFocus
            required
            {...form.getInputProps('password')}
            value={form.values.password}
          />
          <Button type="submit" loading={reset.isPending} fullWidth>
            Set password
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
