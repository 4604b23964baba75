import { Box, Button, Text, VisuallyHidden } from '@mantine/core';
import { useRouteContext } from '@tanstack/react-router';
import * as text from '#strings/shell.tsx';
import { useMe, useOrg } from '../app/session.ts';
import { LazyMenu } from '../components/floating/LazyMenu.tsx';
import { IconBuilding, IconCheck, IconPlus, IconSelector } from '../icons/icons.ts';

/** The number of organizations in the menu. The page of organizations lists all. */
const SHOWN = 20;

/** Switches between organizations with a page load, which clears the data of the previous one. */
export function OrgMenu() {
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
