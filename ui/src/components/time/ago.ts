import * as text from '#strings/components/time.ts';
import { TAG } from '#strings/language.ts';

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** Always numbers, never "yesterday": 25 hours ago can be the day before yesterday. */
const relative = new Intl.RelativeTimeFormat(TAG);
const narrow = new Intl.RelativeTimeFormat(TAG, { style: 'narrow' });

/** Such as "3 hours ago", or "3h ago" if it is short. */
export function ago(time: string | Date, now = Date.now(), isShort = false): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? [undefined, 1];
  return unit ? (isShort ? narrow : relative).format(Math.trunc(seconds / size), unit) : text.justNow;
}
