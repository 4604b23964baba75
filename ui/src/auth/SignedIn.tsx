import { Alert } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { Leave } from './ContinueLink.tsx';

/** Says that the other window can be gone on with. */
export function SignedIn() {
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  if (!user) {
    return (
      <Page title="You are not signed in">
        <Leave to="/login?return_to=/signed-in">Log in</Leave>
      </Page>
    );
  }
  return (
    <Page title="You are signed in" description={<bdi>{user.email}</bdi>}>
      <Alert role="status" color="teal" icon={<IconCheck />}>
        Close this window and go on in the one you came from: it is as you left it.
      </Alert>
    </Page>
  );
}
