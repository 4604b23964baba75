import { Alert, Box, Grid, Skeleton, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import * as text from '#strings/dashboard.tsx';
import { lazyNamed } from '../app/late.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Problem } from '../components/errors/Problem.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { PrintButton } from '../components/PrintButton.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { Demo } from '../demo/Demo.tsx';
import { useTour } from '../demo/tour.ts';
import { FindingItems } from '../findings/FindingItems.tsx';
import { ALL, ATTENTION } from '../findings/views.ts';
import { IconFolderOff } from '../icons/icons.ts';
import { MetricsFilter, RangeInWords } from '../metrics/MetricsFilter.tsx';
import type { Metrics } from '../metrics/queries.ts';
import { useMetrics } from '../metrics/queries.ts';
import { type DayRange, type MetricsSearch, ofProject } from '../metrics/range.ts';
import { TimeToResolve } from '../metrics/TimeToResolve.tsx';
import { Weeks } from '../metrics/Weeks.tsx';
import { scansQuery } from '../scans/queries.ts';
import { Card } from './Card.tsx';
import { LatestActivity } from './LatestActivity.tsx';
import { MyWork } from './MyWork.tsx';
import { SHOWN as PROJECTS_SHOWN, Projects } from './Projects.tsx';
import {
  firstQuery,
  type OfProject,
  type ProjectNumbers,
  projectNumbersQuery,
  projectWeeksQuery,
  statsQuery,
} from './queries.ts';
import { SHOWN, Strip } from './Strip.tsx';
import { Today } from './Today.tsx';

const route = getRouteApi('/_signed-in/o/$org/');

/** Not loaded with the dashboard: most organizations have findings. */
const FirstSteps = lazyNamed(() => import('./first-steps/FirstSteps.tsx'), 'FirstSteps');

/** The overview of an organization, or the first steps while it has no findings. */
export function Dashboard() {
  const org = useOrg();
  const stats = useQuery(statsQuery(org));
  // The first steps stay after the first finding arrived, until the user leaves them.
  const [begins, setBegins] = useState<boolean>();
  if (begins === undefined && stats.data) setBegins(stats.data.total_findings === 0);
  return begins ? (
    <Page title={text.firstSteps} description={text.receiveFirstFinding}>
      <Suspense fallback={<Waiting />}>
        <FirstSteps onDone={() => setBegins(false)} />
      </Suspense>
    </Page>
  ) : (
    <Filtered onDemoRemoved={() => setBegins(undefined)} />
  );
}

/** The overview of the project and the range in the address. */
function Filtered({ onDemoRemoved }: { onDemoRemoved: () => void }) {
  const org = useOrg();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // The work of today comes first.
  const isReady = useQuery(projectNumbersQuery(org)).data !== undefined;
  const { range, problem, query } = useMetrics(search, isReady);
  // The tour of demo data would move the rest, in a browser that has not opened the dashboard before.
  const { isNew, projects } = useTour(org);
  return (
    <Page
      title={text.dashboard}
      actions={
        <>
          <MetricsFilter
            search={search}
            range={range}
            problem={problem}
            onChange={(next) => navigate({ search: next, resetScroll: false })}
          />
          <Box visibleFrom="md">
            <PrintButton />
          </Box>
        </>
      }
    >
      <Text size="sm" className="print-only">
        <RangeInWords range={range} project_id={search.project_id} />
      </Text>
      <Demo at="top" onRemoved={onDemoRemoved} />
      {isNew && !projects ? (
        <Waiting />
      ) : problem === undefined ? (
        <Overview search={search} range={range} metrics={query} />
      ) : (
        <Alert color="yellow" title={problem} />
      )}
      <Demo at="bottom" onRemoved={onDemoRemoved} />
    </Page>
  );
}

interface OverviewProps {
  search: MetricsSearch;
  range: DayRange;
  metrics: UseQueryResult<Metrics>;
}

/** The overview of an organization: the work of today, then how things are. Counts load first, the rest afterwards. */
function Overview({ search, range, metrics }: OverviewProps) {
  const org = useOrg();
  const { project_id } = search;
  const of = useMemo(() => (project_id === undefined ? {} : { project_id }), [project_id]);
  const all = useQuery(projectNumbersQuery(org));
  const first = useQuery(firstQuery(org, of));
  const running = useQuery(scansQuery(org, { ...of, status: 'running', per_page: SHOWN }));
  const failed = useQuery(scansQuery(org, { ...of, status: 'failed', per_page: SHOWN + 1 }));
  const latest = useQuery({ ...scansQuery(org, { ...of, per_page: 1 }), enabled: all.data !== undefined });
  // The weeks of one project are those of the metrics.
  const weeksById = useQuery({
    ...projectWeeksQuery(org, range, PROJECTS_SHOWN),
    enabled: project_id === undefined && metrics.data !== undefined,
  });

  const names = useMemo(
    () => new Map(all.data?.map(({ project }) => [project.id, project.name])),
    [all.data],
  );
  const chosen = {
    ...all,
    data: project_id === undefined ? all.data : all.data?.filter(({ project }) => project.id === project_id),
  } as typeof all;
  const weeks = metrics.isPlaceholderData ? undefined : metrics.data?.weeks;
  if (chosen.data?.length === 0 && project_id !== undefined) return <NoProject />;
  return (
    <Stack gap="md">
      <MyWork of={of} />
      <Today projects={chosen} of={of} />
      <Strip running={running} failed={failed} latest={latest} projects={names} of={of} />
      <OverTime search={search} range={range} query={metrics} />
      <Grid gap="md" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Projects
            query={chosen}
            weeks={weeks}
            weeksById={project_id === undefined ? (weeksById.data ?? NONE) : new Map([[project_id, weeks]])}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Card
            title={text.highestPriority}
            side={
              <OrgAnchor to="/o/$org/findings" search={{ ...ATTENTION, ...of }} size="sm">
                {text.openQueue}
              </OrgAnchor>
            }
          >
            <Loaded query={first} waiting={<Skeleton height={320} />}>
              {(findings) =>
                findings.length > 0 ? (
                  <FindingItems findings={findings} list={{ ...ATTENTION, ...of }} projects={names} />
                ) : (
                  <Text size="sm" c="dimmed">
                    {text.nothingNeedsAttention}
                  </Text>
                )
              }
            </Loaded>
          </Card>
        </Grid.Col>
      </Grid>
      <LatestActivity of={of} enabled={metrics.data !== undefined} />
      {chosen.data && latest.data && <Total projects={chosen.data} scans={latest.data.total} of={of} />}
    </Stack>
  );
}

const NONE: ReadonlyMap<string, undefined> = new Map();

/** Shown if the project in the address does not exist. */
function NoProject() {
  return (
    <Empty icon={<IconFolderOff />} title={text.noSuchProject}>
      {text.addressMayBeIncomplete}
      <div style={{ marginTop: 'var(--mantine-spacing-md)' }}>
        <OrgButton to="/o/$org" search={{}} variant="default">
          {text.showAllProjects}
        </OrgButton>
      </div>
    </Empty>
  );
}

interface OverTimeProps {
  search: MetricsSearch;
  range: DayRange;
  query: UseQueryResult<Metrics>;
}

/** Found and resolved findings per week, and the time to resolve by severity. */
function OverTime({ search, range, query }: OverTimeProps) {
  const { data, error, refetch } = query;
  if (error && data === undefined) return <Problem error={error} onRetry={refetch} />;
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Weeks weeks={data?.weeks} range={range} of={ofProject(search)} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <TimeToResolve
          metrics={data}
          range={range}
          of={ofProject(search)}
          side={
            <OrgAnchor to="/o/$org/metrics" search={search} size="sm">
              {text.allMetrics}
            </OrgAnchor>
          }
        />
      </Grid.Col>
    </Grid>
  );
}

interface TotalProps {
  projects: ProjectNumbers[];
  scans: number;
  of: OfProject;
}

/** The numbers of all findings and scans. */
function Total({ projects, scans, of: { project_id } }: TotalProps) {
  const of = project_id === undefined ? {} : { project_id };
  const findings = projects.reduce((sum, { total }) => sum + total, 0);
  const link = { inherit: true, underline: 'always' } as const;
  return (
    <Text size="sm" c="dimmed">
      {text.inTotal(
        <OrgAnchor to="/o/$org/findings" search={{ ...ALL, ...of }} {...link}>
          {text.countFindings(findings)}
        </OrgAnchor>,
        <OrgAnchor to="/o/$org/scans" search={of} {...link}>
          {text.countScans(scans)}
        </OrgAnchor>,
      )}
    </Text>
  );
}
