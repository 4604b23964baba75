import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';
import { type FindingFilter, readFindings } from './list-queries.ts';
import { isSettled } from './views.ts';

export type Finding = Schemas['Finding'];
export type Exploit = Schemas['Exploit'];

/** The key of a finding. */
export const findingKey = ({ slug }: OrgSession, id: string) => ['org', slug, 'finding', id] as const;

/** One finding, with its description. */
export const findingQuery = (org: OrgSession, id: string) =>
  queryOptions({
    queryKey: findingKey(org, id),
    queryFn: async ({ signal }): Promise<Finding> =>
      (await org.api.get('/findings/{id}', { params: { path: { id } }, signal })).result,
  });

/** The exploits of a finding with their code. They never change. */
export const exploitsQuery = (org: OrgSession, id: string) =>
  queryOptions({
    queryKey: [...findingKey(org, id), 'exploits'],
    queryFn: async ({ signal }): Promise<Exploit[]> =>
      (await org.api.get('/findings/{id}/exploits', { params: { path: { id } }, signal })).result,
    staleTime: 60_000,
  });

export type SimilarFinding = Schemas['SimilarFinding'];

/** Findings of all projects that have a CVE, a title or a file in common with a finding. */
export const similarQuery = (org: OrgSession, id: string) =>
  queryOptions({
    queryKey: [...findingKey(org, id), 'similar'],
    queryFn: async ({ signal }): Promise<SimilarFinding[]> =>
      (await org.api.get('/findings/{id}/similar', { params: { path: { id } }, signal })).result,
    staleTime: 60_000,
  });

export type FindingRef = Schemas['FindingRef'];

/** The branches, tags and pull requests that have reported a finding, tracked ones first. */
export const refsQuery = (org: OrgSession, id: string) =>
  queryOptions({
    queryKey: [...findingKey(org, id), 'refs'],
    queryFn: async ({ signal }): Promise<FindingRef[]> =>
      (await org.api.get('/findings/{id}/refs', { params: { path: { id } }, signal })).result,
  });

export type Issue = Schemas['Issue'];
export type IssueIntegration = Schemas['IssueIntegration'];

/** The intervals at which the page reads issues again that the service works on now, and those that wait for their tracker. */
const WORKING_MS = 3_000;
const WAITING_MS = 30_000;
/** The time after a request or a change of a finding within which the service usually follows it at the tracker. */
const FOLLOWED_MS = 60_000;

/** The time until the issues of a finding may have changed; false if no change is expected. */
function nextRead(
  issues: readonly Issue[],
  { status, regressed, status_changed_at }: Finding,
): number | false {
  const changedAt = Date.parse(status_changed_at);
  const isRecent = (at: number) => Date.now() - at < FOLLOWED_MS;
  const expected = isSettled(status) && !regressed ? 'open' : 'closed';
  // The reason says why both sides differ, and may be one of before the change.
  const isFollowed = ({ state, reason, checked_at = '' }: Issue) =>
    reason === undefined ? state === expected : !(Date.parse(checked_at) >= changedAt);
  const pending = issues.filter(({ state }) => state === 'pending');
  const isNew = ({ reason, created_at, checked_at = created_at }: Issue) =>
    reason === undefined && isRecent(Date.parse(checked_at));
  if (pending.some(isNew) || (isRecent(changedAt) && issues.some(isFollowed))) return WORKING_MS;
  return pending.length > 0 && WAITING_MS;
}

export const issuesKey = (org: OrgSession, id: string) => [...findingKey(org, id), 'issues'] as const;

/**
 * The issues of a finding, and the issue trackers that it can get more at.
 * @param finding with it, the issues are read again when they may have changed
 */
export const issuesQuery = (org: OrgSession, id: string, finding?: Finding) =>
  queryOptions({
    queryKey: issuesKey(org, id),
    queryFn: async ({ signal }) =>
      (await org.api.get('/findings/{id}/issues', { params: { path: { id } }, signal })).result,
    refetchInterval: ({ state }) => finding !== undefined && nextRead(state.data?.issues ?? [], finding),
  });

export type ActivityEntry = Schemas['ActivityEntry'];

const activityPage = async (
  org: OrgSession,
  id: string,
  page: number,
  per_page: number,
  signal: AbortSignal,
) => {
  const params = { path: { id }, query: { page, per_page } };
  const { result, resultInfo } = await org.api.get('/findings/{id}/activity', { params, signal });
  return { entries: result, hasNext: resultInfo?.has_next ?? false };
};

/** The latest entries of the activity of a finding. */
export const activityQuery = (org: OrgSession, id: string, count: number) =>
  queryOptions({
    queryKey: [...findingKey(org, id), 'activity', count],
    queryFn: ({ signal }) => activityPage(org, id, 1, count, signal),
  });

const TIMELINE_ROWS = 50;

/** The activity of a finding in pages. */
export const timelineQuery = (org: OrgSession, id: string) =>
  infiniteQueryOptions({
    queryKey: [...findingKey(org, id), 'activity', 'pages'],
    queryFn: ({ pageParam, signal }) => activityPage(org, id, pageParam, TIMELINE_ROWS, signal),
    initialPageParam: 1,
    getNextPageParam: ({ hasNext }, pages) => (hasNext ? pages.length + 1 : undefined),
  });

/** The prefix of the keys of all positions of lists. */
export const placesKey = ({ slug }: OrgSession) => ['org', slug, 'findings', 'at'] as const;

/** The finding at a position of a list, counted from 1, and the length of the list, which is limited as in the list. */
export const placeQuery = (org: OrgSession, filter: FindingFilter, at: number) =>
  queryOptions({
    queryKey: [...placesKey(org), filter, at],
    queryFn: async ({ signal }) => {
      const { rows, ...length } = await readFindings(org, filter, at, 1, signal);
      return { id: rows[0]?.id, ...length };
    },
  });
