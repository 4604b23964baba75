import { Center } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import * as text from '#strings/findings/groups.tsx';
import { noneMatchesAnyMore } from '#strings/triage.tsx';
import type { GroupKey } from '../../app/search.ts';
import { useOrg } from '../../app/session.ts';
import { useAction } from '../../components/dialogs/use-confirmed.ts';
import { Problem } from '../../components/errors/Problem.tsx';
import { showNote } from '../../components/errors/toasts.ts';
import { useShortcuts } from '../../components/keyboard/shortcuts.ts';
import { LoadMore } from '../../components/LoadMore.tsx';
import { Waiting } from '../../components/Waiting.tsx';
import { mayMatch, useAllowedProjects, within } from '../../projects/allowed-projects.ts';
import { BATCH } from '../../triage/engine/change-statuses.ts';
import type { FormPreset } from '../../triage/form/triage-form.ts';
import { triageShortcuts } from '../../triage/shortcuts.ts';
import type { TriageState } from '../../triage/use-triage.ts';
import { JobBar } from '../list/selection/JobBar.tsx';
import { collect } from '../list/selection/selection.ts';
import { type FindingFilter, totalQuery } from '../list-queries.ts';
import { GroupRow } from './GroupRow.tsx';
import classes from './Groups.module.css';
import { type FindingGroup, filterOfGroup, groupsQuery } from './group-queries.ts';

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
  const allowed = useAllowedProjects('updateFindings');
  const mayTriage = mayMatch(filter, allowed);
  const query = useInfiniteQuery(groupsQuery(org, filter, by));
  const { data, error } = query;
  const groups = data?.pages.flatMap((page) => page.groups);
  const total = data?.pages.at(-1)?.total;
  const findings = useQuery(totalQuery(org, filter)).data;
  useEffect(() => {
    if (findings !== undefined && total !== undefined) onCounts({ findings, groups: total });
  }, [findings, total, onCounts]);
  /** Opens the form for all findings of a group. */
  const decide = useAction({
    mutationFn: async ({ group, preset }: { group: FindingGroup; preset?: FormPreset | undefined }) => {
      const whole = filterOfGroup(filter, by, group);
      if (!mayMatch(whole, allowed)) return showNote(text.roleTooLow);
      const own = within(whole, allowed);
      const isKnown = group.count > BATCH && allowed === undefined;
      const found = isKnown ? group.count : await collect(org, own);
      if (typeof found === 'number') triage.decideMatching({ filter: own, total: found }, preset);
      else if (found.length > 0) triage.decide(found, preset);
      else showNote(allowed ? text.roleTooLow : noneMatchesAnyMore);
    },
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
        {groups.map((group) => {
          const own = filterOfGroup(filter, by, group);
          return (
            <GroupRow
              key={group.key ?? ''}
              group={group}
              by={by}
              filter={own}
              isDeciding={decide.isPending && decide.variables.group.key === group.key}
              onDecide={mayMatch(own, allowed) ? () => decide.mutate({ group }) : undefined}
            />
          );
        })}
      </ul>
      {error && <Problem error={error} onRetry={() => query.fetchNextPage()} />}
      <Center>
        <LoadMore list={query} mt="md">
          {text.showMore}
        </LoadMore>
      </Center>
    </div>
  );
}

interface GroupKeys {
  count: number;
  mayTriage: boolean;
  /** Opens the form for a group. */
  decide(index: number, preset?: FormPreset): void;
  undo(): void;
}

/**
 * The keys of the grouped list. `j` and `k` move the focus between groups; the other keys act on the group that has the focus.
 * When a group is gone, the next move starts from its position.
 * @returns properties of the list, whose children are the groups
 */
function useGroupKeys({ count, mayTriage, decide, undo }: GroupKeys) {
  const list = useRef<HTMLUListElement>(null);
  const last = useRef(0);
  const focused = () =>
    [...(list.current?.children ?? [])].findIndex((group) => group.contains(document.activeElement));
  const go = (index: number) => {
    const group = list.current?.children[Math.max(0, Math.min(count - 1, index))];
    const toggle = group?.querySelector<HTMLElement>('[aria-expanded]');
    toggle?.focus();
    group?.scrollIntoView({ block: 'nearest' });
  };
  const step = (by: number) => {
    const at = focused();
    go(at < 0 ? last.current : at + by);
  };
  /** Acts on the group that has the focus, or moves to one. */
  const onFocused = (run: (index: number) => void) => () => {
    const at = focused();
    if (at < 0) go(last.current);
    else run(at);
  };

  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    o: onFocused((index) =>
      list.current?.children[index]?.querySelector<HTMLElement>('[aria-expanded]')?.click(),
    ),
    ...(mayTriage && {
      ...triageShortcuts({ setStatus: (status) => onFocused((index) => decide(index, { status }))(), undo }),
      e: onFocused((index) => decide(index)),
    }),
  });

  return {
    ref: list,
    onFocus: () => {
      last.current = Math.max(0, focused());
    },
  };
}
