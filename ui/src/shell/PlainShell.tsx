import { Button, Center, Container, Group, Paper, Stack, Text } from '@mantine/core';
import { Outlet, useRouteContext } from '@tanstack/react-router';
import * as text from '#strings/shell.tsx';
import { useMe } from '../app/session.ts';
import { IconArrowLeft } from '../icons/icons.ts';
import { ConnectionBanner, Logo, SchemeButton } from './Frame.tsx';
import { UserMenu } from './UserMenu.tsx';

/** The frame around pages of the user that belong to no organization. */
export function PlainShell() {
  const { orgs } = useMe();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const last = orgs.find(({ slug }) => slug === (site.hostOrg ?? localStorage.getItem('org')));
  return (
    <Stack gap={0} mih="100dvh">
      <a className="skip-link" href="#main">
        {text.skipToContent}
      </a>
      <Group
        component="header"
        justify="space-between"
        wrap="nowrap"
        px="md"
        h={56}
        style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}
      >
        <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
          <Logo />
          {last && (
            <Button
              component="a"
              href={site.orgUrl(last.slug)}
              variant="subtle"
              size="compact-sm"
              leftSection={<IconArrowLeft size={14} />}
              style={{ minWidth: 0 }}
            >
              <bdi>{last.name}</bdi>
            </Button>
          )}
        </Group>
        <Group gap="sm" wrap="nowrap">
          <SchemeButton />
          <UserMenu />
        </Group>
      </Group>
      <ConnectionBanner />
      <Container component="main" id="main" tabIndex={-1} size="md" w="100%" py="xl" px="md">
        <Outlet />
      </Container>
    </Stack>
  );
}

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
