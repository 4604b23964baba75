import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouteContext } from '@tanstack/react-router';
import { useEffect } from 'react';
import * as text from '#strings/auth.tsx';
import { api } from '../app/api.ts';
import { sessionQuery, signOut, useMailsInLog } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { Page } from '../components/Page.tsx';
import { IconMail } from '../icons/icons.ts';
import { continueTo } from './return-to.ts';

const route = getRouteApi('/_public/verify');

const POLL_MS = 10_000;

/** The only page of an account with an unverified address, if the service requires verification. */
export function VerifyFirst() {
  const { return_to } = route.useSearch();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  // The user may open the link in another window or on another device.
  const session = useQuery({ ...sessionQuery, staleTime: 0, refetchInterval: POLL_MS });
  const isOpen = session.data !== undefined && !session.data.email_verification_required;
  useEffect(() => {
    if (isOpen) continueTo(site, return_to);
  }, [isOpen, site, return_to]);

  const resend = useMutation({
    mutationFn: async () => {
      const { emails } = (await api.get('/profile/emails')).result;
      const primary = emails.find(({ is_primary }) => is_primary);
      if (!primary || primary.verified) return;
      await api.post('/profile/emails/{id}/send-verification', { params: { path: { id: primary.id } } });
    },
    onSettled: () => session.refetch(),
  });
  const look = useMutation({
    mutationFn: async () => {
      const { data, error } = await session.refetch();
      if (error) throw error;
      return data?.email_verification_required === true;
    },
  });
  const leave = useAction({ mutationFn: () => signOut(site) });
  const address = session.data?.user?.email;
  const isInLog = useMailsInLog();

  return (
    <Page title={text.verifyYourEmail}>
      <Stack>
        <Text>
          {(isInLog ? text.openLoggedLink : text.openMailedLink)(
            <b>
              <bdi>{address}</bdi>
            </b>,
          )}
        </Text>
        {resend.isSuccess && (
          <Alert role="status" color="teal" icon={<IconMail />}>
            {isInLog ? text.loggedAnotherLink : text.sentAnotherLink}
          </Alert>
        )}
        {resend.isError && <Problem error={resend.error} />}
        {look.isError && <Problem error={look.error} />}
        <Button loading={look.isPending} onClick={() => look.mutate()} fullWidth>
          {text.checkAgain}
        </Button>
        {look.data === true && !look.isPending && (
          <Text size="sm" role="status">
            {text.notVerifiedYet}
          </Text>
        )}
        <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()} fullWidth>
          {isInLog ? text.newLinkInLog : text.sendAnotherLink}
        </Button>
        <Button variant="subtle" loading={leave.isPending} onClick={() => leave.mutate()} fullWidth>
          {text.signOut}
        </Button>
        <Text size="sm" c="dimmed">
          {text.wrongAddress}
        </Text>
      </Stack>
    </Page>
  );
}
