import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouteContext } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { signInWithPasskey } from '#strings/auth/passkeys.tsx';
import * as text from '#strings/auth.tsx';
import { api, type Schemas, ServiceError } from '../app/api.ts';
import { withoutUndefined } from '../app/search.ts';
import { sessionQuery } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { focusFirstError } from '../components/forms/first-error.ts';
import { PasswordField } from '../components/forms/PasswordField.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { SsoButtons, SsoProblem } from '../sso/SsoButtons.tsx';
import { applyChosenName } from './chosen-name.ts';
import { PasskeyButton } from './PasskeyButton.tsx';
import { supportsPasskeys } from './passkeys.ts';
import { closedRegistration, continueTo } from './return-to.ts';
import { RecoveryCodesLeft, SecondFactor } from './second-factor/SecondFactor.tsx';
import { type Challenge, MFA_MINUTES, methodsHere } from './second-factor/second-factor.ts';

const route = getRouteApi('/_public/login');

/** Signs in with a password, and with a second factor if the account requires it. */
export function Login() {
  const { return_to, email = '', sso_error } = route.useSearch();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  const [challenge, setChallenge] = useState<Challenge | undefined>(challengeOfProvider);
  const [codesLeft, setCodesLeft] = useState<number>();
  // The address and the reason after a return from the second step.
  const [back, setBack] = useState<{ email: string; why?: string | undefined }>();
  const leave = async () => {
    await applyChosenName();
    continueTo(site, return_to);
  };
  const backToPassword = useCallback(
    (why?: string) => {
      setBack({ email: challenge?.email ?? '', why });
      setChallenge(undefined);
    },
    [challenge],
  );

  if (codesLeft !== undefined) return <RecoveryCodesLeft left={codesLeft} onContinue={leave} />;
  if (challenge) {
    return (
      <SecondFactor
        challenge={challenge}
        onDone={(left) => (left === undefined ? leave() : setCodesLeft(left))}
        onBack={backToPassword}
      />
    );
  }
  return (
    <Page title={text.signIn}>
      {back?.why && (
        <Alert role="alert" color="yellow">
          {back.why}
        </Alert>
      )}
      {sso_error && !back && <SsoProblem reason={sso_error} />}
      {user && !back && (
        <Alert color="blue">
          <Text size="sm">
            {text.signedInAs(<bdi>{user.email}</bdi>, (label) => (
              <Anchor href="/" inherit underline="always">
                {label}
              </Anchor>
            ))}
          </Text>
        </Alert>
      )}
      <LoginForm
        email={back?.email ?? email}
        returnTo={return_to}
        onDone={leave}
        onChallenge={setChallenge}
      />
    </Page>
  );
}

/** The second factor of a sign-in at a provider, which the fragment of the address names. It works once. */
function challengeOfProvider(): Challenge | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('mfa');
  if (!given) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  try {
    const { mfa_token, mfa_methods } = JSON.parse(given) as Schemas['MfaRequired'];
    return {
      ...{ email: '', token: mfa_token, methods: methodsHere(mfa_methods) },
      until: Date.now() + MFA_MINUTES * 60_000,
    };
  } catch {
    return undefined;
  }
}

interface Props {
  email: string;
  returnTo: string | undefined;
  onDone: () => void;
  onChallenge: (challenge: Challenge) => void;
}

const isWrong = (error: unknown) => error instanceof ServiceError && error.code === 'invalid_credentials';

/** The form for e-mail address and password. */
function LoginForm({ email, returnTo, onDone, onChallenge }: Props) {
  const password = useRef<HTMLInputElement>(null);
  const form = useForm({
    initialValues: { email, password: '' },
    validate: {
      email: (value) => (value.trim() === '' ? text.enterEmail : null),
      password: (value) => (value === '' ? text.enterPassword : null),
    },
  });
  const login = useMutation({
    mutationFn: async (values: typeof form.values) => {
      // The five minutes for the second factor start before the response arrives.
      const until = Date.now() + MFA_MINUTES * 60_000;
      const { result } = await api.post('/auth/login', { body: values });
      if (!('mfa_required' in result)) return undefined;
      return {
        email: values.email,
        token: result.mfa_token,
        methods: methodsHere(result.mfa_methods),
        until,
      };
    },
    onSuccess: (challenge) => (challenge ? onChallenge(challenge) : onDone()),
    onError: (error) => isWrong(error) && password.current?.select(),
  });
  const search = withoutUndefined<{ email?: string }>({ email: form.values.email.trim() || undefined });

  return (
    <form
      noValidate
      onSubmit={form.onSubmit(
        (values) => login.mutate(values),
        () => focusFirstError(),
      )}
    >
      <Stack>
        {isWrong(login.error) ? (
          <Alert role="alert" color="red" title={text.wrongCredentials}>
            {text.checkBoth}
          </Alert>
        ) : (
          login.error && <Problem error={login.error} />
        )}
        <TextInput
          label={text.emailAddress}
          type="email"
          autoComplete="username"
          autoFocus={email === ''}
          required
          withAsterisk={false}
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={text.password}
          ref={password}
          autoFocus={email !== ''}
          required
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={login.isPending || (login.isSuccess && !login.data)} fullWidth>
          {text.signIn}
        </Button>
        {supportsPasskeys && (
          <PasskeyButton
            label={signInWithPasskey}
            ask={() => api.post('/auth/passkey/options', { body: {} })}
            send={(credential) => api.post('/auth/passkey/verify', { body: { credential } })}
            onDone={onDone}
          />
        )}
        <SsoButtons email={form.values.email} returnTo={returnTo} />
        <Group justify="space-between">
          <LinkAnchor to="/forgot-password" search={search} size="sm">
            {text.forgotYourPassword}
          </LinkAnchor>
          {closedRegistration.isKnown() ? (
            <Text size="sm" c="dimmed">
              {text.registrationClosed}
            </Text>
          ) : (
            <LinkAnchor
              to="/register"
              search={withoutUndefined({ ...search, return_to: returnTo })}
              size="sm"
            >
              {text.createAnAccount}
            </LinkAnchor>
          )}
        </Group>
      </Stack>
    </form>
  );
}
