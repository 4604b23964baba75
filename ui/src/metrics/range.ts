import { dateIn, type Given, textOf, withoutUndefined } from '../app/search.ts';

export const DAY_MS = 24 * 60 * 60_000;

/** The ranges to choose from, in days. */
export const DAYS = [30, 90, 365] as const;
type Days = (typeof DAYS)[number];
const DEFAULT_DAYS: Days = 90;

/** The parameters of the address. Days are in UTC, and the last day is included. */
export interface MetricsSearch {
  days?: Days;
  from?: string;
  to?: string;
  project_id?: string;
}

/** The project that numbers are of; empty for all. */
export type OfProject = Pick<MetricsSearch, 'project_id'>;

export const ofProject = ({ project_id }: MetricsSearch): OfProject =>
  project_id === undefined ? {} : { project_id };

/** Parses the parameters of an address and omits invalid ones. A range of dates replaces a number of days. */
export function metricsSearch(given: Given): MetricsSearch {
  const [from, to] = [dateIn(given.from), dateIn(given.to)];
  const days = DAYS.find((one) => String(one) === String(given.days));
  return withoutUndefined<MetricsSearch>({
    days: from === undefined && to === undefined ? days : undefined,
    from,
    to,
    project_id: textOf(given.project_id),
  });
}

/** The date of a time in UTC. */
export const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

export interface DayRange {
  from: string;
  to: string;
}

/** The first and the last day that an address asks for. */
export function rangeOf({ days = DEFAULT_DAYS, from, to }: MetricsSearch, now: number): DayRange {
  const last = to ?? dateOf(now);
  return { from: from ?? dateOf(Date.parse(last) - (days - 1) * DAY_MS), to: last };
}

/** The chosen number of days; undefined for a range of dates. */
export const daysOf = ({ days = DEFAULT_DAYS, from, to }: MetricsSearch): Days | undefined =>
  from === undefined && to === undefined ? days : undefined;
