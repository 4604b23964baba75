import { Grid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { FindingItems } from '../findings/FindingItems.tsx';
import { isLive, POLL_MS, scansQuery, useFinalRead } from '../scans/queries.ts';
import { Attention } from './Attention.tsx';
import { ByProject } from './ByProject.tsx';
import { Card } from './Card.tsx';
import { dashboardKey, projectNumbersQuery, statsQuery } from './queries.ts';
import { Running, SHOWN } from './Running.tsx';
import { Totals } from './Totals.tsx';
import { Trend } from './Trend.tsx';

/** The overview of an organization. Counts load first, the chart afterwards. */
export function Overview() {
  const org = useOrg();
  const running = useQuery(scansQuery(org, { status: 'running', per_page: SHOWN }));
  const runs = running.data?.scans.some(isLive) ?? false;
  const refetchInterval = runs ? POLL_MS : (false as const);
  const stats = useQuery({ ...statsQuery(org), refetchInterval });
  const byProject = useQuery({ ...projectNumbersQuery(org), refetchInterval });
  const isIdle = running.data?.total === 0;
  const latest = useQuery({ ...scansQuery(org, { per_page: SHOWN }), enabled: isIdle });
  useFinalRead(runs, dashboardKey(org));

  const names = useMemo(
    () => new Map(byProject.data?.map(({ project }) => [project.id, project.name])),
    [byProject.data],
  );
  const half = { base: 12, md: 6 };
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Attention query={byProject} all={stats.data?.severity_breakdown} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Totals query={stats} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Trend ready={byProject.data !== undefined && stats.data !== undefined} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Running running={running} latest={latest} projects={names} />
      </Grid.Col>
      <Grid.Col span={half}>
        <ByProject query={byProject} />
      </Grid.Col>
      <Grid.Col span={half}>
        <Card
          title="Newest findings"
          side={
            <LinkAnchor to="/o/$org/findings" params={{ org: org.slug }} search={{}} size="sm">
              All findings
            </LinkAnchor>
          }
        >
          <Loaded query={stats} waiting={<Skeleton height={240} />}>
            {({ recent_findings }) => <FindingItems findings={recent_findings} list={{}} projects={names} />}
          </Loaded>
        </Card>
      </Grid.Col>
    </Grid>
  );
}
