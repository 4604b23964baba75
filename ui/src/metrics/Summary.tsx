import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { counted, number } from '../components/numbers.ts';
import classes from './Metrics.module.css';
import type { Metrics } from './queries.ts';
import { inHours, inPercent } from './words.ts';

interface Props {
  data: Metrics;
  /** Findings that were found in the range. */
  found: number;
  /** Findings that were resolved in the range, also by rules when they were pushed. */
  resolved: number;
  /** Unresolved findings of now. */
  open: number;
}

/** The most important numbers of the range. */
export function Summary({ data, found, resolved, open }: Props) {
  const { resolved: timed, median_hours } = data.time_to_resolve.all;
  const { in_time, resolved: due, share } = data.within_due_date;
  return (
    <dl className={classes.summary} style={{ marginBlock: 0 }} aria-label="Summary">
      <Cell name="Found" value={number(found)} about="in the range" />
      <Cell name="Resolved" value={number(resolved)} about="in the range" />
      <Cell name="Unresolved" value={number(open)} about="now" />
      <Cell
        name="Median time to resolve"
        value={inHours(median_hours)}
        about={timed === 0 ? 'Nothing was resolved' : `of ${counted(timed, 'finding')}`}
      />
      <Cell
        name="Resolved within due date"
        value={share === undefined ? '–' : inPercent(share)}
        about={
          due === 0
            ? 'No resolved finding had a due date'
            : `${number(in_time)} of ${counted(due, 'finding')}`
        }
      />
    </dl>
  );
}

const Cell = ({ name, value, about }: { name: string; value: string; about: ReactNode }) => (
  <div className={classes.cell}>
    <Text component="dt" size="sm" fw={500}>
      {name}
    </Text>
    <dd style={{ margin: 0 }}>
      <div className={classes.number}>{value}</div>
      <Text size="xs" c="dimmed">
        {about}
      </Text>
    </dd>
  </div>
);
