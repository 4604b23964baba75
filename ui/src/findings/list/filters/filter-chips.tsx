import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createElement, Fragment, type ReactNode } from 'react';
import * as groups from '#strings/findings/groups.tsx';
import * as words from '#strings/findings/list/filters.tsx';
import { type FindingSearch, GROUP_KEYS, type GroupKey, type SORTS } from '../../../app/search.ts';
import { useOrg } from '../../../app/session.ts';
import { IconX } from '../../../icons/icons.ts';
import { membersQuery } from '../../../members/queries.ts';
import { projectsQuery } from '../../../projects/queries.ts';
import { scanQuery } from '../../../scans/queries.ts';
import { scanName } from '../../../scans/scan-name.ts';
import { type FilterChange, type ListState, stateOf } from '../../list-state.ts';
import { ALL } from '../../views.ts';
import classes from '../Findings.module.css';
import { type Chip, chipsOf } from './chips.ts';

/** The active filters beside the view, with their values in words. */
function useFilterChips(list: ListState): (Chip & { text: ReactNode })[] {
  const org = useOrg();
  const { assignee, changed_by, mentions } = list.filter;
  const members = useQuery({
    ...membersQuery(org),
    enabled: (assignee ?? mentions ?? changed_by) !== undefined,
  }).data;
  const projects = useQuery(projectsQuery(org)).data;
  return chipsOf(list, {
    project: (id) => projects?.find((project) => project.id === id)?.name,
    member: (id) => members?.find(({ user_id }) => user_id === id)?.name,
  }).map((chip) => ({ ...chip, text: chip.scan ? <ScanName id={chip.scan} /> : chip.value }));
}

function ScanName({ id }: { id: string }) {
  const { data, isPending } = useQuery({ ...scanQuery(useOrg(), id), retry: false });
  if (data) return scanName(data);
  // The id is so long that the list would move when the name is there.
  return isPending ? '…' : id;
}

interface Props {
  list: ListState;
  onChange(change: FilterChange): void;
  onClear(): void;
}

/** The active filters, each with a button that removes it. */
export function FilterChips({ list, onChange, onClear }: Props) {
  const chips = useFilterChips(list);
  if (chips.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label={words.activeFilters}>
      {chips.map(({ key, label, text, without }) => (
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
            {words.named(label, <bdi className={classes.value}>{text}</bdi>)}
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
  const state = stateOf(search);
  const grouping = GROUP_KEYS.find((key) => key === search.group_by);
  const chips = useFilterChips(state);
  const values = new Map<string, ReactNode[]>();
  for (const { key, label, text } of chips)
    values.set(label, [...(values.get(label) ?? []), createElement('bdi', { key }, text)]);
  const parts: ReactNode[] = [
    state.view.label,
    ...[...values].map(([label, texts]) => words.named(label, separated(texts, words.betweenValues))),
    grouping
      ? words.groupedBy(GROUP_NAMES[grouping])
      : words.order(SORT_NAMES[state.filter.sort ?? ALL.sort]),
  ];
  return separated(parts, words.betweenParts);
}

const separated = (parts: readonly ReactNode[], separator: string): ReactNode[] =>
  parts.map((part, i) => createElement(Fragment, { key: i }, i > 0 && separator, part));
