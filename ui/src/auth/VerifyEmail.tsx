import { Alert, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, ServiceError } from '../app/api.ts';
import { sessionQuery } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { Page } from '../components/Page.tsx';
import { Waiting } from '../components/Waiting.tsx';
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
      <Page title="Your address is verified">
        <Alert role="status" color="teal" icon={<IconCheck />}>
          You can use it to sign in and to receive codes.
        </Alert>
        <ContinueLink to={user ? '/' : '/login'}>{user ? 'Continue' : 'Sign in'}</ContinueLink>
      </Page>
    );
  }
  if (verified.isError && !isInvalid(verified.error)) {
    return (
      <Page title="Verify your address">
        <Problem error={verified.error} onRetry={() => verified.refetch()} />
      </Page>
    );
  }
  if (verified.isLoading) {
    return (
      <Page title="Verify your address">
        <Waiting label="Verifying the address" />
      </Page>
    );
  }
  return (
    <Page title="This link does not work">
      <Alert role="alert" color="yellow">
        Verification links work once and expire after 24 hours. If you have opened this link before, the
        address is already verified.
      </Alert>
      <Text size="sm">
        Your profile shows under “E-mails” whether the address is verified. You can request another link
        there.
        {!user && ' Sign in to open your profile.'}
      </Text>
      <ContinueLink to="/profile">Open your e-mail addresses</ContinueLink>
    </Page>
  );
}
