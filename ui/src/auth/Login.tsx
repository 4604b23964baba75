import { Alert, Anchor, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouteContext } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import * as text from '#strings/auth.tsx';
import { sessionQuery } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { LoginForm } from './LoginForm.tsx';
import { continueTo } from './return-to.ts';
import { RecoveryCodesLeft } from './second-factor/RecoveryCodesLeft.tsx';
import { SecondFactor } from './second-factor/SecondFactor.tsx';
import type { Challenge } from './second-factor/second-factor.ts';

const route = getRouteApi('/_public/login');

/** Signs in with a password, and with a second factor if the account requires it. */
export function Login() {
  const { return_to, email = '' } = route.useSearch();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  const [challenge, setChallenge] = useState<Challenge>();
  const [codesLeft, setCodesLeft] = useState<number>();
  // The address and the reason after a return from the second step.
  const [back, setBack] = useState<{ email: string; why?: string | undefined }>();
  const leave = () => continueTo(site, return_to);
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
