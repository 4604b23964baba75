import { ActionIcon, Avatar, Group, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Outlet, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { tab as data } from '#strings/profile/data.tsx';
import { tab as notifications } from '#strings/profile/notifications.ts';
import { tab as tokens } from '#strings/profile/tokens.ts';
import * as text from '#strings/profile.tsx';
import { api } from '../app/api.ts';
import { useMe } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { DialogForm } from '../components/forms/DialogForm.tsx';
import { useSend } from '../components/forms/use-send.ts';
import { LinkBox } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import {
  IconBell,
  IconDatabase,
  IconDeviceLaptop,
  IconKey,
  IconLock,
  IconMail,
  IconPencil,
  IconShieldLock,
} from '../icons/icons.ts';
import classes from './Profile.module.css';
import { useRefreshUser } from './queries.ts';

const TABS = [
  { to: '/profile', label: text.emails, Icon: IconMail },
  { to: '/profile/password', label: text.password, Icon: IconLock },
  { to: '/profile/mfa', label: text.mfa, Icon: IconShieldLock },
  { to: '/profile/sessions', label: text.sessions, Icon: IconDeviceLaptop },
  { to: '/profile/tokens', label: tokens, Icon: IconKey },
  { to: '/profile/notifications', label: notifications, Icon: IconBell },
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

const MAX_NAME = 200;

/** The name of the user, with a button that changes it. */
function Name() {
  const { user } = useMe();
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  return (
    <>
      <bdi>{user.name}</bdi>
      <ActionIcon
        variant="subtle"
        aria-label={text.changeName}
        title={text.changeName}
        onClick={() => setOpened(true)}
      >
        <IconPencil size={16} aria-hidden />
      </ActionIcon>
      <Modal opened={opened} onClose={close} title={text.changeName}>
        <NameForm onClose={close} />
      </Modal>
    </>
  );
}

function NameForm({ onClose }: { onClose: () => void }) {
  const { user } = useMe();
  const refresh = useRefreshUser();
  const form = useForm({
    initialValues: { name: user.name },
    validate: { name: (name) => (name.trim() === '' ? text.enterName : null) },
  });
  const change = useSend(form, {
    send: ({ name }) => api.patch('/auth/me', { body: { name: name.trim() } }),
    async onSent() {
      await refresh();
      showSuccess(text.nameChanged);
      onClose();
    },
  });
  return (
    <DialogForm sending={change} action={text.changeName} onCancel={onClose}>
      <TextInput
        label={text.name}
        description={text.whoSeesName}
        autoComplete="name"
        maxLength={MAX_NAME}
        data-autofocus
        {...form.getInputProps('name')}
      />
    </DialogForm>
  );
}
