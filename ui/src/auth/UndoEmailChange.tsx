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
      <Page title={text.addressRestored}>
        <Alert role="status" color="teal" icon={<IconCheck />}>
          {text.oldPasswordInvalid}
        </Alert>
        <Text size="sm">{text.checkAccount}</Text>
        <ContinueLink to="/login">{text.signIn}</ContinueLink>
      </Page>
    );
  }
  if (token === '' || has(undo.error, 400)) {
    return (
      <Page title={text.linkInvalid}>
        <Alert role="alert" color="yellow">
          {text.undoLinksExpire}
        </Alert>
        <Text size="sm">{text.cannotSignIn}</Text>
        <ContinueLink to="/forgot-password">{text.forgotPassword}</ContinueLink>
      </Page>
    );
  }
  if (has(undo.error, 409)) {
    return (
      <Page title={text.notUndone}>
        <Alert role="alert" color="yellow">
          {text.addressInUse}
        </Alert>
        <Text size="sm">{text.keepUsingAccount}</Text>
        <ContinueLink to="/login">{text.signIn}</ContinueLink>
      </Page>
    );
  }
  return (
    <Page title={text.undoAddressChange} description={text.addressWasChanged}>
      <List size="sm" spacing={4}>
        <List.Item>{text.oldAddressReturns}</List.Item>
        <List.Item>{text.additionsRemoved}</List.Item>
        <List.Item>{text.allSessionsEnd}</List.Item>
      </List>
      {undo.error && <Problem error={undo.error} />}
      <Button onClick={() => undo.mutate()} loading={undo.isPending}>
        {text.undoChange}
      </Button>
    </Page>
  );
}
