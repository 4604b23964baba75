import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createElement, Fragment, type ReactNode } from 'react';
import * as groups from '#strings/findings/groups.tsx';
import * as words from '#strings/findings/list/filters.tsx';
import { type FindingSearch, GROUP_KEYS, type GroupKey, type SORTS, TEXTS } from '../../../app/search.ts';
import { useOrg } from '../../../app/session.ts';
import { IconX } from '../../../icons/icons.ts';
import { membersQuery } from '../../../members/queries.ts';
import { projectsQuery } from '../../../projects/queries.ts';
import { scanQuery } from '../../../scans/queries.ts';
import { scanName } from '../../../scans/scan-name.ts';
import type { FindingFilter } from '../../list-queries.ts';
import { filterOf } from '../../list-queries.ts';
import { SEVERITY_NAMES, STATUS_NAMES } from '../../Severity.tsx';
import { ALL, filtersBesideView, viewOf } from '../../views.ts';
import classes from '../Findings.module.css';

const CHANGE_NAMES: Record<NonNullable<FindingFilter['change']>, string> = words.changes;

const ASSIGNEES: Readonly<Record<string, string>> = { me: words.me, none: words.nobody };

const FLAGS = ['attention', 'regressed', 'overdue', 'missing', 'proposed', 'has_exploit'] as const;

/** A list of ids without one of them; undefined if none is left. */
const otherThan = (ids: string | undefined, id: string): string | undefined =>
  ids
    ?.split(',')
    .filter((other) => other !== id)
    .join() || undefined;

/** An active filter: its key, its name and value in words, and the change of the list that removes it. */
export type FilterChip = [
  key: string,
  label: string,
  text: ReactNode,
  without: { [K in keyof FindingFilter]?: FindingFilter[K] | undefined },
];

/** The filters that the view does not have, in words. */
export function useFilterChips(filter: FindingFilter): FilterChip[] {
  const org = useOrg();
  const beside = filtersBesideView(filter);
  const { project_id, assignee, mentions, changed_by, scan_id, against, change, severity, status, q } =
    beside;
  const members = useQuery({
    ...membersQuery(org),
    enabled: (assignee ?? mentions ?? changed_by) !== undefined,
  }).data;
  const projects = useQuery(projectsQuery(org)).data;
  const chips: FilterChip[] = [];
  if (q) chips.push(['q', words.text, q, { q: undefined }]);
  const nameOf = (id: string) => projects?.find((project) => project.id === id)?.name ?? id;
  for (const id of project_id?.split(',') ?? [])
    chips.push([`project ${id}`, words.project, nameOf(id), { project_id: otherThan(project_id, id) }]);
  const memberOf = (id: string) =>
    ASSIGNEES[id] ?? members?.find(({ user_id }) => user_id === id)?.name ?? id;
  for (const id of assignee?.split(',') ?? [])
    chips.push([`assignee ${id}`, words.assignee, memberOf(id), { assignee: otherThan(assignee, id) }]);
  for (const id of mentions?.split(',') ?? [])
    chips.push([`mentions ${id}`, words.mentions, memberOf(id), { mentions: otherThan(mentions, id) }]);
  for (const id of changed_by?.split(',') ?? [])
    chips.push([
      `changed_by ${id}`,
      words.changedBy,
      memberOf(id),
      { changed_by: otherThan(changed_by, id) },
    ]);
  if (scan_id !== undefined) {
    const without = { scan_id: undefined, against: undefined, change: undefined };
    chips.push(['scan', words.scan, <ScanName key="scan" id={scan_id} />, without]);
  }
  if (against !== undefined && change) {
    const without = { against: undefined, change: undefined };
    chips.push(['change', CHANGE_NAMES[change], <ScanName key="against" id={against} />, without]);
  }
  for (const one of severity ?? []) {
    const rest = severity?.filter((other) => other !== one) ?? [];
    const without = { severity: rest.length > 0 ? rest : undefined };
    chips.push([`severity ${one}`, words.severity, SEVERITY_NAMES[one], without]);
  }
  for (const one of status ?? []) {
    const rest = status?.filter((other) => other !== one) ?? [];
    const without = { status: rest.length > 0 ? rest : undefined };
    chips.push([`status ${one}`, words.status, STATUS_NAMES[one], without]);
  }
  for (const name of FLAGS) {
    const value = beside[name];
    if (value !== undefined)
      chips.push([name, words.flags[name], value ? words.yes : words.no, { [name]: undefined }]);
  }
  for (const name of TEXTS) {
    const value = beside[name];
    if (value !== undefined)
      chips.push([name, words.texts[name], value || words.none, { [name]: undefined }]);
  }
  return chips;
}

function ScanName({ id }: { id: string }) {
  const { data } = useQuery({ ...scanQuery(useOrg(), id), retry: false });
  return data ? scanName(data) : id;
}

interface Props {
  filter: FindingFilter;
  onChange(change: { [K in keyof FindingFilter]?: FindingFilter[K] | undefined }): void;
  onClear(): void;
}

/** The active filters, each with a button that removes it. */
export function FilterChips({ filter, onChange, onClear }: Props) {
  const chips = useFilterChips(filter);
  if (chips.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label={words.activeFilters}>
      {chips.map(([key, label, value, without]) => (
        <li key={key}>
          <Button
            size="compact-xs"
            variant="light"
            radius="xl"
            fw={500}
            maw="min(100%, 20rem)"
            rightSection={<IconX size={12} aria-hidden />}
            onClick={() => onChange(without)}
            title={words.removeFilter}
          >
            {words.named(label, <bdi className={classes.value}>{value}</bdi>)}
          </Button>
        </li>
      ))}
      <li>
        <Button size="compact-xs" variant="subtle" onClick={onClear}>
          {words.clearAll}
        </Button>
      </li>
    </ul>
  );
}

/** The orders of the list. */
export const SORT_NAMES: Record<(typeof SORTS)[number], string> = words.sorts;

/** The fields that the list can be grouped by. */
export const GROUP_NAMES: Record<GroupKey, string> = groups.names;

/** View, filters, grouping and order of a list in words: "Needs attention · Severity: Critical, High · Order: priority". */
export function useListWords(search: FindingSearch): ReactNode {
  const filter = filterOf(search);
  const grouping = GROUP_KEYS.find((key) => key === search.group_by);
  const chips = useFilterChips(filter);
  const values = new Map<string, ReactNode[]>();
  for (const [key, label, text] of chips)
    values.set(label, [...(values.get(label) ?? []), createElement('bdi', { key }, text)]);
  const parts: ReactNode[] = [
    viewOf(filter)?.label ?? words.all,
    ...[...values].map(([label, texts]) => words.named(label, separated(texts, words.betweenValues))),
    grouping ? words.groupedBy(GROUP_NAMES[grouping]) : words.order(SORT_NAMES[filter.sort ?? ALL.sort]),
  ];
  return separated(parts, words.betweenParts);
}

const separated = (parts: readonly ReactNode[], separator: string): ReactNode[] =>
  parts.map((part, i) => createElement(Fragment, { key: i }, i > 0 && separator, part));
