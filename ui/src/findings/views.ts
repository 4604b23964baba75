import * as text from '#strings/findings.ts';
import { type FindingFilter, type FindingSearch, type FindingStatus, has } from '../app/search.ts';

/** A part of the findings that is often needed, with its own order. */
export interface View {
  id: string;
  label: string;
  filter: FindingFilter;
  sort: NonNullable<FindingFilter['sort']>;
}

const NEWEST = '-created_at';

/** The findings that need work: unresolved ones, and those that have regressed. */
export const ATTENTION = { attention: true, sort: '-priority' } as const satisfies FindingSearch;
/** Findings that were seen again after they were fixed or verified. */
export const REGRESSED = { regressed: true, sort: '-priority' } as const satisfies FindingSearch;
/** Fixed findings that no agent has verified yet. */
export const TO_VERIFY = {
  status: ['fixed'],
  regressed: false,
  sort: '-priority',
} satisfies FindingSearch;
/** The findings assigned to the user that need work, and those that are fixed and not verified. */
export const MINE = { attention: true, assignee: 'me', sort: '-priority' } as const satisfies FindingSearch;
export const MINE_TO_VERIFY = { ...TO_VERIFY, assignee: 'me' } satisfies FindingSearch;
/** Findings with a comment that mentions the user. */
export const MENTIONS = { mentions: 'me', sort: '-priority' } as const satisfies FindingSearch;
/** Unresolved findings whose due date has passed. */
export const OVERDUE = { attention: true, overdue: true, sort: '-priority' } as const satisfies FindingSearch;
/** Findings of every status. */
export const ALL = { sort: NEWEST } as const satisfies FindingSearch;

const view = (id: string, label: string, { sort, ...filter }: FindingSearch & Pick<View, 'sort'>): View => ({
  id,
  label,
  filter,
  sort,
});

/** The views of the list, in the order of their tabs. Views that the service cannot filter by are left out. */
export const VIEWS: readonly View[] = [
  view('attention', text.needsAttention, ATTENTION),
  view('regressed', text.regressed, REGRESSED),
  view('mine', text.assignedToMe, MINE),
  view('mentions', text.mentionsMe, MENTIONS),
  view('overdue', text.overdue, OVERDUE),
  view('verify', text.toVerify, TO_VERIFY),
  view('all', text.all, ALL),
].filter(({ filter }) => Object.keys(filter).every(has));

/** The filters that views set. */
const VIEW_KEYS = ['attention', 'regressed', 'assignee', 'mentions', 'overdue'] as const;

/** The view of a filter; undefined if no view has this combination. */
export function viewOf(filter: FindingFilter): View | undefined {
  const matches = VIEWS.filter(({ filter: own }) => VIEW_KEYS.every((key) => own[key] === filter[key]));
  const status = filter.status?.join();
  return (
    matches.find(({ filter: own }) => own.status?.join() === status) ??
    matches.find(({ filter: own }) => own.status === undefined)
  );
}

/** A filter in another view. Filters that views do not set stay. */
export function inView(filter: FindingFilter, view: View | undefined): FindingFilter {
  const { filter: own, sort } = view ?? { filter: {}, sort: ALL.sort };
  const { attention, regressed, assignee, mentions, overdue, status, sort: _, ...rest } = filter;
  return { ...rest, ...own, sort };
}

/** The filters that are not part of the view. */
export function filtersBesideView(filter: FindingFilter): FindingFilter {
  const { sort: _, ...rest } = filter;
  const own = viewOf(filter)?.filter ?? {};
  const entries = Object.entries(rest).filter(
    ([key, value]) => String(own[key as keyof typeof own]) !== String(value),
  );
  return Object.fromEntries(entries);
}

/** A filter as an address. Without parameters, the list shows its default view. */
export const addressOf = (filter: FindingFilter): FindingFilter =>
  Object.keys(filter).length > 0 ? filter : ALL;

const SETTLED: ReadonlySet<FindingStatus> = new Set(['fixed', 'verified', 'false_positive', 'wontfix']);

/** Whether a finding with this status no longer counts as regressed. */
export const isSettled = (status: FindingStatus): boolean => SETTLED.has(status);

/** Whether findings leave a list when their status is set. */
export const leavesList = ({ status, attention, regressed }: FindingFilter, next: FindingStatus): boolean =>
  status?.includes(next) === false || ((attention || regressed === true) && isSettled(next));

/** Whether a list no longer shows a finding because of its status. */
export const isOutOf = (
  { status, attention, regressed }: FindingFilter,
  finding: { status: FindingStatus; regressed: boolean },
): boolean =>
  status?.includes(finding.status) === false ||
  (attention === true && isSettled(finding.status) && !finding.regressed) ||
  (regressed !== undefined && regressed !== finding.regressed);
