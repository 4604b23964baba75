import { Badge, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import {
  infiniteQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { deleted } from '#strings/deletion.tsx';
import type { Schemas } from '../../app/api.ts';
import { type OrgSession, useOrg } from '../../app/session.ts';
import { Empty } from '../../components/Empty.tsx';
import { Problem } from '../../components/errors/Problem.tsx';
import { showError, showSuccess } from '../../components/errors/toasts.ts';
import { LinkAnchor } from '../../components/links.tsx';
import { counted } from '../../components/numbers.ts';
import { Ago } from '../../components/time/Time.tsx';
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
      const params = { query: { page: pageParam, per_page: ROWS } };
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
    <Modal opened={opened} onClose={onClose} title="Recent changes" size="lg" yOffset="6vh">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Your changes of findings in the last 30 days. Undo restores the findings that nobody has changed
          since.
        </Text>
        {list.isPending && <Skeleton h={160} />}
        {list.error && !list.data && <Problem error={list.error} onRetry={list.refetch} />}
        {list.data && shown.length === 0 && (
          <Empty title="No changes yet">Triage a finding to see it here.</Empty>
        )}
        <ul className={classes.list} aria-label="Your recent changes">
          {shown.map((change) => (
            <Row
              key={change.id}
              change={change}
              assignee={nameOf(change.what.assignee_id)}
              onLeave={onClose}
            />
          ))}
        </ul>
        {list.hasNextPage && (
          <Button
            variant="default"
            size="compact-md"
            loading={list.isFetchingNextPage}
            onClick={() => list.fetchNextPage()}
          >
            Show older changes
          </Button>
        )}
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
  const undoing = useMutation({
    mutationFn: async () =>
      (await org.api.post('/changes/{id}/undo', { params: { path: { id: change.id } } })).result,
    onSuccess: ({ restored, conflicts }) => {
      const kept = conflicts.length;
      showSuccess(
        `${counted(restored.length, 'finding')} restored.${
          kept > 0 ? ` ${counted(kept, 'finding')} kept: changed by someone else since.` : ''
        }`,
      );
    },
    onError: showError,
    onSettled: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: changesQuery(org).queryKey }),
        refreshFindings(queries, org),
      ]);
    },
  });
  const { findings, finding_id, title, at, undone_at, what } = change;
  const shownTitle = title === undefined ? deleted : titleOf(title);
  // The findings of a change may have nothing in common.
  const text =
    findings > 1 && Object.keys(what).length === 0 ? 'Different changes' : textOf(decisionOf(what), assignee);
  return (
    <li className={classes.row}>
      <div className={classes.about}>
        <Text size="sm" fw={600}>
          {text}
        </Text>
        <Text size="sm" lineClamp={1}>
          {finding_id === undefined ? (
            shownTitle
          ) : (
            <LinkAnchor
              to="/o/$org/findings/$id"
              params={{ org: org.slug, id: finding_id }}
              onClick={onLeave}
              inherit
            >
              <bdi>{shownTitle}</bdi>
            </LinkAnchor>
          )}
          {findings > 1 && ` and ${counted(findings - 1, 'other')}`}
        </Text>
        <Text size="xs" c="dimmed">
          <Ago time={at} />
        </Text>
      </div>
      {finding_id === undefined ? null : undone_at ? (
        <Badge variant="default" radius="sm" tt="none" flex="none">
          Undone
        </Badge>
      ) : (
        <Group flex="none">
          <Button
            size="compact-sm"
            variant="default"
            loading={undoing.isPending}
            onClick={() => undoing.mutate()}
            aria-label={`Undo: ${text}, ${shownTitle}`}
          >
            Undo
          </Button>
        </Group>
      )}
    </li>
  );
}
