import { Avatar, Group } from '@mantine/core';
import { Outlet, useLocation } from '@tanstack/react-router';
import { tab as data } from '#strings/profile/data.tsx';
import { tab as tokens } from '#strings/profile/tokens.ts';
import * as text from '#strings/profile.tsx';
import { useMe } from '../app/session.ts';
import { LinkBox } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import {
  IconDatabase,
  IconDeviceLaptop,
  IconKey,
  IconLock,
  IconMail,
  IconShieldLock,
} from '../icons/icons.ts';
import { Name } from './Name.tsx';
import classes from './Profile.module.css';

const TABS = [
  { to: '/profile', label: text.emails, Icon: IconMail },
  { to: '/profile/password', label: text.password, Icon: IconLock },
  { to: '/profile/mfa', label: text.mfa, Icon: IconShieldLock },
  { to: '/profile/sessions', label: text.sessions, Icon: IconDeviceLaptop },
  { to: '/profile/tokens', label: tokens, Icon: IconKey },
  { to: '/profile/data', label: data, Icon: IconDatabase },
] as const;

/** The frame around the pages of the account. */
export function Profile() {
  const { user } = useMe();
  const { pathname } = useLocation();
  const current = TABS.findLast(({ to }) => pathname.startsWith(to));
  return (
    <Page
      title={current ? text.titleOf(current.label) : text.profile}
      heading={
        <Group gap="sm" wrap="nowrap">
          <Avatar name={user.name} color="indigo" size={40} alt="" />
          <Name />
        </Group>
      }
      description={<bdi>{user.email}</bdi>}
    >
      <nav aria-label={text.profile} className={classes.tabs}>
        {TABS.map(({ to, label, Icon }) => (
          <LinkBox
            key={to}
            to={to}
            className={classes.tab}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            <Icon size={16} stroke={1.6} aria-hidden />
            {label}
          </LinkBox>
        ))}
      </nav>
      <Outlet />
    </Page>
  );
}
