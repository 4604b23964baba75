import { Button } from '@mantine/core';
import * as text from '#strings/findings/list/filters.tsx';
import { IconX } from '../../../icons/icons.ts';
import type { FindingFilter } from '../../list-queries.ts';
import classes from '../Findings.module.css';
import { useFilterChips } from './filter-chips.tsx';

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
    <ul className={classes.chips} aria-label={text.activeFilters}>
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
            title={text.removeFilter}
          >
            {text.named(label, <bdi className={classes.value}>{value}</bdi>)}
          </Button>
        </li>
      ))}
      <li>
        <Button size="compact-xs" variant="subtle" onClick={onClear}>
          {text.clearAll}
        </Button>
      </li>
    </ul>
  );
}
