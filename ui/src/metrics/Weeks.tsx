import { ActionIcon, Box, ColorSwatch, Group, ScrollArea, Skeleton, Table, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { number } from '#strings/language.ts';
import * as text from '#strings/metrics.tsx';
import { lazyNamed } from '../app/late.ts';
import { Tip } from '../components/floating/Tip.tsx';
import { utcDay } from '../components/time/dates.ts';
import { Card } from '../dashboard/Card.tsx';
import { IconChartBar, IconTable } from '../icons/icons.ts';
import classes from './Metrics.module.css';
import { foundIn, NumberLink, periodOf, resolvedIn } from './NumberLink.tsx';
import type { Metrics } from './queries.ts';
import type { DayRange, OfProject } from './range.ts';
import { SERIES } from './words.ts';

const WeeksChart = lazyNamed(() => import('./WeeksChart.tsx'), 'WeeksChart');

const HEIGHT = 240;

interface Props {
  /** Undefined while they load. */
  weeks: Metrics['weeks'] | undefined;
  range: DayRange;
  of: OfProject;
}

/** Found and resolved findings per week, and how many were unresolved at its end. */
export function Weeks({ weeks, range, of }: Props) {
  const [asTable, setAsTable] = useState(false);
  const switching = asTable ? text.showAsChart : text.showAsTable;
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
          {weeks && <InWords weeks={weeks} range={range} of={of} />}
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
            <WeeksTable weeks={weeks} of={of} />
          </ScrollArea.Autosize>
        )}
        {weeks && !asTable && (
          <div className="screen-chart">
            <Suspense fallback={<Skeleton height={HEIGHT} />}>
              <WeeksChart
                weeks={weeks}
                height={HEIGHT}
                label={text.chartOfWeeks(utcDay(range.from), utcDay(range.to), sumsOf(weeks))}
              />
            </Suspense>
          </div>
        )}
        {/* Paper has another width than the window, for which the chart was drawn. */}
        <div className="print-only">{weeks && <WeeksTable weeks={weeks} of={of} />}</div>
      </Box>
    </Card>
  );
}

const sumsOf = (weeks: Metrics['weeks']) => ({
  found: weeks.reduce((sum, week) => sum + week.found, 0),
  resolved: weeks.reduce((sum, week) => sum + week.resolved, 0),
  open: weeks.at(-1)?.open ?? 0,
});

/** The sums of all weeks. */
function InWords({ weeks, range, of }: { weeks: Metrics['weeks']; range: DayRange; of: OfProject }) {
  const { found, resolved, open } = sumsOf(weeks);
  const period = periodOf(range);
  return text.weeksInWords(
    <NumberLink count={found} search={{ ...of, ...foundIn(period) }} isInText />,
    <NumberLink count={resolved} search={{ ...of, ...resolvedIn(period) }} isInText />,
    open,
  );
}

function WeeksTable({ weeks, of }: Pick<Metrics, 'weeks'> & { of: OfProject }) {
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
              {utcDay(week.start)}
            </Table.Th>
            <Table.Td>
              <NumberLink count={week.found} search={{ ...of, ...foundIn(week) }} />
            </Table.Td>
            <Table.Td>
              <NumberLink count={week.resolved} search={{ ...of, ...resolvedIn(week) }} />
            </Table.Td>
            <Table.Td>{number(week.open)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
