import { NativeSelect } from '@mantine/core';
import * as groups from '#strings/findings/groups.tsx';
import * as text from '#strings/findings/list/filters.tsx';
import { GROUP_KEYS, type GroupKey, SORTS } from '../../../app/search.ts';
import type { FindingFilter } from '../../list-queries.ts';
import { GROUP_NAMES, SORT_NAMES } from './list-words.ts';
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

interface GroupBySelectProps {
  value: GroupKey | undefined;
  onGroup(by: GroupKey | undefined): void;
}

/** Chooses the field that the list is grouped by. */
export const GroupBySelect = ({ value, onGroup }: GroupBySelectProps) => (
  <div className={classes.choice}>
    <span aria-hidden>{groups.groupedBy}</span>
    <NativeSelect
      size="xs"
      aria-label={groups.groupFindings}
      data={[
        { value: '', label: groups.noGroups },
        ...GROUP_KEYS.map((key) => ({ value: key, label: GROUP_NAMES[key] })),
      ]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onGroup(GROUP_KEYS.find((key) => key === currentTarget.value))}
    />
  </div>
);
