import { NativeSelect } from '@mantine/core';
import { GROUP_KEYS, type GroupKey } from '../../app/search.ts';
import classes from '../list/filters/Toolbar.module.css';
import { GROUP_NAMES } from './group-names.ts';

interface Props {
  value: GroupKey | undefined;
  onGroup(by: GroupKey | undefined): void;
}

/** Chooses the field that the list is grouped by. */
export const GroupBySelect = ({ value, onGroup }: Props) => (
  <div className={classes.choice}>
    <span aria-hidden>Grouped by</span>
    <NativeSelect
      size="xs"
      aria-label="Group findings"
      data={[
        { value: '', label: 'No groups' },
        ...GROUP_KEYS.map((key) => ({ value: key, label: GROUP_NAMES[key] })),
      ]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onGroup(GROUP_KEYS.find((key) => key === currentTarget.value))}
    />
  </div>
);
