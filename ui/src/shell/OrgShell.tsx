import { AppShell, Box, Burger, Group, ScrollArea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { useOrg } from '../app/session.ts';
import { LinkNav } from '../components/links.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { Logo } from './Logo.tsx';
import { PAGES } from './navigation.ts';
import { OrgMenu } from './OrgMenu.tsx';
import classes from './OrgShell.module.css';
import { SchemeButton } from './SchemeButton.tsx';
import { Spotlight } from './spotlight/Spotlight.tsx';
import { UserMenu } from './UserMenu.tsx';

/** The frame around the pages of an organization. */
export function OrgShell() {
  const { slug } = useOrg();
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px={{ base: 'sm', sm: 'md' }} justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close the menu' : 'Open the menu'}
              aria-expanded={opened}
            />
            {/* On phones the name of the organization needs the space. */}
            <Box visibleFrom="xs">
              <Logo />
            </Box>
            <OrgMenu />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Spotlight />
            <SchemeButton />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" className={opened ? '' : classes.closed} aria-label="Pages of the organization">
        <ScrollArea>
          {PAGES.map(({ to, label, Icon, exact }) => (
            <LinkNav
              key={to}
              to={to}
              params={{ org: slug }}
              label={label}
              leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
              activeOptions={{ exact, includeSearch: false }}
              activeProps={{ active: true }}
              onClick={close}
              style={{ borderRadius: 'var(--mantine-radius-md)' }}
            />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ConnectionBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
