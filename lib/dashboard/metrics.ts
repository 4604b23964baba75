import { CLASS_SECONDS, type Resolution, type ResolvedClass } from '../../db/metrics/resolution.ts';
import { SEVERITIES, type Severity, type SeverityCounts } from '../../db/schema/values.ts';
import { ApiError } from '../errors.ts';
import { count, time, timestamp, z } from '../schema.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const WEEK_MS = 7 * DAY_MS;
/** The first Monday after the beginning of Unix time. */
const FIRST_MONDAY = 4 * DAY_MS;
const MAX_DAYS = 366;
const DEFAULT_DAYS = 90;

/** Ages in days at which a new group begins. */
export const AGES = [7, 30, 90] as const;

/** A day (UTC) or a time, as the milliseconds at which it begins and ends. */
const dayOrTime = () =>
  z
    .union([z.iso.date(), time()], {
      error: 'must be a day as 2026-01-31, or a time as 2026-01-31T00:00:00Z',
    })
    .transform((text) => {
      const begin = Date.parse(text);
      return { begin, end: text.includes('T') ? begin : begin + DAY_MS };
    })
    .refine(({ begin }) => begin >= 0, 'must be from 1970 to 9999')
    .openapi({ type: 'string', example: '2026-01-31' });

export const MetricsQuery = z.object({
  from: dayOrTime()
    .optional()
    .openapi({ description: `A day (UTC) or a time. The default is ${DEFAULT_DAYS} days before \`to\`.` }),
  to: dayOrTime()
    .optional()
    .openapi({ description: 'A day (UTC), which is included, or a time. The default is now.' }),
});

export interface Range {
  from: Date;
  to: Date;
}

/** The range that a query asks for, not beyond now. @throws ApiError `validation_error/invalid_request` */
export function requireRange({ from, to }: z.output<typeof MetricsQuery>, now: Date): Range {
  const end = Math.min(to?.end ?? now.getTime(), now.getTime());
  const begin = from?.begin ?? end - DEFAULT_DAYS * DAY_MS;
  if (begin >= end) throw invalidFrom('must be before to and in the past');
  if (end - begin > MAX_DAYS * DAY_MS) throw invalidFrom(`must be at most ${MAX_DAYS} days before to`);
  return { from: new Date(begin), to: new Date(end) };
}

/** Finding and resolving in one week, as the API returns it. */
export const Week = z
  .object({
    ...{ start: timestamp(), end: timestamp(), found: count(7), resolved: count(5) },
    open: count(120).openapi({ description: 'At the end of the week.' }),
  })
  .openapi('Week');

const invalidFrom = (message: string) =>
  new ApiError('validation_error/invalid_request', { details: [{ field: 'from', message }] });

/** The beginning of the range, each Monday in it (UTC), and its end. */
export function weekBounds({ from, to }: Range): Date[] {
  const bounds = [from];
  const week = Math.floor((from.getTime() - FIRST_MONDAY) / WEEK_MS);
  for (let at = FIRST_MONDAY + (week + 1) * WEEK_MS; at < to.getTime(); at += WEEK_MS)
    bounds.push(new Date(at));
  return [...bounds, to];
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

const HOURS = CLASS_SECONDS / 3_600;
const rounded = (hours: number) => Math.round(hours * 10) / 10;

/** The time to resolve of these findings in hours. */
function timeToResolve(classes: readonly ResolvedClass[]) {
  const sorted = classes.toSorted((a, b) => a.class - b.class);
  const resolved = sum(sorted.map(({ count }) => count));
  if (resolved === 0) return { resolved };
  const valueAt = (index: number) => {
    let before = 0;
    for (const one of sorted) {
      before += one.count;
      if (index < before) return one.class * HOURS;
    }
    return 0;
  };
  /** Interpolates between the two nearest findings. */
  const percentile = (share: number) => {
    const place = share * (resolved - 1);
    const below = Math.floor(place);
    const value = valueAt(below);
    return rounded(value + (place - below) * (valueAt(Math.ceil(place)) - value));
  };
  return {
    resolved,
    mean_hours: rounded(sum(sorted.map(({ seconds }) => seconds)) / resolved / 3_600),
    median_hours: percentile(0.5),
    p90_hours: percentile(0.9),
  };
}

/** The metrics of a range, as the API returns them. Its weeks are those of {@link weekBounds}. */
export function metricsOf(
  { from, to }: Range,
  bounds: readonly Date[],
  now: Date,
  { classes, found, resolved, open, aged }: Resolution,
) {
  const bySeverity = SEVERITIES.map((severity) => [
    severity,
    timeToResolve(classes.filter((one) => one.severity === severity)),
  ]);
  const due = sum(classes.map((one) => one.due));
  const inTime = sum(classes.map((one) => one.in_time));
  const inRange = resolved.filter(({ period }) => period < bounds.length);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    resolved: summaryOf((severity) =>
      sum(inRange.filter((one) => one.severity === severity).map(({ count }) => count)),
    ),
    time_to_resolve: { all: timeToResolve(byClass(classes)), ...Object.fromEntries(bySeverity) },
    within_due_date: { resolved: due, in_time: inTime, ...(due > 0 && { share: inTime / due }) },
    open_by_age: agesOf(open, aged, now),
    weeks: weeksOf(bounds, { found, resolved, open: sum(open.map(({ count }) => count)) }),
  };
}

