import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import * as text from '#strings/deletion.tsx';
import { api } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { useRefreshUser } from '../profile/use-refresh-user.ts';
import { TypedConfirmation } from './TypedConfirmation.tsx';

/** Deletes the organization, after its slug was typed. For owners. */
export function DeleteOrg() {
  const { org, role } = useOrg();
  const navigate = useNavigate();
  const refresh = useRefreshUser();
  const heading = useId();
  const [opened, { open, close }] = useDisclosure();
  if (role !== 'owner') return null;
  const { name, slug } = org;
  const remove = async () => {
    await api.delete('/orgs/{slug}', { params: { path: { slug } }, body: { confirm: slug } });
    showSuccess(text.orgDeleted(name));
    await navigate({ to: '/orgs', replace: true });
    await refresh();
  };
  return (
    <Card withBorder component="section" aria-labelledby={heading}>
      <Stack>
        <div>
          <Title order={2} fz="md" id={heading}>
            {text.deleteOrg}
          </Title>
          <Text size="sm" c="dimmed" maw="44rem">
            {text.orgIsGone}
          </Text>
        </div>
        <Group>
          <Button variant="default" size="sm" c="var(--mantine-color-error)" onClick={open}>
            {text.deleteOrgAsk}
          </Button>
        </Group>
      </Stack>
      <TypedConfirmation
        opened={opened}
        onClose={close}
        title={<bdi>{text.deleteThisOrg(name)}</bdi>}
        word={slug}
        label={text.deleteOrg}
        onConfirm={remove}
      >
        {text.orgIsGone}
      </TypedConfirmation>
    </Card>
  );
}
