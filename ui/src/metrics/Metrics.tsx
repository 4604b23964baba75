import { Alert, Grid, Skeleton, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import * as text from '#strings/metrics.tsx';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { PrintButton } from '../components/PrintButton.tsx';
import { IconChartLine } from '../icons/icons.ts';
import { MetricsFilter, RangeInWords } from './MetricsFilter.tsx';
import { OpenByAge } from './OpenByAge.tsx';
import { type Metrics as Data, useMetrics } from './queries.ts';
import type { DayRange } from './range.ts';
import { Summary } from './Summary.tsx';
import { TimeToResolve } from './TimeToResolve.tsx';
import { Weeks } from './Weeks.tsx';

const route = getRouteApi('/_signed-in/o/$org/metrics');

/** How fast findings are resolved, and how many are left. */
export function Metrics() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { range, problem, query } = useMetrics(search);
  return (
    <Page
      title={text.metrics}
      actions={<PrintButton />}
      description={<RangeInWords range={range} project_id={search.project_id} />}
    >
      <Stack gap="md">
        <MetricsFilter
          search={search}
          range={range}
          problem={problem}
          onChange={(next) => navigate({ search: next, resetScroll: false })}
        />
        {problem === undefined ? (
          <Loaded query={query} waiting={<Skeleton height={560} />}>
            {(data) => <Shown data={data} range={range} />}
          </Loaded>
        ) : (
          <Alert color="yellow" title={problem} />
        )}
      </Stack>
    </Page>
  );
}

function Shown({ data, range }: { data: Data; range: DayRange }) {
  const { slug } = useOrg();
  const found = data.weeks.reduce((sum, week) => sum + week.found, 0);
  const resolved = data.weeks.reduce((sum, week) => sum + week.resolved, 0);
  const open = data.open_by_age.reduce((sum, { total }) => sum + total, 0);
  if (found === 0 && open === 0 && resolved === 0) {
    return (
      <Empty icon={<IconChartLine />} title={text.noFindingsInRange}>
        {text.whenMetricsAppear}
        <div style={{ marginTop: 'var(--mantine-spacing-md)' }}>
          <LinkButton to="/o/$org" params={{ org: slug }} variant="default">
            {text.openDashboard}
          </LinkButton>
        </div>
      </Empty>
    );
  }
  return (
    <>
      <Summary data={data} found={found} resolved={resolved} open={open} />
      <Weeks weeks={data.weeks} range={range} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <TimeToResolve times={data.time_to_resolve} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <OpenByAge ages={data.open_by_age} />
        </Grid.Col>
      </Grid>
    </>
  );
}
