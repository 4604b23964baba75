import { Alert, Button, List, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, ServiceError } from '../app/api.ts';
import { sessionQuery } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { Page } from '../components/Page.tsx';
import { ContinueLink } from './ContinueLink.tsx';

const route = getRouteApi('/_public/undo-email-change');

const has = (error: unknown, status: number) => error instanceof ServiceError && error.status === status;

/** Undoes a change of the primary address with the link mailed to the old address. It needs a click. */
export function UndoEmailChange() {
  const { token = '' } = route.useSearch();
  const queries = useQueryClient();
  const undo = useMutation({
    mutationFn: () => api.post('/auth/undo-email-change', { body: { token } }),
    // All sessions of the account have ended, possibly also the session of this browser.
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });

  if (undo.isSuccess) {
    return (
      <Page title="Your address was restored">
        <Alert role="status" color="teal" icon={<IconCheck />}>
          All sessions were ended, and the old password no longer works. We mailed a link to set a new one to
          your address.
        </Alert>
        <Text size="sm">Then check the second factors, organizations and API tokens of your account.</Text>
        <ContinueLink to="/login">Sign in</ContinueLink>
      </Page>
    );
  }
  if (token === '' || has(undo.error, 400)) {
    return (
      <Page title="This link does not work">
        <Alert role="alert" color="yellow">
          Links to undo a change of the address work once and expire after 72 hours.
        </Alert>
        <Text size="sm">
          If you can no longer sign in, use “Forgot password”. If that does not help, contact the
          administrator of this service.
        </Text>
        <ContinueLink to="/forgot-password">Forgot password</ContinueLink>
      </Page>
    );
  }
  if (has(undo.error, 409)) {
    return (
      <Page title="The change was not undone">
        <Alert role="alert" color="yellow">
          Another account has this address now. Nothing was changed.
        </Alert>
        <Text size="sm">
          If that account is yours, keep using it. Otherwise contact the administrator of this service.
        </Text>
        <ContinueLink to="/login">Sign in</ContinueLink>
      </Page>
    );
  }
  return (
    <Page
      title="Undo the address change?"
      description="The primary e-mail address of your account was changed. If that was not you, undo it."
    >
      <List size="sm" spacing={4}>
        <List.Item>The old address becomes the primary one again, and the new one is removed.</List.Item>
        <List.Item>
          Addresses and second factors that were added in the 7 days before the change, or later, are also
          removed.
        </List.Item>
        <List.Item>All sessions end. We mail you a link to set a new password.</List.Item>
      </List>
      {undo.error && <Problem error={undo.error} />}
      <Button onClick={() => undo.mutate()} loading={undo.isPending}>
        Undo the change
      </Button>
    </Page>
  );
}
