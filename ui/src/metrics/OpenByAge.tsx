import { Table, Text } from '@mantine/core';
import { useId } from 'react';
import { number } from '#strings/language.ts';
import * as text from '#strings/metrics.tsx';
import { SEVERITIES } from '../app/search.ts';
import { Card, SeverityHeads } from '../dashboard/Card.tsx';
import { SeverityBar } from '../findings/SeverityBar.tsx';
import classes from './Metrics.module.css';
import type { Metrics } from './queries.ts';

type Age = Metrics['open_by_age'][number];

const nameOf = ({ min_days, max_days }: Age) =>
  max_days === undefined ? text.moreThanDays(min_days - 1) : text.fromToDays(min_days, max_days);

/** The unresolved findings of now, by their age and severity. */
export function OpenByAge({ ages }: { ages: Metrics['open_by_age'] }) {
  const about = useId();
  const most = Math.max(...ages.map(({ total }) => total));
  return (
    <Card title={text.unresolvedByAge}>
      {most === 0 ? (
        <Text size="sm" c="dimmed">
          {text.noneUnresolved}
        </Text>
      ) : (
        <>
          <Table.ScrollContainer minWidth={320} type="native" tabIndex={0}>
            <Table className={classes.table} verticalSpacing={6} fz="sm" aria-describedby={about}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{text.age}</Table.Th>
                  <Table.Th>{text.total}</Table.Th>
                  <SeverityHeads />
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
          {/* Not a caption: one is as wide as the table, which a phone shows only a part of. */}
          <Text id={about} size="sm" c="dimmed" mt="xs">
            {text.aboutAge}
          </Text>
        </>
      )}
    </Card>
  );
}
