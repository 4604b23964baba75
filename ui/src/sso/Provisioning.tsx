import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/provisioning.ts';
import { useOrg } from '../app/session.ts';
import { Copyable } from '../components/Copy.tsx';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { KEPT_OPEN, ShownOnce } from '../components/ShownOnce.tsx';
import { Ago } from '../components/time/Time.tsx';
import { provisioningQuery } from './queries.ts';

/** The token of the provider that adds and removes members, for owners. */
export function Provisioning() {
  const org = useOrg();
  const queries = useQueryClient();
  const state = useQuery(provisioningQuery(org));
  const [created, setCreated] = useState('');
  const [isOpen, dialog] = useDisclosure();
  const renew = () => queries.invalidateQueries(provisioningQuery(org));
  const create = () => org.api.post('/settings/scim/token', {});
  const show = async ({ result }: Awaited<ReturnType<typeof create>>) => {
    setCreated(result.token);
    dialog.open();
    await renew();
  };
  const first = useAction({ mutationFn: create, onSuccess: show });
  const next = useConfirmed({
    title: text.askReplace,
    children: <Text size="sm">{text.replacing}</Text>,
    confirm: text.replace,
    mutationFn: create,
    onSuccess: show,
  });
  const remove = useConfirmed({
    title: text.askRemove,
    children: <Text size="sm">{text.removing}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: () => org.api.delete('/settings/scim/token', {}),
    async onSuccess() {
      showSuccess(text.removed);
      await renew();
    },
  });
  const close = () => {
    dialog.close();
    setCreated('');
  };
  return (
    <SectionCard title={text.provisioning} description={text.description}>
      <Loaded query={state}>
        {({ base_url, token }) => (
          <Stack>
            <div>
              <Text size="sm" fw={500}>
                {text.baseUrl}
              </Text>
              <Copyable value={base_url} />
            </div>
            {token ? (
              <Group justify="space-between">
                <div>
                  <Text size="sm">{text.tokenOf(token.prefix)}</Text>
                  <Text size="xs" c="dimmed">
                    {text.createdAt} <Ago time={token.created_at} />
                    {' · '}
                    {token.last_used ? (
                      <>
                        {text.lastUsed} <Ago time={token.last_used} />
                      </>
                    ) : (
                      text.neverUsed
                    )}
                  </Text>
                </div>
                <Group gap="xs">
                  <Button size="compact-sm" variant="default" loading={next.isPending} onClick={next.ask}>
                    {text.replace}
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    loading={remove.isPending}
                    onClick={remove.ask}
                  >
                    {text.remove}
                  </Button>
                </Group>
              </Group>
            ) : (
              <div>
                <Button variant="default" loading={first.isPending} onClick={() => first.mutate()}>
                  {text.create}
                </Button>
              </div>
            )}
          </Stack>
        )}
      </Loaded>
      <Modal opened={isOpen} onClose={close} title={text.newToken} {...KEPT_OPEN}>
        <ShownOnce warning={text.copyNow} saved={text.isStored} onClose={close}>
          <Copyable value={created} />
        </ShownOnce>
      </Modal>
    </SectionCard>
  );
}
