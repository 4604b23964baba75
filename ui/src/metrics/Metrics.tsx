import { Alert, Grid, Skeleton, Stack } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { PrintButton } from '../components/PrintButton.tsx';
import { projectsQuery } from '../projects/queries.ts';
import { MetricsFilter } from './MetricsFilter.tsx';
import { OpenByAge } from './OpenByAge.tsx';
import { type Metrics as Data, metricsQuery } from './queries.ts';
import { type DayRange, problemOfRange, rangeOf } from './range.ts';
import { Summary } from './Summary.tsx';
import { TimeToResolve } from './TimeToResolve.tsx';
import { Weeks } from './Weeks.tsx';
import { dayInWords } from './words.ts';

const route = getRouteApi('/_signed-in/o/$org/metrics');

/** How fast findings are resolved, and how many are left. */
export function Metrics() {
  const org = useOrg();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [now] = useState(() => Date.now());
  const range = rangeOf(search, now);
  const problem = problemOfRange(range, now);
  const query = useQuery({ ...metricsQuery(org, range, search.project_id), enabled: problem === undefined });
  const projects = useQuery(projectsQuery(org)).data;
  const project = projects?.find(({ id }) => id === search.project_id);
  return (
    <Page
      title="Metrics"
      actions={<PrintButton />}
      description={
        <>
          {dayInWords(range.from)} to {dayInWords(range.to)} (UTC),{' '}
          {search.project_id === undefined ? 'all projects' : <bdi>{project?.name ?? 'one project'}</bdi>}
        </>
      }
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
      <Empty icon={<IconChartLine />} title="No findings in this range">
        Metrics appear when findings are found or resolved.
        <div style={{ marginTop: 'var(--mantine-spacing-md)' }}>
          <LinkButton to="/o/$org" params={{ org: slug }} variant="default">
            Open the dashboard
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
