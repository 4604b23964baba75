import { Alert } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/auth.tsx';
import { sessionQuery } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { IconCheck } from '../icons/icons.ts';
import { ContinueLink } from './ContinueLink.tsx';

/** Tells the user to continue in the other window. */
export function SignedIn() {
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  if (!user) {
    return (
      <Page title={text.notSignedIn}>
        <ContinueLink to="/login?return_to=/signed-in">{text.signIn}</ContinueLink>
      </Page>
    );
  }
  return (
    <Page title={text.signedIn} description={<bdi>{user.email}</bdi>}>
      <Alert role="status" color="teal" icon={<IconCheck />}>
        {text.closeWindow}
      </Alert>
    </Page>
  );
}
