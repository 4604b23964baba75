import { Alert, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/auth.tsx';
import { api, ServiceError } from '../app/api.ts';
import { sessionQuery } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { Page } from '../components/Page.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { IconCheck } from '../icons/icons.ts';
import { ContinueLink } from './ContinueLink.tsx';

const route = getRouteApi('/_public/verify-email');

/** The link is invalid. Other errors are temporary. */
const isInvalid = (error: unknown) => error instanceof ServiceError && error.status === 400;

/** Verifies an address with a mailed link. */
export function VerifyEmail() {
  const { token = '', email_id = '' } = route.useSearch();
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  const verified = useQuery({
    queryKey: ['verify-email', token, email_id],
    // The link works once. A query runs once, however often the component renders.
    queryFn: async () => (await api.post('/auth/verify-email', { body: { token, email_id } })).message ?? '',
    enabled: token !== '' && email_id !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    networkMode: 'always',
  });

  if (verified.isSuccess) {
    return (
      <Page title={text.addressVerified}>
        <Alert role="status" color="teal" icon={<IconCheck />}>
          {text.useAddress}
        </Alert>
        <ContinueLink to={user ? '/' : '/login'}>{user ? text.continueHere : text.signIn}</ContinueLink>
      </Page>
    );
  }
  if (verified.isError && !isInvalid(verified.error)) {
    return (
      <Page title={text.verifyYourAddress}>
        <Problem error={verified.error} onRetry={() => verified.refetch()} />
      </Page>
    );
  }
  if (verified.isLoading) {
    return (
      <Page title={text.verifyYourAddress}>
        <Waiting label={text.verifying} />
      </Page>
    );
  }
  return (
    <Page title={text.linkInvalid}>
      <Alert role="alert" color="yellow">
        {text.verificationLinksExpire}
      </Alert>
      <Text size="sm">{user ? text.profileShowsIt : text.profileShowsItAfterSignIn}</Text>
      <ContinueLink to="/profile">{text.openAddresses}</ContinueLink>
    </Page>
  );
}
