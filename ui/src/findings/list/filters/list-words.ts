import { createElement, Fragment, type ReactNode } from 'react';
import * as groups from '#strings/findings/groups.tsx';
import * as words from '#strings/findings/list/filters.tsx';
import { type FindingSearch, GROUP_KEYS, type GroupKey, type SORTS } from '../../../app/search.ts';
import { filterOf } from '../../list-queries.ts';
import { ALL, viewOf } from '../../views.ts';
import { useFilterChips } from './filter-chips.tsx';

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
