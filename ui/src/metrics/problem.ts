import * as text from '#strings/metrics.tsx';
import { DAY_MS, type DayRange, dateOf } from './range.ts';

/** The longest range that the service computes. */
const MAX_DAYS = 366;

/** Why a range is invalid; undefined if the service can compute it. */
export function problemOfRange({ from, to }: DayRange, now: number): string | undefined {
  if (from > to) return text.firstAfterLast;
  if (from > dateOf(now)) return text.firstInFuture;
  if (Date.parse(to) - Date.parse(from) > (MAX_DAYS - 1) * DAY_MS) return text.atMostDays(MAX_DAYS);
  return undefined;
}
