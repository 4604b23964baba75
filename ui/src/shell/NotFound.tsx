import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';

/** The page for unknown addresses in a shell, which has the landmark. */
export const NotFoundInShell = () => <NotFound component="div" />;

/** The page for unknown addresses. */
export function NotFound({ component = 'main' }: { component?: 'main' | 'div' }) {
  useDocumentTitle('Not found · Security findings');
  return (
    <Center component={component} mih="60vh" p="md">
      <Stack align="center" ta="center">
        <Title order={1}>Page not found</Title>
        <Text c="dimmed">The address may be misspelled, or the page was moved.</Text>
        <Button component="a" href="/">
          Go to the start page
        </Button>
      </Stack>
    </Center>
  );
}
