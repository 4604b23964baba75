import { queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';

/** What keys of all that only the dashboard shows begin with. */
export const dashboardKey = ({ slug }: OrgSession) => ['org', slug, 'dashboard'] as const;

/** The numbers of an organization, and its newest findings. */
export const statsQuery = (org: OrgSession) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'stats'],
    queryFn: async ({ signal }) =>
      (await org.api.get('/dashboard/stats', { params: { query: { omit: 'description' } }, signal })).result,
  });

/** The numbers of each project; severities count what is unresolved. */
export const projectNumbersQuery = (org: OrgSession) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'projects'],
    queryFn: async ({ signal }) => (await org.api.get('/dashboard/projects', { signal })).result,
  });

/** Findings first reported on each of the last days. */
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
