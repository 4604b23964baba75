import { NativeSelect } from '@mantine/core';
import * as text from '#strings/findings/groups.tsx';
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
    <span aria-hidden>{text.groupedBy}</span>
    <NativeSelect
      size="xs"
      aria-label={text.groupFindings}
      data={[
        { value: '', label: text.noGroups },
        ...GROUP_KEYS.map((key) => ({ value: key, label: GROUP_NAMES[key] })),
      ]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onGroup(GROUP_KEYS.find((key) => key === currentTarget.value))}
    />
  </div>
);
