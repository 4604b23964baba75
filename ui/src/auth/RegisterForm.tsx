import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/auth.tsx';
import { api, type Schemas, ServiceError } from '../app/api.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { emailProblem } from '../components/forms/email.ts';
import { NewPasswordField } from '../components/forms/PasswordField.tsx';
import { passwordProblem } from '../components/forms/password-rules.ts';
import { toFields } from '../components/forms/to-fields.ts';
import { LinkAnchor } from '../components/links.tsx';

/** A new account and its first organization. */
export interface Registered {
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
export function RegisterForm({ email, onDone, onClosed }: Props) {
  const [problem, setProblem] = useState<unknown>();
  const form = useForm({
    initialValues: { name: '', email, password: '' },
    validate: {
      name: (value) => (value.trim() === '' ? text.enterYourName : null),
      email: emailProblem,
      password: (value) => passwordProblem(value) ?? null,
    },
  });
  const register = useMutation({
    mutationFn: async (body: typeof form.values) => {
      const { result, message } = await api.post('/auth/register', { body });
      const { user } = result;
      // The user is signed in even if this request fails.
      const orgs = await api.get('/orgs').then(
        ({ result }) => result,
        () => [],
      );
      return { name: user.name, email: user.email, org: orgs[0], message };
    },
    onMutate: () => setProblem(undefined),
    onSuccess: onDone,
    onError(error) {
      const { status, code } = error instanceof ServiceError ? error : {};
      if (code === 'feature_disabled') return onClosed();
      if (status === 409) {
        return form.setFieldError(
          'email',
          text.addressTaken((label) => (
            <LinkAnchor to="/login" search={{ email: form.values.email.trim() }} inherit underline="always">
              {label}
            </LinkAnchor>
          )),
        );
      }
      setProblem(toFields(form, error));
    },
  });

  return (
    <form noValidate onSubmit={form.onSubmit((values) => register.mutate(values))}>
      <Stack>
        {problem !== undefined && <Problem error={problem} />}
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
