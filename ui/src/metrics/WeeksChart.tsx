import { CompositeChart } from '@mantine/charts';
import { number, TAG } from '#strings/language.ts';
import type { Metrics } from './queries.ts';
import { SERIES } from './words.ts';

const compact = new Intl.NumberFormat(TAG, { notation: 'compact' });
/** Such as "200K". */
const short = (value: number) => compact.format(value);

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
          week: shortDay(start.slice(0, 10)),
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
        yAxisProps={{ width: 40, allowDecimals: false, tickFormatter: short }}
        rightYAxisProps={{ width: 44, allowDecimals: false, tickFormatter: short }}
        xAxisProps={{ minTickGap: 24 }}
        barProps={{ isAnimationActive: false }}
        lineProps={{ isAnimationActive: false }}
        composedChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}

const day = new Intl.DateTimeFormat(TAG, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** A date of the API, such as "Nov 3". */
const shortDay = (date: string): string => day.format(new Date(`${date}T00:00:00Z`));
