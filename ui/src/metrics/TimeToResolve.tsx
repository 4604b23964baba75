import { Skeleton, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import * as text from '#strings/metrics.tsx';
import { SEVERITIES } from '../app/search.ts';
import { Card } from '../dashboard/Card.tsx';
import { SeverityBadge } from '../findings/Severity.tsx';
import classes from './Metrics.module.css';
import { NumberLink, periodOf, resolvedIn } from './NumberLink.tsx';
import type { Metrics } from './queries.ts';
import type { DayRange, OfProject } from './range.ts';
import { inHours } from './words.ts';

/** The height of the table. */
const HEIGHT = 230;

interface Props {
  /** Undefined while they load. */
  metrics: Metrics | undefined;
  range: DayRange;
  of: OfProject;
  /** Shown next to the title. */
  side?: ReactNode;
}

/** The times from when findings were found until they were resolved, by severity. */
export function TimeToResolve({ metrics, range, of, side }: Props) {
  const times = metrics?.time_to_resolve;
  const atOnce = metrics ? metrics.resolved.total - metrics.time_to_resolve.all.resolved : 0;
  const search = { ...of, ...resolvedIn(periodOf(range)) };
  return (
    <Card title={text.timeToResolve} side={side}>
      {!times && <Skeleton height={HEIGHT} />}
      {metrics?.resolved.total === 0 && (
        <Text size="sm" c="dimmed">
          {text.noneResolved}
        </Text>
      )}
      {metrics && times && metrics.resolved.total > 0 && (
        <Table.ScrollContainer minWidth={260} type="native" tabIndex={0} className={classes.times}>
          <Table className={classes.table} verticalSpacing={6} fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.severity}</Table.Th>
                <Table.Th>{text.resolved}</Table.Th>
                <Table.Th>{text.median}</Table.Th>
                <Table.Th title={text.aboutNinety}>{text.ninetyWithin}</Table.Th>
                <Table.Th className={classes.mean}>{text.mean}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {SEVERITIES.map((severity) => (
                <Row
                  key={severity}
                  name={<SeverityBadge severity={severity} />}
                  resolved={
                    <NumberLink
                      count={metrics.resolved[severity]}
                      search={{ ...search, severity: [severity] }}
                    />
                  }
                  time={times[severity]}
                />
              ))}
              <Row
                name={text.all}
                resolved={<NumberLink count={metrics.resolved.total} search={search} />}
                time={times.all}
              />
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {atOnce > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {text.resolvedAtOnce(atOnce)}
        </Text>
      )}
    </Card>
  );
}

interface RowProps {
  name: ReactNode;
  resolved: ReactNode;
  time: Metrics['time_to_resolve']['all'];
}

const Row = ({ name, resolved, time }: RowProps) => (
  <Table.Tr>
    <Table.Th scope="row" fw={500}>
      {name}
    </Table.Th>
    <Table.Td>{resolved}</Table.Td>
    <Table.Td>{inHours(time.median_hours)}</Table.Td>
    <Table.Td>{inHours(time.p90_hours)}</Table.Td>
    <Table.Td className={classes.mean}>{inHours(time.mean_hours)}</Table.Td>
  </Table.Tr>
);
