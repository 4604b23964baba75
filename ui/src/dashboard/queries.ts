import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';
import { readFindings } from '../findings/list-queries.ts';
import { ATTENTION } from '../findings/views.ts';
import type { DayRange } from '../metrics/range.ts';

/** The prefix of the keys of all queries of the dashboard. */
export const dashboardKey = ({ slug }: OrgSession) => ['org', slug, 'dashboard'] as const;

/** A project, or all. */
export interface OfProject {
  project_id?: string | undefined;
}

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

/** The weeks of the first projects, by id. */
export const projectWeeksQuery = (org: OrgSession, range: DayRange, limit: number) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'trend', 'projects', range, limit],
    queryFn: async ({ signal }) => {
      const query = { ...range, limit };
      const { result } = await org.api.get('/dashboard/projects', { params: { query }, signal });
      return new Map(result.map(({ project, weeks }) => [project.id, weeks]));
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** The number of findings in the card of the highest priority. */
const FIRST = 7;

/** The first findings of the queue. */
export const firstQuery = (org: OrgSession, { project_id }: OfProject) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'first', project_id],
    queryFn: async ({ signal }) => {
      const filter = { ...ATTENTION, ...(project_id !== undefined && { project_id }) };
      return (await readFindings(org, filter, 1, FIRST, signal)).rows;
    },
  });

/** New findings of each of the last days. */
export const trendQuery = (org: OrgSession, days: number, { project_id }: OfProject) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'trend', days, project_id],
    queryFn: async ({ signal }) => {
      const query = { days, ...(project_id !== undefined && { project_id }) };
      return (await org.api.get('/dashboard/trend', { params: { query }, signal })).result;
    },
    staleTime: 60_000,
  });

export type ProjectNumbers = Awaited<
  ReturnType<NonNullable<ReturnType<typeof projectNumbersQuery>['queryFn']>>
>[number];
