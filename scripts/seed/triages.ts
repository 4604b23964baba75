import { DAY_MS, HOUR_MS } from '../../lib/demo/history.ts';

/** When the team triages: on weekdays, in the morning and in the afternoon. */
export function triagesUntil(now: number, days: number): number[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  return Array.from({ length: days }, (_, ago) => today - ago * DAY_MS)
    .filter((day) => ![0, 6].includes(new Date(day).getUTCDay()))
    .flatMap((day) => [day + 9 * HOUR_MS, day + 14 * HOUR_MS])
    .filter((at) => at < now - HOUR_MS)
    .sort((a, b) => a - b);
}
