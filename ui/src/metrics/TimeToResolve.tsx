import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SEVERITIES } from '../app/search.ts';
import { number } from '../components/numbers.ts';
import { Card } from '../dashboard/Card.tsx';
import { SeverityBadge } from '../findings/Severity.tsx';
import classes from './Metrics.module.css';
import type { Metrics } from './queries.ts';
import { inHours } from './words.ts';

/** The times from when findings were found until they were resolved, by severity. */
export function TimeToResolve({ times }: { times: Metrics['time_to_resolve'] }) {
  return (
    <Card title="Time to resolve">
      {times.all.resolved === 0 ? (
        <Text size="sm" c="dimmed">
          No finding was resolved in this range.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={300} type="native" tabIndex={0}>
          <Table className={classes.table} verticalSpacing={6} fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Severity</Table.Th>
                <Table.Th>Resolved</Table.Th>
                <Table.Th>Median</Table.Th>
                <Table.Th title="90% were resolved within this time">90% within</Table.Th>
                <Table.Th>Mean</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {SEVERITIES.map((severity) => (
                <Row key={severity} name={<SeverityBadge severity={severity} />} time={times[severity]} />
              ))}
              <Row name="All" time={times.all} />
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  );
}

const Row = ({ name, time }: { name: ReactNode; time: Metrics['time_to_resolve']['all'] }) => (
  <Table.Tr>
    <Table.Th scope="row" fw={500}>
      {name}
    </Table.Th>
    <Table.Td>{number(time.resolved)}</Table.Td>
    <Table.Td>{inHours(time.median_hours)}</Table.Td>
    <Table.Td>{inHours(time.p90_hours)}</Table.Td>
    <Table.Td>{inHours(time.mean_hours)}</Table.Td>
  </Table.Tr>
);
