import { Center, Group, Paper, Stack, Text } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import * as text from '#strings/shell.tsx';
import { Logo } from './Logo.tsx';
import { SchemeButton } from './SchemeButton.tsx';

/** The frame around pages for visitors who are not signed in. */
export function PublicShell() {
  return (
    <Stack mih="100dvh" p="md" gap="xl">
      <Group component="header" justify="space-between">
        <Logo />
        <SchemeButton />
      </Group>
      <Center component="main" style={{ flex: 1, alignItems: 'flex-start' }} pt={{ base: 0, sm: '8vh' }}>
        <Stack w="100%" maw={420} gap="xs">
          <Paper withBorder shadow="sm" p={{ base: 'md', sm: 'xl' }} radius="lg">
            <Outlet />
          </Paper>
          <Text size="xs" c="dimmed" ta="center">
            {text.tagline}
          </Text>
        </Stack>
      </Center>
    </Stack>
  );
}
