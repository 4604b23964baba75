import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { windowTitle } from '#strings/app.ts';
import * as text from '#strings/shell.tsx';

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
