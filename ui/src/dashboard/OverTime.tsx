import { Grid } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import * as text from '#strings/dashboard.tsx';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { LinkAnchor } from '../components/links.tsx';
import type { Metrics } from '../metrics/queries.ts';
import type { DayRange, MetricsSearch } from '../metrics/range.ts';
import { TimeToResolve } from '../metrics/TimeToResolve.tsx';
import { Weeks } from '../metrics/Weeks.tsx';

interface Props {
  search: MetricsSearch;
  range: DayRange;
  query: UseQueryResult<Metrics>;
}

/** Found and resolved findings per week, and the time to resolve by severity. */
export function OverTime({ search, range, query }: Props) {
  const { slug } = useOrg();
  const { data, error, refetch } = query;
  if (error && data === undefined) return <Problem error={error} onRetry={refetch} />;
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Weeks weeks={data?.weeks} range={range} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <TimeToResolve
          times={data?.time_to_resolve}
          side={
            <LinkAnchor to="/o/$org/metrics" params={{ org: slug }} search={search} size="sm">
              {text.allMetrics}
            </LinkAnchor>
          }
        />
      </Grid.Col>
    </Grid>
  );
}
