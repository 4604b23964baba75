import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';

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
