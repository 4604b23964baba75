import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { SEVERITIES } from '../app/search.ts';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import { shortDay } from './days.ts';
import type { Trend } from './queries.ts';

const SERIES = SEVERITIES.map((severity) => ({
  name: severity,
  label: SEVERITY_NAMES[severity],
  color: severityColor(severity),
}));

const compact = new Intl.NumberFormat('en', { notation: 'compact' });
/** Such as "200K". */
const short = (value: number) => compact.format(value);

interface Props {
  trend: Trend;
  height: number;
  /** The content as text. */
  label: string;
}

/** A chart of new findings by day and severity. */
export function TrendChart({ trend, height, label }: Props) {
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={height}
        data={trend.map(({ date, ...counts }) => ({ ...counts, day: shortDay(date) }))}
        dataKey="day"
        type="stacked"
        series={SERIES}
        accessibilityLayer={false}
        gridAxis="x"
        tickLine="none"
        maxBarWidth={28}
        yAxisProps={{ width: 40, allowDecimals: false, tickFormatter: short }}
        xAxisProps={{ minTickGap: 24 }}
        barProps={{ isAnimationActive: false }}
      />
    </div>
  );
}
