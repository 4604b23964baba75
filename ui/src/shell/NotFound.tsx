import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';

/** For addresses that lead nowhere. */
export function NotFound() {
  useDocumentTitle('Not found · Security findings');
  return (
    <Center component="main" mih="60vh" p="md">
      <Stack align="center">
        <Title order={1}>There is no such page</Title>
        <Text c="dimmed">The address may be mistyped, or it was moved.</Text>
        <Button component="a" href="/">
          To the start
        </Button>
      </Stack>
    </Center>
  );
}
