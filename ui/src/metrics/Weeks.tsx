import {
  ActionIcon,
  Box,
  ColorSwatch,
  Group,
  ScrollArea,
  Skeleton,
  Table,
  Text,
  Tooltip,
} from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { whenUp } from '../app/server.ts';
import { number } from '../components/numbers.ts';
import { Card } from '../dashboard/Card.tsx';
import classes from './Metrics.module.css';
import type { Metrics } from './queries.ts';
import type { DayRange } from './range.ts';
import { SERIES } from './series.ts';
import { dayInWords } from './words.ts';

const WeeksChart = lazy(whenUp(async () => ({ default: (await import('./WeeksChart.tsx')).WeeksChart })));

const HEIGHT = 240;

interface Props {
  weeks: Metrics['weeks'];
  range: DayRange;
}

/** Found and resolved findings per week, and how many were unresolved at its end. */
export function Weeks({ weeks, range }: Props) {
  const [asTable, setAsTable] = useState(false);
  const switching = asTable ? 'Show as a chart' : 'Show as a table';
  const words = inWords(weeks);
  return (
    <Card
      title="Found and resolved per week"
      side={
        <Tooltip label={switching}>
          <ActionIcon variant="default" aria-label={switching} onClick={() => setAsTable(!asTable)}>
            {asTable ? <IconChartBar size={16} /> : <IconTable size={16} />}
          </ActionIcon>
        </Tooltip>
      }
    >
      <Box className={classes.chart}>
        <Group justify="space-between" gap="xs" mih={22}>
          <Text size="xs" c="dimmed" aria-live="polite">
            {words}
          </Text>
          {!asTable && (
            <Group gap="sm" aria-hidden data-print-hidden>
              {SERIES.map(({ name, label, color }) => (
                <Group key={name} gap={4}>
                  <ColorSwatch color={color} size={10} radius={2} withShadow={false} />
                  <Text size="xs">{label}</Text>
                </Group>
              ))}
            </Group>
          )}
        </Group>
        {asTable ? (
          <ScrollArea.Autosize
            mah={HEIGHT}
            // A scrollable element must be reachable by keyboard.
            viewportProps={{ tabIndex: 0 }}
            data-print-hidden
          >
            <WeeksTable weeks={weeks} />
          </ScrollArea.Autosize>
        ) : (
          <div className="screen-chart">
            <Suspense fallback={<Skeleton height={HEIGHT} />}>
              <WeeksChart
                weeks={weeks}
                height={HEIGHT}
                label={`Chart of found, resolved and unresolved findings per week from ${dayInWords(range.from)} to ${dayInWords(range.to)}. ${words} A table shows the same data.`}
              />
            </Suspense>
          </div>
        )}
        {/* Paper has another width than the window, for which the chart was drawn. */}
        <div className="print-only">
          <WeeksTable weeks={weeks} />
        </div>
      </Box>
    </Card>
  );
}

function inWords(weeks: Metrics['weeks']): string {
  const found = weeks.reduce((sum, week) => sum + week.found, 0);
  const resolved = weeks.reduce((sum, week) => sum + week.resolved, 0);
  const open = weeks.at(-1)?.open ?? 0;
  return `${number(found)} found, ${number(resolved)} resolved, ${number(open)} unresolved at the end.`;
}

function WeeksTable({ weeks }: Pick<Props, 'weeks'>) {
  return (
    <Table className={classes.table} stickyHeader verticalSpacing={4} fz="xs" captionSide="bottom">
      <Table.Caption>Weeks begin on Monday (UTC). The first and the last one may be shorter.</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Week from</Table.Th>
          {SERIES.map(({ name, label }) => (
            <Table.Th key={name}>{label}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {weeks.toReversed().map((week) => (
          <Table.Tr key={week.start}>
            <Table.Th scope="row" fw={500}>
              {dayInWords(week.start)}
            </Table.Th>
            {SERIES.map(({ name }) => (
              <Table.Td key={name}>{number(week[name])}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
