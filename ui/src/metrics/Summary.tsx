import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { number } from '#strings/language.ts';
import * as text from '#strings/metrics.tsx';
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
    <dl className={classes.summary} style={{ marginBlock: 0 }} aria-label={text.summary}>
      <Cell name={text.found} value={number(found)} about={text.inTheRange} />
      <Cell name={text.resolved} value={number(resolved)} about={text.inTheRange} />
      <Cell name={text.unresolved} value={number(open)} about={text.now} />
      <Cell
        name={text.medianTime}
        value={inHours(median_hours)}
        about={timed === 0 ? text.nothingResolved : text.ofFindings(timed)}
      />
      <Cell
        name={text.withinDueDate}
        value={share === undefined ? text.none : inPercent(share)}
        about={due === 0 ? text.noneHadDueDate : text.inTimeOf(in_time, due)}
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
