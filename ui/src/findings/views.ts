import * as text from '#strings/findings.ts';
import { type FindingFilter, type FindingStatus, has, type ViewId } from '../app/search.ts';

/** A part of the findings that is often needed, with its own order. */
export interface View {
  id: ViewId;
  label: string;
  filter: FindingFilter;
  sort: NonNullable<FindingFilter['sort']>;
}

const NEWEST = '-created_at';

/** The findings that need work: unresolved ones, and those that have regressed. */
export const ATTENTION = { attention: true, sort: '-priority' } as const satisfies FindingFilter;
/** Findings that were seen again after they were fixed or verified. */
export const REGRESSED = { regressed: true, sort: '-priority' } as const satisfies FindingFilter;
/** Fixed findings that no agent has verified yet. */
export const TO_VERIFY = {
  status: ['fixed'],
  regressed: false,
  sort: '-priority',
} satisfies FindingFilter;
/** The findings assigned to the user that need work, and those that are fixed and not verified. */
export const MINE = { attention: true, assignee: 'me', sort: '-priority' } as const satisfies FindingFilter;
export const MINE_TO_VERIFY = { ...TO_VERIFY, assignee: 'me' } satisfies FindingFilter;
/** Findings with a comment that mentions the user. */
export const MENTIONS = { mentions: 'me', sort: '-priority' } as const satisfies FindingFilter;
/** Unresolved findings whose due date has passed. */
export const OVERDUE = { attention: true, overdue: true, sort: '-priority' } as const satisfies FindingFilter;
/** Findings of every status. */
export const ALL = { sort: NEWEST } as const satisfies FindingFilter;

const view = (id: ViewId, label: string, { sort, ...filter }: FindingFilter & Pick<View, 'sort'>): View => ({
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
