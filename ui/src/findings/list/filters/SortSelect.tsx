import { NativeSelect } from '@mantine/core';
import * as text from '#strings/findings/list/filters.tsx';
import { SORTS } from '../../../app/search.ts';
import type { FindingFilter } from '../../list-queries.ts';
import { SORT_NAMES } from './sort-names.ts';
import classes from './Toolbar.module.css';

interface Props {
  sort: NonNullable<FindingFilter['sort']>;
  onSort(sort: FindingFilter['sort']): void;
}

/** The order of the list. Priority means: regressed findings first, then by severity, then the newest. */
export const SortSelect = ({ sort, onSort }: Props) => (
  <div className={classes.choice}>
    <span aria-hidden>{text.sortedBy}</span>
    <NativeSelect
      size="xs"
      aria-label={text.sortOrder}
      data={SORTS.map((value) => ({ value, label: SORT_NAMES[value] }))}
      value={sort}
      onChange={({ currentTarget: { value } }) => onSort(SORTS.find((one) => one === value))}
    />
  </div>
);
