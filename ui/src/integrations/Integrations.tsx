import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import * as text from '#strings/integrations.tsx';
import { useOrg } from '../app/session.ts';
import { ActionMenu } from '../components/ActionMenu.tsx';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgButton } from '../components/links.tsx';
import { SectionCard } from '../components/SectionCard.tsx';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { IconPlus } from '../icons/icons.ts';
import { DestinationState } from '../webhooks/DestinationState.tsx';
import { IntegrationDialog } from './IntegrationForm.tsx';
import { type Integration, integrationsQuery } from './queries.ts';

/** The integrations of the organization, for admins who reach all projects. */
export function Integrations() {
  const org = useOrg();
  const integrations = useQuery(integrationsQuery(org));
  const [adding, { open, close }] = useDisclosure();
  return (
    <SectionCard title={text.integrations} description={text.whatTheyDo}>
      <Loaded query={integrations}>
        {(list) => (
          <Stack>
            {list.length === 0 && <Text size="sm">{text.noIntegrations}</Text>}
            {list.map((integration) => (
              <IntegrationRow key={integration.id} integration={integration} />
            ))}
            <Group>
              <Button size="sm" leftSection={<IconPlus size={16} />} onClick={open}>
                {text.addIntegration}
              </Button>
            </Group>
          </Stack>
        )}
      </Loaded>
      <IntegrationDialog opened={adding} onClose={close} />
    </SectionCard>
  );
}

function IntegrationRow({ integration }: { integration: Integration }) {
  const { id, kind, name, host, project_ids = [], muted_project_ids = [], min_severity } = integration;
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <OrgAnchor
            to="/o/$org/integrations/$id"
            params={{ id }}
            size="sm"
            fw={500}
            style={{ overflowWrap: 'anywhere' }}
          >
            <bdi>{name}</bdi>
          </OrgAnchor>
          <DestinationState destination={integration} />
        </Group>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {text.summary(
            text.services[kind],
            host,
            project_ids.length,
            muted_project_ids.length,
            min_severity && SEVERITY_NAMES[min_severity],
          )}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <OrgButton
          to="/o/$org/integrations/$id"
          params={{ id }}
          size="compact-sm"
          variant="default"
          visibleFrom="sm"
        >
          {text.deliveriesOfIt}
        </OrgButton>
        <IntegrationMenu integration={integration} />
      </Group>
    </Group>
  );
}

/** The actions for an integration. */
export function IntegrationMenu({
  integration,
  onDeleted,
}: {
  integration: Integration;
  onDeleted?: () => void;
}) {
  const { id, name, enabled } = integration;
  const org = useOrg();
  const queries = useQueryClient();
  const [editing, { open, close }] = useDisclosure();
  const params = { path: { id } };
  const renew = () => queries.invalidateQueries(integrationsQuery(org));
  const test = useAction({
    mutationFn: () => org.api.post('/integrations/{id}/test', { params }),
    async onSuccess() {
      showSuccess(text.testSent);
      await renew();
    },
  });
  const toggle = useAction({
    mutationFn: () => org.api.patch('/integrations/{id}', { params, body: { enabled: !enabled } }),
    async onSuccess() {
      showSuccess(enabled ? text.isOff : text.isOn);
      await renew();
    },
  });
  const remove = useConfirmed({
    title: text.askDelete(<bdi>{name}</bdi>),
    children: <Text size="sm">{text.whatDeletionDoes}</Text>,
    confirm: text.remove,
    color: 'red',
    mutationFn: () => org.api.delete('/integrations/{id}', { params }),
    async onSuccess() {
      showSuccess(text.deleted);
      onDeleted?.();
      await renew();
    },
  });
  const isBusy = [test, toggle, remove].some(({ isPending }) => isPending);
  return (
    <>
      <ActionMenu label={text.actionsOf(name)} isBusy={isBusy}>
        <Menu.Item onClick={open}>{text.edit}</Menu.Item>
        {enabled && <Menu.Item onClick={() => test.mutate()}>{text.sendTest}</Menu.Item>}
        <Menu.Item onClick={() => toggle.mutate()}>{enabled ? text.switchOff : text.switchOn}</Menu.Item>
        <Menu.Item color="red" onClick={remove.ask}>
          {text.remove}
        </Menu.Item>
      </ActionMenu>
      <IntegrationDialog opened={editing} integration={integration} onClose={close} />
    </>
  );
}
