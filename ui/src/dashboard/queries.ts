import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';
import { ATTENTION } from '../findings/views.ts';

/** The prefix of the keys of all queries of the dashboard. */
export const dashboardKey = ({ slug }: OrgSession) => ['org', slug, 'dashboard'] as const;

/** The counts of an organization, and its newest findings. */
export const statsQuery = (org: OrgSession) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'stats'],
    queryFn: async ({ signal }) =>
      (await org.api.get('/dashboard/stats', { params: { query: { omit: 'description' } }, signal })).result,
  });

/** The counts of each project. Severities count unresolved findings. */
export const projectNumbersQuery = (org: OrgSession) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'projects'],
    queryFn: async ({ signal }) => (await org.api.get('/dashboard/projects', { signal })).result,
  });

/** The number of findings in the card of the highest priority. */
const FIRST = 7;

/** The first findings of the queue. */
export const firstQuery = (org: OrgSession) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'first'],
    queryFn: async ({ signal }) => {
      const query = { ...ATTENTION, omit: 'description', page: 1, per_page: FIRST } as const;
      return (await org.api.get('/findings', { params: { query }, signal })).result;
    },
  });

/** New findings of each of the last days. */
export const trendQuery = (org: OrgSession, days: number) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'trend', days],
    queryFn: async ({ signal }) =>
      (await org.api.get('/dashboard/trend', { params: { query: { days } }, signal })).result,
    staleTime: 60_000,
  });

export type ProjectNumbers = Awaited<
  ReturnType<NonNullable<ReturnType<typeof projectNumbersQuery>['queryFn']>>
>[number];
export type Trend = Awaited<ReturnType<NonNullable<ReturnType<typeof trendQuery>['queryFn']>>>;
