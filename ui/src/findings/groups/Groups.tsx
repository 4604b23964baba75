import { Button, Center } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import * as text from '#strings/findings/groups.tsx';
import type { GroupKey } from '../../app/search.ts';
import { useOrg } from '../../app/session.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { showError } from '../../components/errors/toasts.ts';
import { Waiting } from '../../components/Waiting.tsx';
import { BATCH } from '../../triage/engine/change-statuses.ts';
import type { FormPreset } from '../../triage/form/triage-form.ts';
import type { TriageState } from '../../triage/use-triage.ts';
import { collect } from '../list/selection/collect.ts';
import { JobBar } from '../list/selection/JobBar.tsx';
import { type FindingFilter, totalQuery } from '../list-queries.ts';
import { GroupRow } from './GroupRow.tsx';
import classes from './Groups.module.css';
import { type FindingGroup, filterOfGroup, groupsQuery } from './group-queries.ts';
import { useGroupKeys } from './use-group-keys.ts';

export interface Counts {
  findings: number;
  groups: number;
}

interface Props {
  filter: FindingFilter;
  by: GroupKey;
  triage: TriageState;
  /** Shown without groups. */
  empty: ReactNode;
  /** Called with the numbers of findings and groups. */
  onCounts(counts: Counts): void;
}

/** The list of findings, with one row for each group. */
export function Groups({ filter, by, triage, empty, onCounts }: Props) {
  const org = useOrg();
  const mayTriage = org.may('updateFindings');
  const query = useInfiniteQuery(groupsQuery(org, filter, by));
  const { data, error, hasNextPage, isFetchingNextPage } = query;
  const groups = data?.pages.flatMap((page) => page.groups);
  const total = data?.pages.at(-1)?.total;
  const findings = useQuery(totalQuery(org, filter)).data;
  useEffect(() => {
    if (findings !== undefined && total !== undefined) onCounts({ findings, groups: total });
  }, [findings, total, onCounts]);
  /** Opens the form for all findings of a group. */
  const decide = useMutation({
    mutationFn: async ({ group, preset }: { group: FindingGroup; preset?: FormPreset | undefined }) => {
      const own = filterOfGroup(filter, by, group);
      const found = group.count > BATCH ? group.count : await collect(org, own);
      if (typeof found === 'number') triage.decideMatching({ filter: own, total: found }, preset);
      else triage.decide(found, preset);
    },
    onError: showError,
  });
  const keys = useGroupKeys({
    count: groups?.length ?? 0,
    mayTriage,
    decide(index, preset) {
      const group = groups?.[index];
      if (group) decide.mutate({ group, preset });
    },
    undo: triage.undo,
  });

  if (!groups) return error ? <Problem error={error} onRetry={() => query.refetch()} /> : <Waiting />;
  const job = triage.job && (
    <div className={classes.job}>
      <JobBar triage={triage} onRetry={() => triage.retry()} />
    </div>
  );
  if (groups.length === 0) {
    return (
      <>
        {job}
        {empty}
      </>
    );
  }
  return (
    <div>
      {job}
      <ul className={classes.list} {...keys}>
        {groups.map((group) => (
          <GroupRow
            key={group.key ?? ''}
            group={group}
            by={by}
            filter={filterOfGroup(filter, by, group)}
            isDeciding={decide.isPending && decide.variables.group.key === group.key}
            onDecide={mayTriage ? () => decide.mutate({ group }) : undefined}
          />
        ))}
      </ul>
      {error && <Problem error={error} onRetry={() => query.fetchNextPage()} />}
      {hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {text.showMore}
          </Button>
        </Center>
      )}
    </div>
  );
}
