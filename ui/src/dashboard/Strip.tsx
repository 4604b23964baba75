import { Group, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { number } from '../components/numbers.ts';
import { Ago } from '../components/time/Time.tsx';
import type { Scan } from '../scans/queries.ts';
import { ScanDuration } from '../scans/ScanDuration.tsx';
import { ScanStatusBadge } from '../scans/ScanStatus.tsx';
import { scanName } from '../scans/scan-name.ts';
import classes from './Strip.module.css';

/** The number of scans shown of each kind. */
export const SHOWN = 3;
/** Failed scans are shown for this long. */
const FAILED_MS = 24 * 3_600_000;

type Scans = UseQueryResult<{ scans: Scan[]; total: number }>;

interface Props {
  running: Scans;
  failed: Scans;
  latest: Scans;
  /** The names of projects by id. */
  projects: ReadonlyMap<string, string>;
}

/** Running scans and those that failed lately, in one line; without any, the latest one. */
export function Strip({ running, failed, latest, projects }: Props) {
  const { slug } = useOrg();
  const broken = [running, failed].find(({ data, error }) => error && data === undefined);
  if (broken) return <Problem error={broken.error} onRetry={broken.refetch} />;
  const lately = (failed.data?.scans ?? []).filter(
    (scan) => Date.now() - new Date(scan.completed_at ?? scan.started_at).getTime() < FAILED_MS,
  );
  const live = running.data?.scans ?? [];
  const shown = [...live.slice(0, SHOWN), ...lately.slice(0, SHOWN)];
  const isReady = running.data !== undefined && failed.data !== undefined;
  const total = running.data?.total ?? 0;
  const [last] = latest.data?.scans ?? [];
  return (
    <section className={classes.strip} aria-label="Scans">
      <LinkAnchor
        to="/o/$org/scans"
        params={{ org: slug }}
        search={total > 0 ? { status: 'running' } : {}}
        size="sm"
        fw={500}
        flex="none"
      >
        {total > 0 ? `${number(total)} running` : 'No scan is running'}
      </LinkAnchor>
      {!isReady && <Skeleton h={20} w={280} />}
      {isReady && (
        <ul className={classes.scans}>
          {(shown.length > 0 ? shown : last ? [last] : []).map((scan) => (
            <li key={scan.id}>
              <Item scan={scan} project={projects.get(scan.project_id)} />
            </li>
          ))}
          {lately.length > SHOWN && (
            <li>
              <LinkAnchor to="/o/$org/scans" params={{ org: slug }} search={{ status: 'failed' }} size="sm">
                More failed scans
              </LinkAnchor>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function Item({ scan, project }: { scan: Scan; project: string | undefined }) {
  const { slug } = useOrg();
  return (
    <Group gap={6}>
      <ScanStatusBadge scan={scan} />
      <LinkAnchor
        to="/o/$org/scans/$id"
        params={{ org: slug, id: scan.id }}
        c="inherit"
        size="sm"
        fw={500}
        truncate
        maw="16rem"
      >
        <bdi>{scanName(scan)}</bdi>
      </LinkAnchor>
      <Text size="xs" c="dimmed" truncate maw="16rem">
        {project !== undefined && (
          <>
            <bdi>{project}</bdi>
            {', '}
          </>
        )}
        {scan.status === 'running' ? <ScanDuration scan={scan} /> : <Ago time={scan.started_at} />}
        {`, ${number(scan.finding_count)} ${scan.finding_count === 1 ? 'finding' : 'findings'}`}
      </Text>
    </Group>
  );
}
