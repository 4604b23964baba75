import * as text from '#strings/dashboard.tsx';
import type { Metrics } from '../metrics/queries.ts';
import classes from './TrendLine.module.css';

const WIDTH = 100;
const HEIGHT = 24;
/** Half of the line, which would be cut off at the edge. */
const EDGE = 1;

/** The unresolved findings at the beginning of the first week and at the end of each. */
function valuesOf(weeks: Metrics['weeks']): number[] {
  const [first] = weeks;
  const before = first ? Math.max(0, first.open + first.resolved - first.found) : 0;
  return [before, ...weeks.map(({ open }) => open)];
}

/** The unresolved findings over time as a line. It begins at zero, so that lines show the same change alike. */
export function TrendLine({ weeks }: { weeks: Metrics['weeks'] }) {
  const values = valuesOf(weeks);
  const most = Math.max(...values);
  const points = values.map((value, i) => {
    const x = (i / Math.max(1, values.length - 1)) * WIDTH;
    const y = HEIGHT - EDGE - (most === 0 ? 0 : value / most) * (HEIGHT - 2 * EDGE);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const label = text.trend({
    first: values[0] ?? 0,
    last: values.at(-1) ?? 0,
    most,
    weeks: weeks.length,
  });
  return (
    <svg
      className={classes.line}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}
