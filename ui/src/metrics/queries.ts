import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/metrics.tsx';
import { type OrgSession, useOrg } from '../app/session.ts';
import { dashboardKey } from '../dashboard/queries.ts';
import { DAY_MS, type DayRange, dateOf, type MetricsSearch, rangeOf } from './range.ts';

/** The metrics of a range of days, of one project or all. */
const metricsQuery = (org: OrgSession, range: DayRange, project_id: string | undefined) =>
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

/**
 * The range that an address asks for, why it is invalid if it is, and its metrics.
 * @param ready whether the metrics may be requested already
 */
export function useMetrics(search: MetricsSearch, ready = true) {
  const org = useOrg();
  const [now] = useState(() => Date.now());
  const range = rangeOf(search, now);
  const problem = problemOfRange(range, now);
  const query = useQuery({
    ...metricsQuery(org, range, search.project_id),
    enabled: ready && problem === undefined,
  });
  return { range, problem, query };
}

/** The longest range that the service computes. */
const MAX_DAYS = 366;

/** Why a range is invalid; undefined if the service can compute it. */
function problemOfRange({ from, to }: DayRange, now: number): string | undefined {
  if (from > to) return text.firstAfterLast;
  if (from > dateOf(now)) return text.firstInFuture;
  if (Date.parse(to) - Date.parse(from) > (MAX_DAYS - 1) * DAY_MS) return text.atMostDays(MAX_DAYS);
  return undefined;
}
