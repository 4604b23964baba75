import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconMailForward } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../app/api.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { toFields } from '../components/forms/to-fields.ts';
import { LinkAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';

const route = getRouteApi('/_public/forgot-password');

/** Requests a link to set a new password. The page does not reveal whether the account exists. */
export function ForgotPassword() {
  const { email = '' } = route.useSearch();
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { email },
    validate: { email: (value) => (value.trim() === '' ? 'Enter your e-mail address' : null) },
  });
  const ask = useMutation({
    mutationFn: (body: typeof form.values) => api.post('/auth/forgot-password', { body }),
    onMutate: () => setProblem(undefined),
    onError: (error) => setProblem(toFields(form, error)),
  });
  const back = (
    <LinkAnchor to="/login" search={form.values.email ? { email: form.values.email.trim() } : {}} size="sm">
      Back to sign-in
    </LinkAnchor>
  );

  if (ask.isSuccess) {
    return (
      <Page title="Check your mail">
        <Alert role="status" color="teal" icon={<IconMailForward />}>
          If <bdi>{ask.variables.email.trim()}</bdi> belongs to an account, we mailed it a link to set a new
          password. The link works once and expires after one hour.
        </Alert>
        <Text size="sm">No mail after a few minutes? Check the spam folder and the address.</Text>
        <Button variant="default" onClick={() => ask.reset()}>
          Send another link
        </Button>
        {back}
      </Page>
    );
  }
  return (
    <Page title="Forgot your password?" description="We mail you a link to set a new one.">
      <form noValidate onSubmit={form.onSubmit((values) => ask.mutate(values))}>
        <Stack>
          {problem !== undefined && <Problem error={problem} />}
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            {...form.getInputProps('email')}
          />
          <Button type="submit" loading={ask.isPending} fullWidth>
            Send link
          </Button>
          {back}
        </Stack>
      </form>
    </Page>
  );
}
