import { createElement, Fragment, type ReactNode } from 'react';
import { type FindingSearch, GROUP_KEYS } from '../../../app/search.ts';
import { GROUP_NAMES } from '../../groups/group-names.ts';
import { filterOf } from '../../list-queries.ts';
import { ALL, viewOf } from '../../views.ts';
import { useFilterChips } from './filter-chips.tsx';
import { SORT_NAMES } from './sort-names.ts';

/** View, filters, grouping and order of a list in words: "Needs attention · Severity: Critical, High · Order: priority". */
export function useListWords(search: FindingSearch): ReactNode {
  const filter = filterOf(search);
  const grouping = GROUP_KEYS.find((key) => key === search.group_by);
  const chips = useFilterChips(filter);
  const values = new Map<string, ReactNode[]>();
  for (const [key, label, text] of chips)
    values.set(label, [...(values.get(label) ?? []), createElement('bdi', { key }, text)]);
  const parts: ReactNode[] = [
    viewOf(filter)?.label ?? 'All',
    ...[...values].map(([label, texts]) => [`${label}: `, ...separated(texts, ', ')]),
    grouping
      ? `Grouped by ${withSmallLetter(GROUP_NAMES[grouping])}`
      : `Order: ${withSmallLetter(SORT_NAMES[filter.sort ?? ALL.sort])}`,
  ];
  return separated(parts, ' · ');
}

const separated = (parts: readonly ReactNode[], separator: string): ReactNode[] =>
  parts.map((part, i) => createElement(Fragment, { key: i }, i > 0 && separator, part));

/** Abbreviations keep their capitals. */
const withSmallLetter = (name: string) =>
  /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
