import { CompositeChart } from '@mantine/charts';
import { number, TAG } from '#strings/language.ts';
import { shortUtcDay } from '../components/time/dates.ts';
import type { Metrics } from './queries.ts';
import { axisTicks } from './ticks.ts';
import { SERIES } from './words.ts';

const compact = new Intl.NumberFormat(TAG, { notation: 'compact' });
/** Such as "200K". */
const short = (value: number) => compact.format(value);

/** An axis from 0 to the first round number that is not below `most`. */
function axisOf(most: number) {
  const ticks = axisTicks(most);
  return { ticks, domain: [0, ticks.at(-1) ?? 1], interval: 0 as const, tickFormatter: short };
}

interface Props {
  weeks: Metrics['weeks'];
  height: number;
  /** The content as text. */
  label: string;
}

/** A chart of found and resolved findings per week as bars, and of the unresolved ones as a line with an axis of its own. */
export function WeeksChart({ weeks, height, label }: Props) {
  return (
    <div role="img" aria-label={label}>
      <CompositeChart
        h={height}
        data={weeks.map(({ start, found, resolved, open }) => ({
          ...{ found, resolved, open },
          week: shortUtcDay(start),
        }))}
        dataKey="week"
        series={SERIES.map((one) => ({ ...one }))}
        valueFormatter={number}
        curveType="linear"
        gridAxis="x"
        tickLine="none"
        maxBarWidth={22}
        withDots={weeks.length < 3}
        withRightYAxis
        yAxisProps={{
          width: 40,
          ...axisOf(Math.max(...weeks.map(({ found, resolved }) => Math.max(found, resolved)))),
        }}
        rightYAxisProps={{ width: 44, ...axisOf(Math.max(...weeks.map(({ open }) => open))) }}
        xAxisProps={{ minTickGap: 24 }}
        barProps={{ isAnimationActive: false }}
        lineProps={{ isAnimationActive: false }}
        // The highest mark stands at the edge.
        composedChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
      />
    </div>
  );
}
