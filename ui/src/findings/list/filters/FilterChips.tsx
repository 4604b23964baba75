import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
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
    <ul className={classes.chips} aria-label="Active filters">
      {chips.map(([key, label, text, without]) => (
        <li key={key}>
          <Button
            size="compact-xs"
            variant="light"
            radius="xl"
            fw={500}
            maw="min(100%, 20rem)"
            rightSection={<IconX size={12} aria-hidden />}
            onClick={() => onChange(without)}
            title="Remove this filter"
          >
            {label}: <bdi className={classes.value}>{text}</bdi>
          </Button>
        </li>
      ))}
      <li>
        <Button size="compact-xs" variant="subtle" onClick={onClear}>
          Clear all
        </Button>
      </li>
    </ul>
  );
}
