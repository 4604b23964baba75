import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { Ago } from '../components/time/Time.tsx';
import type { Scan } from '../scans/queries.ts';
import { ScanDuration } from '../scans/ScanDuration.tsx';
import { ScanStatusBadge } from '../scans/ScanStatus.tsx';
import { Card } from './Card.tsx';

/** The number of scans shown. */
export const SHOWN = 4;

interface Props {
  running: UseQueryResult<{ scans: Scan[]; total: number }>;
  latest: UseQueryResult<{ scans: Scan[] }>;
  /** The names of projects by id. */
  projects: ReadonlyMap<string, string>;
}

/** The running scans, or the latest ones if none is running. */
export function Running({ running, latest, projects }: Props) {
  const { slug } = useOrg();
  const runs = (running.data?.total ?? 0) > 0;
  return (
    <Card
      title={runs || running.data === undefined ? 'Running now' : 'Latest scans'}
      side={
        <LinkAnchor
          to="/o/$org/scans"
          params={{ org: slug }}
          search={runs ? { status: 'running' } : {}}
          size="sm"
        >
          {runs ? `${running.data?.total.toLocaleString('en')} running` : 'All scans'}
        </LinkAnchor>
      }
    >
      <Loaded
        query={runs || running.data === undefined ? running : latest}
        waiting={<Skeleton height={200} />}
      >
        {({ scans }) => (
          <Stack gap="sm" mih={{ base: 0, md: 200 }}>
            {!runs && (
              <Text size="sm" c="dimmed">
                No scan is running.
              </Text>
            )}
            {scans.slice(0, SHOWN).map((scan) => (
              <Item key={scan.id} scan={scan} project={projects.get(scan.project_id)} />
            ))}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

function Item({ scan, project }: { scan: Scan; project: string | undefined }) {
  const { slug } = useOrg();
  const { finding_count } = scan;
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <div style={{ minWidth: 0 }}>
        <LinkAnchor
          to="/o/$org/scans/$id"
          params={{ org: slug, id: scan.id }}
          c="inherit"
          size="sm"
          fw={500}
          display="block"
          truncate
        >
          <bdi>{scan.name}</bdi>
        </LinkAnchor>
        <Text size="xs" c="dimmed" truncate>
          {scan.status === 'running' ? (
            <>
              for <ScanDuration scan={scan} />
            </>
          ) : (
            <Ago time={scan.started_at} />
          )}
          {` · ${finding_count.toLocaleString('en')} ${finding_count === 1 ? 'finding' : 'findings'} · `}
          <bdi>{project}</bdi>
        </Text>
      </div>
      <ScanStatusBadge scan={scan} />
    </Group>
  );
}
