import { TAG } from '#strings/language.ts';
import * as text from '#strings/metrics.tsx';

const whole = new Intl.NumberFormat(TAG, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(TAG, { maximumFractionDigits: 1 });
const rounded = (value: number) => (value < 10 ? tenths : whole).format(value);

/** A time in hours, such as "30 min", "3.5 h" or "12 days". */
export function inHours(hours: number | undefined): string {
  if (hours === undefined) return text.none;
  if (hours < 1) return text.minutes(Math.round(hours * 60));
  return hours < 48 ? text.hours(rounded(hours)) : text.daysOf(rounded(hours / 24));
}

/** A share of 1, such as "94%". Only complete shares are 100%. */
export const inPercent = (share: number): string =>
  text.percent(share > 0.99 && share < 1 ? 99 : Math.round(share * 100));

/** The numbers of a week. The colours are those of `Metrics.module.css`. */
export const SERIES = [
  { name: 'found', label: text.found, color: 'var(--found)', type: 'bar' },
  { name: 'resolved', label: text.resolved, color: 'var(--resolved)', type: 'bar' },
  { name: 'open', label: text.unresolvedAtEnd, color: 'var(--open)', type: 'line', yAxisId: 'right' },
] as const;
