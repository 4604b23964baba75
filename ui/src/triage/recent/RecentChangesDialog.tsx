import { Badge, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { infiniteQueryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { deleted } from '#strings/deletion.tsx';
import * as text from '#strings/triage/recent.tsx';
import type { Schemas } from '../../app/api.ts';
import { type OrgSession, useMe, useOrg } from '../../app/session.ts';
import { useAction } from '../../components/dialogs/use-confirmed.ts';
import { Empty } from '../../components/Empty.tsx';
import { Problem } from '../../components/errors/Problem.tsx';
import { showSuccess } from '../../components/errors/toasts.ts';
import { LoadMore } from '../../components/LoadMore.tsx';
import { OrgAnchor } from '../../components/links.tsx';
import { Ago } from '../../components/time/Time.tsx';
import { ActorName } from '../../findings/page/timeline/Entry.tsx';
import { titleOf } from '../../findings/title.ts';
import { membersQuery } from '../../members/queries.ts';
import { refreshFindings } from '../cache.ts';
import type { Decision } from '../decision.ts';
import { textOf } from '../texts.ts';
import classes from './RecentChanges.module.css';

type RecentChange = Schemas['RecentChange'];

const ROWS = 20;

const changesQuery = ({ slug, api }: OrgSession) =>
  infiniteQueryOptions({
    queryKey: ['org', slug, 'changes'],
    queryFn: async ({ pageParam, signal }) => {
      const params = { query: { of: 'all' as const, page: pageParam, per_page: ROWS } };
      const { result, resultInfo } = await api.get('/changes', { params, signal });
      return { changes: result, hasNext: resultInfo?.has_next ?? false };
    },
    initialPageParam: 1,
    getNextPageParam: ({ hasNext }, pages) => (hasNext ? pages.length + 1 : undefined),
    staleTime: 0,
  });

interface Props {
  opened: boolean;
  onClose(): void;
}

export function RecentChangesDialog({ opened, onClose }: Props) {
  const org = useOrg();
  const list = useInfiniteQuery({ ...changesQuery(org), enabled: opened });
  const changes = list.data?.pages.flatMap((page) => page.changes) ?? [];
  const isAssigned = changes.some(({ what }) => typeof what.assignee_id === 'string');
  const members = useQuery({ ...membersQuery(org), enabled: opened && isAssigned });
  const nameOf = (id: string | null | undefined) => members.data?.find(({ user_id }) => user_id === id)?.name;
  const shown = [...new Map(changes.map((change) => [change.id, change])).values()];
  return (
    <Modal opened={opened} onClose={onClose} title={text.recentChanges} size="lg" yOffset="6vh">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {text.whatIsListed}
        </Text>
        {list.isPending && <Skeleton h={160} />}
        {list.error && !list.data && <Problem error={list.error} onRetry={list.refetch} />}
        {list.data && shown.length === 0 && <Empty title={text.noChanges}>{text.howToChange}</Empty>}
        <ul className={classes.list} aria-label={text.newestFirst}>
          {shown.map((change) => (
            <Row
              key={change.id}
              change={change}
              assignee={nameOf(change.what.assignee_id)}
              onLeave={onClose}
            />
          ))}
        </ul>
        <Group justify="space-between">
          <LoadMore list={list} size="compact-md">
            {text.showOlder}
          </LoadMore>
          <OrgAnchor to="/o/$org/activity" search={{}} size="sm" onClick={onClose}>
            {text.allActivity}
          </OrgAnchor>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The common values of a change as a decision. */
const decisionOf = ({ status, ...fields }: RecentChange['what']): Decision =>
  ({ ...fields, ...(status && { status: status.to }) }) as Decision;

interface RowProps {
  change: RecentChange;
  assignee: string | undefined;
  onLeave(): void;
}

function Row({ change, assignee, onLeave }: RowProps) {
  const org = useOrg();
  const queries = useQueryClient();
  const row = useRef<HTMLLIElement>(null);
  const undoing = useAction({
    mutationFn: async () =>
      (await org.api.post('/changes/{id}/undo', { params: { path: { id: change.id } } })).result,
    onSuccess: ({ restored, conflicts }) => {
      // The button is about to disappear.
      row.current?.focus();
      showSuccess(text.restored(restored.length, conflicts.length));
    },
    onSettled: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: changesQuery(org).queryKey }),
        refreshFindings(queries, org),
      ]);
    },
  });
  const { findings, finding_id, title, at, undone_at, what, actor, can_undo } = change;
  const { user } = useMe();
  const shownTitle = title === undefined ? deleted : titleOf(title);
  // The findings of a change may have nothing in common.
  const effect =
    findings > 1 && Object.keys(what).length === 0
      ? text.differentChanges
      : textOf(decisionOf(what), assignee);
  const link =
    finding_id === undefined ? (
      shownTitle
    ) : (
      <OrgAnchor to="/o/$org/findings/$id" params={{ id: finding_id }} onClick={onLeave} inherit>
        <bdi>{shownTitle}</bdi>
      </OrgAnchor>
    );
  return (
    <li className={classes.row} ref={row} tabIndex={-1}>
      <div className={classes.about}>
        <Text size="sm" fw={600}>
          {effect}
        </Text>
        <Text size="sm" lineClamp={1}>
          {findings > 1 ? text.findingAndOthers(link, findings - 1) : link}
        </Text>
        <Text size="xs" c="dimmed">
          {actor.id === user.id
            ? text.byYou(<Ago time={at} />)
            : text.by(<ActorName actor={actor} />, <Ago time={at} />)}
        </Text>
      </div>
      {finding_id === undefined ? null : undone_at ? (
        <Badge variant="default" radius="sm" tt="none" flex="none">
          {text.undone}
        </Badge>
      ) : can_undo ? (
        <Group flex="none">
          <Button
            size="compact-sm"
            variant="default"
            loading={undoing.isPending}
            onClick={() => undoing.mutate()}
            aria-label={text.undoChange(effect, shownTitle)}
          >
            {text.undo}
          </Button>
        </Group>
      ) : null}
    </li>
  );
}
