import { Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/webhooks.tsx';
import { useOrg } from '../app/session.ts';
import { ActionMenu } from '../components/ActionMenu.tsx';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgButton } from '../components/links.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { KEPT_OPEN } from '../components/ShownOnce.tsx';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { IconPlus } from '../icons/icons.ts';
import { DestinationState } from './DestinationState.tsx';
import { type Webhook, webhooksQuery } from './queries.ts';
import { SecretShown, WebhookDialog } from './WebhookForm.tsx';

/** The webhooks of the organization, for admins who reach all projects. */
export function Webhooks() {
  const org = useOrg();
  const webhooks = useQuery(webhooksQuery(org));
  const [adding, { open, close }] = useDisclosure();
  return (
    <SectionCard title={text.webhooks} description={text.whatTheyDo}>
      <Loaded query={webhooks}>
        {(list) => (
          <Stack>
            {list.length === 0 && <Text size="sm">{text.noWebhooks}</Text>}
            {list.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
            <Group>
              <Button size="sm" leftSection={<IconPlus size={16} />} onClick={open}>
                {text.addWebhook}
              </Button>
            </Group>
          </Stack>
        )}
      </Loaded>
      <WebhookDialog opened={adding} onClose={close} />
    </SectionCard>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, events, project_ids = [], min_severity } = webhook;
  const names = events.map((one) => text.eventNames[one]);
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <OrgAnchor
            to="/o/$org/webhooks/$id"
            params={{ id }}
            size="sm"
            fw={500}
            style={{ overflowWrap: 'anywhere' }}
          >
            <bdi>{url}</bdi>
          </OrgAnchor>
          <DestinationState destination={webhook} />
        </Group>
        <Text size="xs" c="dimmed">
          {text.summary(names, project_ids.length, min_severity && SEVERITY_NAMES[min_severity])}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <OrgButton
          to="/o/$org/webhooks/$id"
          params={{ id }}
          size="compact-sm"
          variant="default"
          visibleFrom="sm"
        >
          {text.deliveriesOfIt}
        </OrgButton>
        <WebhookMenu webhook={webhook} />
      </Group>
    </Group>
  );
}

/** The actions for a webhook. */
export function WebhookMenu({ webhook, onDeleted }: { webhook: Webhook; onDeleted?: () => void }) {
  const { id, url, enabled } = webhook;
  const org = useOrg();
  const queries = useQueryClient();
  const [editing, { open, close }] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  const params = { path: { id } };
  const renew = () => queries.invalidateQueries(webhooksQuery(org));
  const test = useAction({
    mutationFn: () => org.api.post('/webhooks/{id}/test', { params }),
    async onSuccess() {
      showSuccess(text.testSent);
      await renew();
    },
  });
  const toggle = useAction({
    mutationFn: () => org.api.patch('/webhooks/{id}', { params, body: { enabled: !enabled } }),
    async onSuccess() {
      showSuccess(enabled ? text.isOff : text.isOn);
      await renew();
    },
  });
  const rotate = useConfirmed({
    title: text.askRotate(<bdi>{url}</bdi>),
    children: <Text size="sm">{text.whatRotationDoes}</Text>,
    confirm: text.replace,
    mutationFn: () => org.api.post('/webhooks/{id}/rotate-secret', { params }),
    onSuccess: ({ result }) => setSecret(result.secret),
  });
  const remove = useConfirmed({
    title: text.askDelete(<bdi>{url}</bdi>),
    children: <Text size="sm">{text.whatDeletionDoes}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: () => org.api.delete('/webhooks/{id}', { params }),
    async onSuccess() {
      showSuccess(text.deleted);
      onDeleted?.();
      await renew();
    },
  });
  const isBusy = [test, toggle, rotate, remove].some(({ isPending }) => isPending);
  return (
    <>
      <ActionMenu label={text.actionsOf(url)} isBusy={isBusy}>
        <Menu.Item onClick={open}>{text.edit}</Menu.Item>
        {enabled && <Menu.Item onClick={() => test.mutate()}>{text.sendTest}</Menu.Item>}
        <Menu.Item onClick={() => toggle.mutate()}>{enabled ? text.switchOff : text.switchOn}</Menu.Item>
        <Menu.Item onClick={rotate.ask}>{text.rotate}</Menu.Item>
        <Menu.Item color="red" onClick={remove.ask}>
          {text.remove}
        </Menu.Item>
      </ActionMenu>
      <WebhookDialog opened={editing} webhook={webhook} onClose={close} />
      <Modal
        opened={secret !== undefined}
        onClose={() => {}}
        title={text.secretTitle}
        size="lg"
        {...KEPT_OPEN}
      >
        {secret !== undefined && <SecretShown secret={secret} onClose={() => setSecret(undefined)} />}
      </Modal>
    </>
  );
}
