import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/auth.tsx';
import { api } from '../app/api.ts';
import { useMailsInLog } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { useSend } from '../components/forms/use-send.ts';
import { LinkAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { IconMailForward } from '../icons/icons.ts';

const route = getRouteApi('/_public/forgot-password');

/** Requests a link to set a new password. The page does not reveal whether the account exists. */
export function ForgotPassword() {
  const { email = '' } = route.useSearch();
  const isInLog = useMailsInLog();
  const form = useForm({
    initialValues: { email },
    validate: { email: (value) => (value.trim() === '' ? text.enterEmail : null) },
  });
  const ask = useSend(form, { send: (body) => api.post('/auth/forgot-password', { body }) });
  const back = (
    <LinkAnchor to="/login" search={form.values.email ? { email: form.values.email.trim() } : {}} size="sm">
      {text.backToSignIn}
    </LinkAnchor>
  );

  if (ask.isSuccess) {
    return (
      <Page title={isInLog ? text.openLinkInLog : text.checkMail}>
        <Alert role="status" color="teal" icon={<IconMailForward />}>
          {(isInLog ? text.resetInLog : text.mailedReset)(<bdi>{ask.variables.email.trim()}</bdi>)}
        </Alert>
        {!isInLog && <Text size="sm">{text.noMail}</Text>}
        <Button variant="default" onClick={() => ask.reset()}>
          {isInLog ? text.newLinkInLog : text.sendAnotherLink}
        </Button>
        {back}
      </Page>
    );
  }
  return (
    <Page title={text.forgotYourPassword} description={isInLog ? text.weLogReset : text.weMailReset}>
      <form noValidate onSubmit={ask.submit}>
        <Stack>
          {ask.problem !== undefined && <Problem error={ask.problem} />}
          <TextInput
            label={text.emailAddress}
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            {...form.getInputProps('email')}
          />
          <Button type="submit" loading={ask.isPending} fullWidth>
            {text.sendLink}
          </Button>
          {back}
        </Stack>
      </form>
    </Page>
  );
}
