import { ActionIcon, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/profile.tsx';
import { api } from '../app/api.ts';
import { useMe } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { IconPencil } from '../icons/icons.ts';
import { useRefreshUser } from './use-refresh-user.ts';

const MAX_NAME = 200;

/** The name of the user, with a button that changes it. */
export function Name() {
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
  const change = useMutation({
    mutationFn: ({ name }: { name: string }) => api.patch('/auth/me', { body: { name: name.trim() } }),
    async onSuccess() {
      await refresh();
      showSuccess(text.nameChanged);
      onClose();
    },
  });
  return (
    <form noValidate onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack>
        <TextInput
          label={text.name}
          description={text.whoSeesName}
          autoComplete="name"
          maxLength={MAX_NAME}
          data-autofocus
          {...form.getInputProps('name')}
        />
        {change.error && <Problem error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {text.changeName}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
