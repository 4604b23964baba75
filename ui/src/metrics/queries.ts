import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { OrgSession } from '../app/session.ts';
import { dashboardKey } from '../dashboard/queries.ts';
import type { DayRange } from './range.ts';

/** The metrics of a range of days, of one project or all. */
export const metricsQuery = (org: OrgSession, range: DayRange, project_id: string | undefined) =>
  queryOptions({
    queryKey: [...dashboardKey(org), 'metrics', range, project_id],
    queryFn: async ({ signal }) => {
      const query = { ...range, ...(project_id !== undefined && { project_id }) };
      return (await org.api.get('/dashboard/metrics', { params: { query }, signal })).result;
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export type Metrics = Awaited<ReturnType<NonNullable<ReturnType<typeof metricsQuery>['queryFn']>>>;
