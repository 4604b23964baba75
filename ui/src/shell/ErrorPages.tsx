import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouteContext } from '@tanstack/react-router';
import { windowTitle } from '#strings/app.ts';
import * as text from '#strings/shell.tsx';
import { NoSuchOrg } from '../app/org-errors.ts';
import { sessionQuery, signOut } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { ProblemWindow } from '../components/errors/Problem.tsx';

/** The page for unknown addresses in a shell, which has the landmark. */
export const NotFoundInShell = () => <NotFound component="div" />;

/** The page for unknown addresses. */
export function NotFound({ component = 'main' }: { component?: 'main' | 'div' }) {
  useDocumentTitle(windowTitle(text.notFound));
  return (
    <Center component={component} mih="60vh" p="md">
      <Stack align="center" ta="center">
        <Title order={1}>{text.pageNotFound}</Title>
        <Text c="dimmed">{text.whyNotFound}</Text>
        <Button component="a" href="/">
          {text.goToStart}
        </Button>
      </Stack>
    </Center>
  );
}

/** An error in place of the pages of an organization. A link from a mail may be for another account. */
export function OrgProblem({ error, reset }: ErrorComponentProps) {
  return (
    <ProblemWindow error={error} onRetry={reset} action={error instanceof NoSuchOrg && <OtherAccount />} />
  );
}

/** Names the signed-in user, and lets another one sign in and return to this page. */
function OtherAccount() {
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const user = useQueryClient().getQueryData(sessionQuery.queryKey)?.user;
  const change = useAction({
    mutationFn: () => signOut(site, `/login?return_to=${encodeURIComponent(location.href)}`),
  });
  if (!user || !site.sharesSession) return null;
  return (
    <>
      <Text size="sm" flex="1 0 100%">
        {text.signedInAs(<bdi>{user.email}</bdi>)}
      </Text>
      <Button size="xs" variant="default" loading={change.isPending} onClick={() => change.mutate()}>
        {text.otherAccount}
      </Button>
    </>
  );
}
