import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/profile.tsx';
import { api } from '../app/api.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { NewPasswordField, PasswordField } from '../components/forms/PasswordField.tsx';
import { passwordProblem } from '../components/forms/rules.ts';
import { useSend } from '../components/forms/use-send.ts';
import { WeakPassword } from '../components/forms/WeakPassword.tsx';
import { SectionHead } from '../components/SectionHead.tsx';
import { Username } from './PasswordDialog.tsx';
import { sessionsQuery } from './queries.ts';

/** Changes the password of the user. */
export function Password() {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { current_password: '', new_password: '', revoke_tokens: false },
    validate: {
      current_password: (password) => (password === '' ? text.enterCurrentPassword : null),
      new_password: (password) => passwordProblem(password) ?? null,
    },
  });
  const change = useSend(form, {
    send: (body) => api.post('/auth/change-password', { body }),
    onSent: () => {
      form.reset();
      showSuccess(text.passwordChanged);
      return queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    errorsOf: ({ code }) =>
      code === 'invalid_credentials' ? { current_password: text.wrongCurrentPassword } : undefined,
  });
  return (
    <Stack>
      <SectionHead title={text.password} description={text.whatNewPasswordDoes} />
      <form noValidate onSubmit={change.submit}>
        <Stack maw={440}>
          <Username />
          <PasswordField label={text.currentPassword} {...form.getInputProps('current_password')} />
          <NewPasswordField
            label={text.newPassword}
            {...form.getInputProps('new_password')}
            value={form.values.new_password}
          />
          <Checkbox
            label={text.revokeMyTokens}
            description={text.whatMyTokensAre}
            {...form.getInputProps('revoke_tokens', { type: 'checkbox' })}
          />
          {change.problem !== undefined && <Problem error={change.problem} />}
          <WeakPassword message={change.data?.message} />
          <Group>
            <Button type="submit" loading={change.isPending}>
              {text.changePassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}
