import { Table, Text } from '@mantine/core';
import { SEVERITIES } from '../app/search.ts';
import { number } from '../components/numbers.ts';
import { Card } from '../dashboard/Card.tsx';
import { SEVERITY_NAMES } from '../findings/Severity.tsx';
import { SeverityBar } from '../findings/SeverityBar.tsx';
import classes from './Metrics.module.css';
import type { Metrics } from './queries.ts';

type Age = Metrics['open_by_age'][number];

const nameOf = ({ min_days, max_days }: Age) =>
  max_days === undefined ? `More than ${min_days - 1} days` : `${min_days} to ${max_days} days`;

/** The unresolved findings of now, by their age and severity. */
export function OpenByAge({ ages }: { ages: Metrics['open_by_age'] }) {
  const most = Math.max(...ages.map(({ total }) => total));
  return (
    <Card title="Unresolved by age">
      {most === 0 ? (
        <Text size="sm" c="dimmed">
          No finding is unresolved.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={320} type="native" tabIndex={0}>
          <Table className={classes.table} verticalSpacing={6} fz="sm" captionSide="bottom">
            <Table.Caption>
              The findings that are unresolved now, whatever the range. Age counts from when a finding was
              found or regressed.
            </Table.Caption>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Age</Table.Th>
                <Table.Th>Total</Table.Th>
                {SEVERITIES.map((severity) => (
                  <Table.Th key={severity}>{SEVERITY_NAMES[severity]}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {ages.map((age) => (
                <Table.Tr key={age.min_days}>
                  <Table.Th scope="row" fw={500}>
                    {nameOf(age)}
                    {age.total > 0 && (
                      <div className={classes.age} aria-hidden>
                        <div style={{ width: `${(age.total / most) * 100}%` }}>
                          <SeverityBar counts={age} height={6} />
                        </div>
                      </div>
                    )}
                  </Table.Th>
                  <Table.Td fw={600}>{number(age.total)}</Table.Td>
                  {SEVERITIES.map((severity) => (
                    <Table.Td key={severity}>{number(age[severity])}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  );
}
