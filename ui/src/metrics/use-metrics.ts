import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useOrg } from '../app/session.ts';
import { problemOfRange } from './problem.ts';
import { metricsQuery } from './queries.ts';
import { type MetricsSearch, rangeOf } from './range.ts';

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
