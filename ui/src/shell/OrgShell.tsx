import { Box, Burger, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { Suspense } from 'react';
import * as text from '#strings/shell.tsx';
import { lazyNamed } from '../app/late.ts';
import { refreshShown, useChanges, usePolling } from '../app/revision.ts';
import { useMe, useOrg } from '../app/session.ts';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';
import { LazyMenu } from '../components/floating/LazyMenu.tsx';
import { LinkNav } from '../components/links.tsx';
import { dateTime } from '../components/time/Time.tsx';
import { IconBuilding, IconCheck, IconHistory, IconPlus, IconSelector } from '../icons/icons.ts';
import { AddressedPage } from './AddressedPage.tsx';
import { useClosedBy } from './closed-by.ts';
import { ConnectionBanner, Logo, SchemeButton } from './Frame.tsx';
import { pagesOf } from './navigation.ts';
import classes from './OrgShell.module.css';
import { Spotlight } from './spotlight/Spotlight.tsx';
import { UserMenu } from './UserMenu.tsx';

const OrgClosed = lazyNamed(() => import('./OrgClosed.tsx'), 'OrgClosed');

/** The recent changes of the user, each with a button that undoes it. */
const RecentChanges = lazyDialog(
  () => import('../triage/recent/RecentChangesDialog.tsx'),
  'RecentChangesDialog',
);

/** The frame around the pages of an organization. */
export function OrgShell() {
  const org = useOrg();
  const { slug, may } = org;
  const queries = useQueryClient();
  usePolling();
  useChanges(() => refreshShown(queries, org));
  const closedBy = useClosedBy();
  const [showsChanges, changes] = useDisclosure();
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <>
      <a className="skip-link" href="#main">
        {text.skipToContent}
      </a>
      <header className={classes.header}>
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? text.closeMenu : text.openMenu}
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
            <UserMenu>
              {(Menu) =>
                may('listChanges') && (
                  <Menu.Item leftSection={<IconHistory size={16} />} onClick={changes.open}>
                    {text.recentChanges}
                  </Menu.Item>
                )
              }
            </UserMenu>
          </Group>
        </Group>
      </header>
      <nav className={classes.nav} data-closed={!opened || undefined} aria-label={text.pagesOfOrganization}>
        {pagesOf(org).map(({ to, label, Icon, exact }) => (
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
      </nav>
      <main className={classes.main} id="main" tabIndex={-1}>
        <PrintHead />
        <ConnectionBanner />
        {closedBy ? (
          <Suspense fallback={null}>
            <OrgClosed by={closedBy} />
          </Suspense>
        ) : (
          <AddressedPage />
        )}
        <RecentChanges opened={showsChanges} onClose={changes.close} />
      </main>
    </>
  );
}

/** The first lines on paper: the organization and the time. */
function PrintHead() {
  const { org } = useOrg();
  // Renders again when the user prints, so that the time is that of the paper.
  useMediaQuery('print');
  return (
    <header className="print-only">
      <Text size="xs" c="dimmed" pb={4} mb="sm" style={{ borderBottom: '1px solid' }}>
        {text.printed(
          <strong>
            <bdi>{org.name}</bdi>
          </strong>,
          dateTime(new Date()),
        )}
      </Text>
    </header>
  );
}

/** The number of organizations in the menu. The page of organizations lists all. */
const SHOWN = 20;

/** Switches between organizations with a page load, which clears the data of the previous one. */
function OrgMenu() {
  const { orgs } = useMe();
  const { slug, org } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const reached = orgs.filter((one) => site.reaches(one.slug)).slice(0, SHOWN);
  return (
    <LazyMenu
      position="bottom-start"
      width={260}
      button={(props) => (
        <Button
          {...props}
          variant="default"
          rightSection={<IconSelector size={14} aria-hidden />}
          style={{ minWidth: 0 }}
        >
          <VisuallyHidden>{text.organization} </VisuallyHidden>
          <Text span inherit truncate lh={1.4} maw={{ base: 140, sm: 220 }}>
            <bdi>{org.name}</bdi>
          </Text>
        </Button>
      )}
    >
      {(Menu) => (
        <Box mah="70vh" style={{ overflowY: 'auto' }}>
          <Menu.Label>{text.organizations}</Menu.Label>
          {reached.map((one) => (
            <Menu.Item
              key={one.id}
              component="a"
              href={site.orgUrl(one.slug)}
              leftSection={
                <IconCheck
                  size={16}
                  style={{ visibility: one.slug === slug ? 'visible' : 'hidden' }}
                  aria-hidden
                />
              }
              {...(one.slug === slug && { 'aria-current': 'true' as const })}
            >
              <Text inherit lineClamp={2}>
                <bdi>{one.name}</bdi>
              </Text>
              <Text size="xs" c="dimmed">
                {one.slug}
              </Text>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component="a" href={site.signInUrl('/orgs')} leftSection={<IconBuilding size={16} />}>
            {reached.length < orgs.length ? text.allOrganizations(orgs.length) : text.yourOrganizations}
          </Menu.Item>
          <Menu.Item component="a" href={site.signInUrl('/orgs/new')} leftSection={<IconPlus size={16} />}>
            {text.newOrganization}
          </Menu.Item>
        </Box>
      )}
    </LazyMenu>
  );
}
