import { Alert, Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/profile/notifications.ts';
import { api, ServiceError } from '../app/api.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { Page } from '../components/Page.tsx';
import { IconCheck } from '../icons/icons.ts';
import { ContinueLink } from './ContinueLink.tsx';

const route = getRouteApi('/_public/unsubscribe');

/** Switches mails off by the link in one, also without signing in. It needs a click, because programs open links. */
export function Unsubscribe() {
  const { token = '' } = route.useSearch();
  const unsubscribe = useMutation({
    mutationFn: () => api.post('/profile/notifications/unsubscribe', { params: { query: { token } } }),
  });
  const { error } = unsubscribe;
  if (unsubscribe.isSuccess) {
    return (
      <Page title={text.unsubscribed}>
        <Alert role="status" color="teal" icon={<IconCheck />}>
          {text.chooseAgain}
        </Alert>
        <ContinueLink to="/profile/notifications">{text.openNotifications}</ContinueLink>
      </Page>
    );
  }
  if (token === '' || (error instanceof ServiceError && error.status === 400)) {
    return (
      <Page title={text.linkInvalid}>
        <Alert role="alert" color="yellow">
          {text.linkIncomplete}
        </Alert>
        <ContinueLink to="/profile/notifications">{text.openNotifications}</ContinueLink>
      </Page>
    );
  }
  return (
    <Page title={text.unsubscribeAsk} description={text.unsubscribeWhat}>
      {error && <Problem error={error} />}
      <Button onClick={() => unsubscribe.mutate()} loading={unsubscribe.isPending}>
        {text.unsubscribe}
      </Button>
    </Page>
  );
}
