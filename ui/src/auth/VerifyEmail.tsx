import { Alert, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, ServiceError } from '../app/api.ts';
import { sessionQuery } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { Page } from '../components/Page.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { Leave } from './ContinueLink.tsx';

const route = getRouteApi('/_public/verify-email');

/** The answers to a link that can never work: unlike those of a server that is away. */
const isDead = (error: unknown) => error instanceof ServiceError && error.status === 400;

/** Verifies the address a link was mailed to. */
export function VerifyEmail() {
  const { token = '', email_id = '' } = route.useSearch();
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  const verified = useQuery({
    queryKey: ['verify-email', token, email_id],
    // A query, because that is asked once, however often this is rendered: the link works once.
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
          It can be used to log in, and for codes of a second factor.
        </Alert>
        <Leave to={user ? '/' : '/login'}>{user ? 'Continue' : 'Log in'}</Leave>
      </Page>
    );
  }
  if (verified.isError && !isDead(verified.error)) {
    return (
      <Page title="Verify your address">
        <Problem error={verified.error} onRetry={() => verified.refetch()} />
      </Page>
    );
  }
  if (verified.isLoading) {
    return (
      <Page title="Verify your address">
        <Waiting label="The address is being verified" />
      </Page>
    );
  }
  return (
    <Page title="This link does not work">
      <Alert role="alert" color="yellow">
        Links to verify an address work once, and for 24 hours. If you have opened it before, the address is
        verified already.
      </Alert>
      <Text size="sm">
        Your profile shows whether it is, and sends another link, under “E-mails”.
        {!user && ' Log in to see it.'}
      </Text>
      <Leave to="/profile">To your e-mail addresses</Leave>
    </Page>
  );
}
