import { Button, Code, Group, Select, Stack, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as text from '#strings/webhooks.tsx';
import { withoutUndefined } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { Empty } from '../components/Empty.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Pages } from '../components/Pages.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { Ago } from '../components/time/Time.tsx';
import { IconHistory } from '../icons/icons.ts';
import { DestinationState } from './DestinationState.tsx';
import {
  type DeliveriesSearch,
  type Delivery,
  type Destination,
  type DestinationGroup,
  deliveriesQuery,
  destinationsKey,
  redeliver,
  STATES,
} from './queries.ts';

type Next = { [Name in keyof DeliveriesSearch]?: DeliveriesSearch[Name] | undefined };

interface Props {
  group: DestinationGroup;
  destination: Destination;
  /** The host of a webhook, the name of an integration. */
  name: string;
  /** The label of the link to the settings. */
  backTo: string;
  menu: ReactNode;
  search: DeliveriesSearch;
  onSearch: (search: DeliveriesSearch, resetScroll: boolean) => void;
}

/** The log of deliveries of a webhook or an integration. */
export function DeliveryLog({ group, destination, name, backTo, menu, search, onSearch }: Props) {
  const org = useOrg();
  const { state, page = 1 } = search;
  const query = useQuery(
    deliveriesQuery(org, group, destination.id, withoutUndefined<DeliveriesSearch>({ state, page })),
  );
  const show = (next: Next) =>
    onSearch(withoutUndefined<DeliveriesSearch>({ state, ...next }), 'page' in next);
  return (
    <Page
      title={text.deliveriesTo(name)}
      description={text.whatIsListed}
      actions={
        <>
          <OrgButton to="/o/$org/settings" hash={group} variant="default">
            {backTo}
          </OrgButton>
          {menu}
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
        <DestinationState destination={destination} />
      </Group>
      <Text size="sm" c="dimmed" aria-live="polite" mih={20}>
        {query.data && text.count(query.data.total)}
      </Text>
      <Loaded query={query}>
        {({ deliveries, pages }) =>
          deliveries.length === 0 ? (
            <Empty icon={<IconHistory />} title={state ? text.nothingMatches : text.nothing}>
              {state ? (
                <Button variant="subtle" size="compact-sm" onClick={() => onSearch({}, true)}>
                  {text.showAll}
                </Button>
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
                    <Row key={delivery.id} {...{ group, destination, delivery }} />
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
  group: DestinationGroup;
  destination: Destination;
  delivery: Delivery;
}

/** On narrow screens, a delivery is one cell. */
function Row({ group, destination, delivery }: RowProps) {
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
        <Redeliver group={group} destination={destination} delivery={delivery} />
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
          <Redeliver group={group} destination={destination} delivery={delivery} />
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

function Redeliver({ group, destination, delivery }: RowProps) {
  const org = useOrg();
  const queries = useQueryClient();
  const again = useAction({
    mutationFn: () => redeliver(org, group, { id: destination.id, deliveryId: delivery.id }),
    async onSuccess() {
      showSuccess(text.redelivering);
      await queries.invalidateQueries({ queryKey: destinationsKey(org, group) });
    },
  });
  if (!destination.enabled) return null;
  return (
    <Button size="compact-sm" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
      {text.redeliver}
    </Button>
  );
}
