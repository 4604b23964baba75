import { Alert } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { ContinueLink } from './ContinueLink.tsx';

/** Tells the user to continue in the other window. */
export function SignedIn() {
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  if (!user) {
    return (
      <Page title="You are not signed in">
        <ContinueLink to="/login?return_to=/signed-in">Sign in</ContinueLink>
      </Page>
    );
  }
  return (
    <Page title="You are signed in" description={<bdi>{user.email}</bdi>}>
      <Alert role="status" color="teal" icon={<IconCheck />}>
        Close this window and continue in the previous one.
      </Alert>
    </Page>
  );
}
