import { Avatar, Group, Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconBuilding, IconChevronDown, IconLogout, IconUser } from '@tabler/icons-react';
import { Link, useRouteContext } from '@tanstack/react-router';
import { problemOf } from '../parts/problem.ts';
import { useMe } from '../session.ts';
import { signOut } from './sign-out.ts';

/** Who is signed in, always in sight, and what is theirs. */
export function UserMenu() {
  const { user } = useMe();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const leave = () =>
    signOut(site).catch((error) => {
      const { title, advice } = problemOf(error);
      notifications.show({ color: 'red', title, message: advice });
    });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton>
          <VisuallyHidden>Account of {user.name}</VisuallyHidden>
          <Group gap="xs" wrap="nowrap" aria-hidden>
            <Avatar name={user.name} color="indigo" size={32} />
            <Text size="sm" maw={160} truncate visibleFrom="sm">
              <bdi>{user.name}</bdi>
            </Text>
            <IconChevronDown size={14} />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <bdi>{user.email}</bdi>
        </Menu.Label>
        <Menu.Item component={Link} to="/profile" leftSection={<IconUser size={16} />}>
          Profile and security
        </Menu.Item>
        <Menu.Item component={Link} to="/orgs" leftSection={<IconBuilding size={16} />}>
          Your organizations
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={leave}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
