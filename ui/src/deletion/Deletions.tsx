import { Badge, Button, Group, Menu, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/deletion.tsx';
import { useOrg } from '../app/session.ts';
import { ActionMenu } from '../components/ActionMenu.tsx';
import { useAction, useConfirmed } from '../components/dialogs/use-confirmed.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Pages } from '../components/Pages.tsx';
import { Ago, dateTime } from '../components/time/Time.tsx';
import { IconTrash } from '../icons/icons.ts';
import { membersQuery } from '../members/queries.ts';
import { scanName } from '../scans/scan-name.ts';
import { undoDeletions } from './announce.tsx';
import { type Deletion, deletionsQuery, isInProgress } from './queries.ts';

/** The deletions of the last 30 days, each with a button that undoes it. */
export function Deletions() {
  const org = useOrg();
  const [page, setPage] = useState(1);
  const query = useQuery(deletionsQuery(org, page));
  const members = useQuery(membersQuery(org));
  const nameOf = (id: string) => members.data?.find(({ user_id }) => user_id === id)?.name;
  return (
    <Page
      title={text.deletions}
      description={
        <>
          {text.whatDeletionsAre}{' '}
          <OrgAnchor to="/o/$org/scans" search={{}} inherit underline="always">
            {text.toScans}
          </OrgAnchor>
        </>
      }
    >
      <Loaded query={query} waiting={<Skeleton height={240} />}>
        {({ deletions, pages }) =>
          deletions.length === 0 ? (
            <Empty icon={<IconTrash />} title={text.noDeletions} />
          ) : (
            <Stack>
              <Table verticalSpacing="sm" aria-label={text.deletions}>
                <Table.Tbody>
                  {deletions.map((deletion) => (
                    <Row key={deletion.id} deletion={deletion} actor={nameOf(deletion.actor_id)} />
                  ))}
                </Table.Tbody>
              </Table>
              <Pages total={pages} page={page} onChange={setPage} />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function Row({ deletion, actor }: { deletion: Deletion; actor: string | undefined }) {
  const { scan, selected, findings, restored, state, at, undo_until } = deletion;
  const count = state === 'deleting' ? selected : findings;
  const what = scan ? text.scanAndFindings(scanName(scan), count) : text.findings(count);
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{what}</bdi>
        </Text>
        <Text size="xs" c="dimmed">
          {text.deletedBy(actor)} · <Ago time={at} />
          {state === 'deleted' && <> · {text.untilThen(dateTime(undo_until))}</>}
        </Text>
        {isInProgress(deletion) && (
          <Text size="xs" role="status">
            {state === 'deleting' ? text.deleting(findings, selected) : text.restoring(restored, findings)}
          </Text>
        )}
        {state === 'restored' && restored < findings && (
          <Text size="xs" c="dimmed">
            {text.leftOut(findings - restored)}
          </Text>
        )}
      </Table.Td>
      <Table.Td w={132} align="right">
        <Actions deletion={deletion} what={what} />
      </Table.Td>
    </Table.Tr>
  );
}

function Actions({ deletion, what }: { deletion: Deletion; what: string }) {
  const { id, state } = deletion;
  const org = useOrg();
  const queries = useQueryClient();
  const undo = useAction({ mutationFn: () => undoDeletions(org, queries, [id]) });
  const purge = useConfirmed({
    title: text.removeForGoodQuestion,
    children: <Text size="sm">{text.cannotBeUndone}</Text>,
    confirm: text.removeForGood,
    color: 'red',
    mutationFn: () => org.api.delete('/deletions/{id}', { params: { path: { id } } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['org', org.slug, 'deletions'] }),
  });
  if (state === 'restored' || state === 'restoring') {
    return (
      <Badge variant="default" radius="sm" tt="none">
        {state === 'restored' ? text.undone : text.isBeingUndone}
      </Badge>
    );
  }
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button
        size="compact-sm"
        variant="default"
        loading={undo.isPending}
        onClick={() => undo.mutate()}
        aria-label={text.undoDeletion(what)}
      >
        {text.undo}
      </Button>
      {state === 'deleted' && org.may('purgeDeletion') && (
        <ActionMenu label={text.actionsFor(what)} isBusy={purge.isPending}>
          <Menu.Item
            color="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} />}
            onClick={purge.ask}
          >
            {text.removeForGoodAsk}
          </Menu.Item>
        </ActionMenu>
      )}
    </Group>
  );
}
