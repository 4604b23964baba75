import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';
import { type FindingFilter, readFindings } from './list-queries.ts';

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
