import { Button, Code, Group, Select, Stack, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/webhooks.tsx';
import { rolesAllowed } from '../app/roles.ts';
import { withoutUndefined } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { Empty } from '../components/Empty.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Pages } from '../components/Pages.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { Ago } from '../components/time/Time.tsx';
import { IconHistory, IconLock } from '../icons/icons.ts';
import {
  type DeliveriesSearch,
  type Delivery,
  deliveriesQuery,
  STATES,
  type Webhook,
  webhooksQuery,
} from './queries.ts';
import { WebhookMenu, WebhookState } from './Webhooks.tsx';

const route = getRouteApi('/_signed-in/o/$org/webhooks/$id');

/** The log of deliveries of a webhook, for admins. */
export function Deliveries() {
  const org = useOrg();
  const { id } = route.useParams();
  const may = org.may('listWebhooks');
  const webhooks = useQuery({ ...webhooksQuery(org), enabled: may });
  if (!may)
    return (
      <Page title={text.deliveries}>
        <Empty icon={<IconLock />} title={text.whoSeesThem(rolesAllowed('listWebhooks'))} />
      </Page>
    );
  return (
    <Loaded query={webhooks}>
      {(list) => {
        const webhook = list.find((one) => one.id === id);
        if (webhook) return <Log webhook={webhook} />;
        return (
          <Page title={text.deliveries}>
            <Empty icon={<IconHistory />} title={text.noSuchWebhook}>
              <OrgAnchor to="/o/$org/settings" hash="webhooks">
                {text.backToWebhooks}
              </OrgAnchor>
            </Empty>
          </Page>
        );
      }}
    </Loaded>
  );
}

type Next = { [Name in keyof DeliveriesSearch]?: DeliveriesSearch[Name] | undefined };

function Log({ webhook }: { webhook: Webhook }) {
  const org = useOrg();
  const { state, page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(
    deliveriesQuery(org, webhook.id, withoutUndefined<DeliveriesSearch>({ state, page })),
  );
  const show = (next: Next) =>
    navigate({ search: withoutUndefined<DeliveriesSearch>({ state, ...next }), resetScroll: 'page' in next });
  return (
    <Page
      title={text.deliveriesTo(new URL(webhook.url).host)}
      description={text.whatIsListed}
      actions={
        <>
          <OrgButton to="/o/$org/settings" hash="webhooks" variant="default">
            {text.backToWebhooks}
          </OrgButton>
          <WebhookMenu
            webhook={webhook}
            onDeleted={() => navigate({ to: '/o/$org/settings', hash: 'webhooks' })}
          />
        </>
      }
    >
      <Group justify="space-between" align="flex-end">
        <Select
          label={text.state}
          placeholder={text.allStates}
          clearable
          data={STATES.map((value) => ({ value, label: text.states[value] }))}
          value={state ?? null}
          onChange={(value) => show({ state: STATES.find((one) => one === value) })}
        />
        <WebhookState webhook={webhook} />
      </Group>
      <Text size="sm" c="dimmed" aria-live="polite" mih={20}>
        {query.data && text.count(query.data.total)}
      </Text>
      <Loaded query={query}>
        {({ deliveries, pages }) =>
          deliveries.length === 0 ? (
            <Empty icon={<IconHistory />} title={state ? text.nothingMatches : text.nothing}>
              {state ? (
                <OrgAnchor to="/o/$org/webhooks/$id" params={{ id: webhook.id }} search={{}}>
                  {text.showAll}
                </OrgAnchor>
              ) : (
                text.nothingYet
              )}
            </Empty>
          ) : (
            <Stack>
              <Table verticalSpacing="xs" aria-label={text.deliveries}>
                <Table.Thead visibleFrom="md">
                  <Table.Tr>
                    {[text.time, text.event, text.state, text.result, text.actions].map((name) => (
                      <Table.Th key={name}>{name}</Table.Th>
                    ))}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody style={{ overflowWrap: 'anywhere' }}>
                  {deliveries.map((delivery) => (
                    <Row key={delivery.id} webhook={webhook} delivery={delivery} />
                  ))}
                </Table.Tbody>
              </Table>
              <Pages
                total={pages}
                page={page}
                onChange={(value) => show({ page: value === 1 ? undefined : value })}
              />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

interface RowProps {
  webhook: Webhook;
  delivery: Delivery;
}

/** On narrow screens, a delivery is one cell. */
function Row({ webhook, delivery }: RowProps) {
  const { created_at, event } = delivery;
  const type = event?.type ?? text.test;
  return (
    <Table.Tr>
      <Table.Td visibleFrom="md">
        <Ago time={created_at} />
      </Table.Td>
      <Table.Td visibleFrom="md">{type}</Table.Td>
      <Table.Td visibleFrom="md">
        <State delivery={delivery} />
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Result delivery={delivery} />
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Redeliver webhook={webhook} delivery={delivery} />
      </Table.Td>
      <Table.Td hiddenFrom="md" px={0}>
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={600}>
            {type}
          </Text>
          <State delivery={delivery} />
        </Group>
        <Result delivery={delivery} />
        <Group justify="space-between" gap="xs" mt={4}>
          <Text size="xs" c="dimmed">
            <Ago time={created_at} />
          </Text>
          <Redeliver webhook={webhook} delivery={delivery} />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

const COLORS = { pending: 'orange', delivered: 'teal', failed: 'red' };

const State = ({ delivery: { state } }: Pick<RowProps, 'delivery'>) => (
  <StateBadge label={text.states[state]} color={COLORS[state]} />
);

const MINUTE_MS = 60_000;
const isSoon = (time: string) => Date.parse(time) < Date.now() + MINUTE_MS;

function Result({ delivery }: Pick<RowProps, 'delivery'>) {
  const { state, attempts, status, duration_ms = 0, error, response, next_at } = delivery;
  if (attempts === 0) return null;
  return (
    <Stack gap={2}>
      <Text size="sm">
        {status === undefined ? <bdi>{error}</bdi> : text.answered(status, duration_ms)}
        {attempts > 1 && `, ${text.attempts(attempts)}`}
        {state === 'pending' && next_at && (
          <>, {text.nextAttempt(isSoon(next_at) ? text.soon : <Ago time={next_at} />)}</>
        )}
      </Text>
      {response && state !== 'delivered' && (
        <details>
          <Text component="summary" size="xs" c="dimmed" style={{ cursor: 'pointer' }}>
            {text.response}
          </Text>
          <Code block mah={200} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }} tabIndex={0}>
            {response}
          </Code>
        </details>
      )}
    </Stack>
  );
}

function Redeliver({ webhook, delivery }: RowProps) {
  const org = useOrg();
  const queries = useQueryClient();
  const again = useAction({
    mutationFn: () => {
      const path = { id: webhook.id, deliveryId: delivery.id };
      return org.api.post('/webhooks/{id}/deliveries/{deliveryId}/redeliver', { params: { path } });
    },
    async onSuccess() {
      showSuccess(text.redelivering);
      await queries.invalidateQueries(webhooksQuery(org));
    },
  });
  if (!webhook.enabled) return null;
  return (
    <Button size="compact-sm" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
      {text.redeliver}
    </Button>
  );
}
