import { Grid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { counted } from '../components/numbers.ts';
import { FindingItems } from '../findings/FindingItems.tsx';
import { ALL, ATTENTION } from '../findings/views.ts';
import { scansQuery } from '../scans/queries.ts';
import { Attention } from './Attention.tsx';
import { ByProject } from './ByProject.tsx';
import { Card } from './Card.tsx';
import { firstQuery, projectNumbersQuery, statsQuery } from './queries.ts';
import { SHOWN, Strip } from './Strip.tsx';
import { Today } from './Today.tsx';
import { Trend } from './Trend.tsx';

/** The overview of an organization: the work of today, then how things are. Counts load first, the chart afterwards. */
export function Overview() {
  const org = useOrg();
  const stats = useQuery(statsQuery(org));
  const byProject = useQuery(projectNumbersQuery(org));
  const first = useQuery(firstQuery(org));
  const running = useQuery(scansQuery(org, { status: 'running', per_page: SHOWN }));
  const failed = useQuery(scansQuery(org, { status: 'failed', per_page: SHOWN + 1 }));
  const isIdle = running.data?.total === 0;
  const latest = useQuery({ ...scansQuery(org, { per_page: 1 }), enabled: isIdle });

  const names = useMemo(
    () => new Map(byProject.data?.map(({ project }) => [project.id, project.name])),
    [byProject.data],
  );
  return (
    <Stack gap="md">
      <Today projects={byProject} />
      <Strip running={running} failed={failed} latest={latest} projects={names} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Attention query={byProject} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Trend ready={byProject.data !== undefined && stats.data !== undefined} />
        </Grid.Col>
      </Grid>
      <Grid gap="md" align="flex-start">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <ByProject query={byProject} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Card
            title="Highest priority"
            side={
              <LinkAnchor to="/o/$org/findings" params={{ org: org.slug }} search={ATTENTION} size="sm">
                Open the queue
              </LinkAnchor>
            }
          >
            <Loaded query={first} waiting={<Skeleton height={240} />}>
              {(findings) =>
                findings.length > 0 ? (
                  <FindingItems findings={findings} list={ATTENTION} projects={names} />
                ) : (
                  <Text size="sm" c="dimmed">
                    Nothing needs attention.
                  </Text>
                )
              }
            </Loaded>
          </Card>
        </Grid.Col>
      </Grid>
      {stats.data && (
        <Text size="sm" c="dimmed">
          In total:{' '}
          <LinkAnchor
            to="/o/$org/findings"
            params={{ org: org.slug }}
            search={ALL}
            inherit
            underline="always"
          >
            {counted(stats.data.total_findings, 'finding')}
          </LinkAnchor>{' '}
          of every status, and{' '}
          <LinkAnchor to="/o/$org/scans" params={{ org: org.slug }} search={{}} inherit underline="always">
            {counted(stats.data.total_scans, 'scan')}
          </LinkAnchor>
          .
        </Text>
      )}
    </Stack>
  );
}
