import { Avatar, Box, Group, type Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { Link, useRouteContext } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import * as text from '#strings/shell.tsx';
import { signOut, useMe } from '../app/session.ts';
import { showError } from '../components/errors/toasts.ts';
import { LazyMenu } from '../components/floating/LazyMenu.tsx';
import { IconBuilding, IconChevronDown, IconLogout, IconUser } from '../icons/icons.ts';

interface Props {
  /** Renders further items. */
  children?(this: void, menu: typeof Menu): ReactNode;
}

/** The menu of the signed-in user. */
export function UserMenu({ children }: Props) {
  const { user } = useMe();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  return (
    <LazyMenu
      position="bottom-end"
      width={240}
      button={(props) => (
        <UnstyledButton {...props}>
          <VisuallyHidden>{text.accountOf(user.name)}</VisuallyHidden>
          <Group gap="xs" wrap="nowrap" aria-hidden>
            <Avatar name={user.name} color="indigo" size={32} />
            <Text size="sm" maw={160} truncate visibleFrom="sm">
              <bdi>{user.name}</bdi>
            </Text>
            <Box component={IconChevronDown} size={14} visibleFrom="xs" />
          </Group>
        </UnstyledButton>
      )}
    >
      {(Menu) => (
        <>
          <Menu.Label>
            <bdi>{user.email}</bdi>
          </Menu.Label>
          <Menu.Item component={Link} to="/profile" leftSection={<IconUser size={16} />}>
            {text.profileAndSecurity}
          </Menu.Item>
          <Menu.Item component={Link} to="/orgs" leftSection={<IconBuilding size={16} />}>
            {text.yourOrganizations}
          </Menu.Item>
          {children?.(Menu)}
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut(site).catch(showError)}>
            {text.signOut}
          </Menu.Item>
        </>
      )}
    </LazyMenu>
  );
}
