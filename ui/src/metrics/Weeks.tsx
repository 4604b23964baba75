import { ActionIcon, Box, ColorSwatch, Group, ScrollArea, Skeleton, Table, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { number } from '#strings/language.ts';
import * as text from '#strings/metrics.tsx';
import { lazyNamed } from '../app/late.ts';
import { Tip } from '../components/floating/Tip.tsx';
import { Card } from '../dashboard/Card.tsx';
import { IconChartBar, IconTable } from '../icons/icons.ts';
import classes from './Metrics.module.css';
import type { Metrics } from './queries.ts';
import type { DayRange } from './range.ts';
import { dayInWords, SERIES } from './words.ts';

const WeeksChart = lazyNamed(() => import('./WeeksChart.tsx'), 'WeeksChart');

const HEIGHT = 240;

interface Props {
  /** Undefined while they load. */
  weeks: Metrics['weeks'] | undefined;
  range: DayRange;
}

/** Found and resolved findings per week, and how many were unresolved at its end. */
export function Weeks({ weeks, range }: Props) {
  const [asTable, setAsTable] = useState(false);
  const switching = asTable ? text.showAsChart : text.showAsTable;
  const words = weeks && inWords(weeks);
  return (
    <Card
      title={text.perWeek}
      side={
        <Tip label={switching}>
          <ActionIcon variant="default" aria-label={switching} onClick={() => setAsTable(!asTable)}>
            {asTable ? <IconChartBar size={16} /> : <IconTable size={16} />}
          </ActionIcon>
        </Tip>
      }
    >
      <Box className={classes.chart}>
        {/* The height is that of two lines where the words may need them. */}
        <Text size="xs" c="dimmed" aria-live="polite" mih={{ base: 38, xs: 19 }}>
          {words}
        </Text>
        <Group gap="sm" mih={22} aria-hidden data-print-hidden>
          {!asTable &&
            SERIES.map(({ name, label, color }) => (
              <Group key={name} gap={4}>
                <ColorSwatch color={color} size={10} radius={2} withShadow={false} />
                <Text size="xs">{label}</Text>
              </Group>
            ))}
        </Group>
        {!weeks && <Skeleton height={HEIGHT} />}
        {weeks && asTable && (
          <ScrollArea.Autosize
            mah={HEIGHT}
            // A scrollable element must be reachable by keyboard.
            viewportProps={{ tabIndex: 0 }}
            data-print-hidden
          >
            <WeeksTable weeks={weeks} />
          </ScrollArea.Autosize>
        )}
        {weeks && !asTable && (
          <div className="screen-chart">
            <Suspense fallback={<Skeleton height={HEIGHT} />}>
              <WeeksChart
                weeks={weeks}
                height={HEIGHT}
                label={text.chartOfWeeks(dayInWords(range.from), dayInWords(range.to), inWords(weeks))}
              />
            </Suspense>
          </div>
        )}
        {/* Paper has another width than the window, for which the chart was drawn. */}
        <div className="print-only">{weeks && <WeeksTable weeks={weeks} />}</div>
      </Box>
    </Card>
  );
}

function inWords(weeks: Metrics['weeks']): string {
  const found = weeks.reduce((sum, week) => sum + week.found, 0);
  const resolved = weeks.reduce((sum, week) => sum + week.resolved, 0);
  const open = weeks.at(-1)?.open ?? 0;
  return text.weeksInWords(found, resolved, open);
}

function WeeksTable({ weeks }: Pick<Metrics, 'weeks'>) {
  return (
    <Table className={classes.table} stickyHeader verticalSpacing={4} fz="xs" captionSide="bottom">
      <Table.Caption>{text.aboutWeeks}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.weekFrom}</Table.Th>
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
