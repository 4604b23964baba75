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

const route = getRouteApi('/_public/undo-org-change');

const has = (error: unknown, status: number) => error instanceof ServiceError && error.status === status;

/** Gives an owner back the control of an organization, with the mailed link. It needs a click. */
export function UndoOrgChange() {
  const { token = '' } = route.useSearch();
  const queries = useQueryClient();
  const undo = useMutation({
    mutationFn: () => api.post('/auth/undo-org-change', { body: { token } }),
    // This browser may be signed in, and its list of organizations is longer now.
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });

  if (undo.isSuccess) {
    const { organization, undone } = undo.data.result;
    return (
      <Page title={text.orgChangeUndone}>
        <Alert role="status" color="teal" icon={<IconCheck />}>
          {undone.includes('ownership')
            ? text.youOwn(organization.name)
            : text.organizationWorks(organization.name)}
        </Alert>
        <Text size="sm">{text.checkOrganization}</Text>
        <ContinueLink to="/login">{text.signIn}</ContinueLink>
      </Page>
    );
  }
  if (token === '' || has(undo.error, 400)) {
    return (
      <Page title={text.linkInvalid}>
        <Alert role="alert" color="yellow">
          {text.undoOrgLinksExpire}
        </Alert>
        <Text size="sm">{text.askOtherOwners}</Text>
        <ContinueLink to="/login">{text.signIn}</ContinueLink>
      </Page>
    );
  }
  if (has(undo.error, 409)) {
    return (
      <Page title={text.notUndone}>
        <Alert role="alert" color="yellow">
          {text.nothingToUndo}
        </Alert>
        <ContinueLink to="/orgs">{text.openOrganizations}</ContinueLink>
      </Page>
    );
  }
  return (
    <Page title={text.undoOrgChange} description={text.organizationWasChanged}>
      <List size="sm" spacing={4}>
        <List.Item>{text.roleReturns}</List.Item>
        <List.Item>{text.everythingReturns}</List.Item>
        <List.Item>{text.ownersAreMailed}</List.Item>
      </List>
      {undo.error && <Problem error={undo.error} />}
      <Button onClick={() => undo.mutate()} loading={undo.isPending}>
        {text.undoChange}
      </Button>
    </Page>
  );
}