/** Adds up the severities. */
function byClass(classes: readonly ResolvedClass[]): ResolvedClass[] {
  const all = new Map<number, ResolvedClass>();
  for (const one of classes) {
    const { count = 0, seconds = 0 } = all.get(one.class) ?? {};
    all.set(one.class, { ...one, count: count + one.count, seconds: seconds + one.seconds });
  }
  return [...all.values()];
}

/** The times from which unresolved findings are of an age, the youngest first. */
export const ageBounds = (now: Date): Date[] => AGES.map((days) => new Date(now.getTime() - days * DAY_MS));

function agesOf(open: Resolution['open'], aged: Resolution['aged'], now: Date) {
  const since = ageBounds(now).map((at) => at.toISOString());
  return [0, ...AGES].map((days, i) => ({
    min_days: i === 0 ? 0 : days + 1,
    ...(AGES[i] !== undefined && { max_days: AGES[i] }),
    ...(since[i] !== undefined && { unresolved_after: since[i] }),
    ...(i > 0 && { unresolved_before: since[i - 1] }),
    ...summaryOf((severity) => {
      const inPeriod = (period: number) =>
        sum(
          aged.filter((one) => one.severity === severity && one.period === period).map(({ count }) => count),
        );
      if (i < AGES.length) return inPeriod(i + 1);
      const all = sum(open.filter((one) => one.severity === severity).map(({ count }) => count));
      return Math.max(0, all - sum(AGES.map((_, period) => inPeriod(period + 1))));
    }),
  }));
}

/** Numbers of findings by severity, and their total. */
function summaryOf(countOf: (severity: Severity) => number): SeverityCounts {
  const counts = SEVERITIES.map((severity) => [severity, countOf(severity)] as const);
  const total = sum(counts.map(([, count]) => count));
  return { total, ...Object.fromEntries(counts) } as SeverityCounts;
}

/** The last week first: what is open at its end is what is open now without what happened later. */
export function weeksOf(
  bounds: readonly Date[],
  { found, resolved, open }: { found: Resolution['found']; resolved: Resolution['found']; open: number },
) {
  const countIn = (counts: Resolution['found'], period: number) =>
    sum(counts.filter((one) => one.period === period).map(({ count }) => count));
  let left = open;
  const weeks = [];
  for (let period = bounds.length; period >= 1; period--) {
    const numbers = { found: countIn(found, period), resolved: countIn(resolved, period) };
    const start = bounds[period - 1] as Date;
    const end = bounds[period];
    if (end)
      weeks.unshift({
        ...{ start: start.toISOString(), end: end.toISOString(), ...numbers },
        open: Math.max(0, left),
      });
    left += numbers.resolved - numbers.found;
  }
  return weeks;
}
