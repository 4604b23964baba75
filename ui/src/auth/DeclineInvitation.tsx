import { Alert, Button, List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/auth.tsx';
import { api, ServiceError } from '../app/api.ts';
import { sessionQuery } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { Page } from '../components/Page.tsx';
import { IconCheck } from '../icons/icons.ts';
import { ContinueLink } from './ContinueLink.tsx';

const route = getRouteApi('/_public/decline-invitation');

const has = (error: unknown, status: number) => error instanceof ServiceError && error.status === status;

/** Declines an invitation with the mailed link, also without an account. It needs a click. */
export function DeclineInvitation() {
  const { token = '' } = route.useSearch();
  const queries = useQueryClient();
  const decline = useMutation({
    mutationFn: () => api.post('/auth/decline-invitation', { body: { token } }),
    // This browser may be signed in as the invited person.
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });

  if (decline.isSuccess) {
    return (
      <Page title={text.invitationDeclined}>
        <Alert role="status" color="teal" icon={<IconCheck />}>
          {text.noMoreMails(decline.data.result.organization.name)}
        </Alert>
      </Page>
    );
  }
  if (token === '' || has(decline.error, 400)) {
    return (
      <Page title={text.linkInvalid}>
        <Alert role="alert" color="yellow">
          {text.declineLinksExpire}
        </Alert>
      </Page>
    );
  }
  if (has(decline.error, 409)) {
    return (
      <Page title={text.notDeclined}>
        <Alert role="alert" color="yellow">
          {text.leaveInstead}
        </Alert>
        <ContinueLink to="/orgs">{text.openOrganizations}</ContinueLink>
      </Page>
    );
  }
  return (
    <Page title={text.declineInvitationAsk} description={text.somebodyInvitedYou}>
      <List size="sm" spacing={4}>
        <List.Item>{text.youAreNoMember}</List.Item>
        <List.Item>{text.noInvitationForAWhile}</List.Item>
      </List>
      <Text size="sm">{text.noAccountNeeded}</Text>
      {decline.error && <Problem error={decline.error} />}
      <Button onClick={() => decline.mutate()} loading={decline.isPending}>
        {text.declineInvitation}
      </Button>
    </Page>
  );
}
