import { Group, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import * as text from '#strings/dashboard.tsx';
import { Problem } from '../components/errors/Problem.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Ago } from '../components/time/Time.tsx';
import type { Scan } from '../scans/queries.ts';
import { ScanDuration, ScanStatusBadge } from '../scans/ScanStatus.tsx';
import { scanName } from '../scans/scan-name.ts';
import type { OfProject } from './queries.ts';
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
  of: OfProject;
}

/** Running scans and those that failed lately, in one line; without any, the latest one. */
export function Strip({ running, failed, latest, projects, of: { project_id } }: Props) {
  const of = project_id === undefined ? {} : { project_id };
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
    <section className={classes.strip} aria-label={text.scans}>
      <OrgAnchor
        to="/o/$org/scans"
        search={total > 0 ? { ...of, status: 'running' } : of}
        size="sm"
        fw={500}
        flex="none"
      >
        {total > 0 ? text.running(total) : text.noScanIsRunning}
      </OrgAnchor>
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
              <OrgAnchor to="/o/$org/scans" search={{ ...of, status: 'failed' }} size="sm">
                {text.moreFailedScans}
              </OrgAnchor>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function Item({ scan, project }: { scan: Scan; project: string | undefined }) {
  return (
    <Group gap={6} wrap="nowrap">
      <ScanStatusBadge scan={scan} />
      <OrgAnchor
        to="/o/$org/scans/$id"
        params={{ id: scan.id }}
        c="inherit"
        size="sm"
        fw={500}
        truncate
        flex="none"
        maw="min(16rem, 55%)"
      >
        <bdi>{scanName(scan)}</bdi>
      </OrgAnchor>
      <Text size="xs" c="dimmed" truncate className={classes.about}>
        {text.aboutScan(
          project !== undefined && <bdi>{project}</bdi>,
          scan.status === 'running' ? <ScanDuration scan={scan} /> : <Ago time={scan.started_at} />,
          scan.finding_count,
        )}
      </Text>
    </Group>
  );
}
