import { dateIn, type Given, oneOf, textOf, wholeNumber, withoutUndefined } from '../app/search.ts';
import { DAY_MS, dateOf } from '../metrics/range.ts';

/** The kinds to choose from, with the kinds of entries that they have. */
export const KINDS = {
  decisions: ['status', 'assignee', 'due_at', 'accepted_until'],
  comments: ['comment'],
  scans: ['regressed', 'severity', 'merged', 'matched', 'moved'],
  exploits: ['exploit'],
} as const;
export type Kind = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as Kind[];

/** The ranges to choose from, in days until today. */
export const DAYS = [7, 30, 90] as const;
type Days = (typeof DAYS)[number];

/** The parameters of the address. Days are in UTC, and the last day is included. */
export interface ActivitySearch {
  /** `me`, `system`, or the id of a user, a token or a rule. */
  actor?: string;
  project_id?: string;
  kind?: Kind;
  days?: Days;
  from?: string;
  to?: string;
  page?: number;
}

/** Parses the parameters of an address and omits invalid ones. A range of dates replaces a number of days. */
export function activitySearch(given: Given): ActivitySearch {
  const [from, to] = [dateIn(given.from), dateIn(given.to)];
  const days = DAYS.find((one) => String(one) === String(given.days));
  return withoutUndefined<ActivitySearch>({
    actor: textOf(given.actor),
    project_id: textOf(given.project_id),
    kind: oneOf(KIND_NAMES, given.kind),
    days: from === undefined && to === undefined ? days : undefined,
    from,
    to,
    page: wholeNumber(given.page),
  });
}

/** The filter of the API for an address. */
export function filterOf({ actor, project_id, kind, days, from, to }: ActivitySearch, now: number) {
  const first = days === undefined ? from : dateOf(now - (days - 1) * DAY_MS);
  return withoutUndefined({
    actor,
    project_id: project_id?.split(','),
    kind: kind && [...KINDS[kind]],
    from: first,
    to: to && dateOf(Date.parse(to) + DAY_MS),
  });
}
