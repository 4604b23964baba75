import { Alert, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import * as deletion from '#strings/deletion.tsx';
import * as text from '#strings/scans.tsx';
import { useOrg } from '../app/session.ts';
import { lazyDialog } from '../components/dialogs/lazy-dialog.tsx';
import { Empty } from '../components/Empty.tsx';
import { isFinal } from '../components/errors/problem.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Ago, dateTime } from '../components/time/Time.tsx';
import { announceDeletions } from '../deletion/announce.tsx';
import { DeleteMenu } from '../deletion/DeleteMenu.tsx';
import type { Deletion } from '../deletion/queries.ts';
import { FindingItems } from '../findings/FindingItems.tsx';
import { IconAlertTriangle, IconMoodCheck } from '../icons/icons.ts';
import { useMayIn } from '../projects/allowed-projects.ts';
import { projectsQuery } from '../projects/queries.ts';
import { Changes } from './Changes.tsx';
import { Gate } from './Gate.tsx';
import { PERSONA_NAMES } from './persona.ts';
import {
  hasWarnings,
  isLive,
  isStale,
  POLL_MS,
  type Scan,
  scanFindingsQuery,
  scanQuery,
  useFinalRead,
} from './queries.ts';
import { ScanDuration, ScanStatusBadge } from './ScanStatus.tsx';
import { Summary } from './Summary.tsx';
import { scanName } from './scan-name.ts';
import { Target } from './Target.tsx';

/** The number of findings shown. */
const TOP = 20;

const route = getRouteApi('/_signed-in/o/$org/scans/$id');

/** One scan: its state, its findings, and the changes since another scan. */
export function ScanPage() {
  const org = useOrg();
  const { id } = route.useParams();
  const query = useQuery(scanQuery(org, id));
  const scan = query.data;
  return (
    <Page
      title={(scan && scanName(scan)) ?? (isFinal(query.error) ? text.scanNotFound : text.scan)}
      description={
        <OrgAnchor to="/o/$org/scans" search={{}} inherit>
          {text.allScans}
        </OrgAnchor>
      }
      actions={
        scan && (
          <Group gap="xs">
            <ScanStatusBadge scan={scan} />
            <DeleteScan scan={scan} />
          </Group>
        )
      }
    >
      <Loaded query={query} waiting={<Skeletons />}>
        {(scan) => <Shown key={scan.id} scan={scan} />}
      </Loaded>
    </Page>
  );
}

function Shown({ scan }: { scan: Scan }) {
  useFinalRead(isLive(scan), scanQuery(useOrg(), scan.id).queryKey);
  return (
    <Stack gap="xl">
      {isStale(scan) && (
        <Alert color="yellow" icon={<IconAlertTriangle />} title={text.agentStopped}>
          {text.whyStale}
        </Alert>
      )}
      {scan.error_message && <Problem message={scan.error_message} isWarning={hasWarnings(scan)} />}
      <Facts scan={scan} />
      <Summary scan={scan} />
      {scan.status === 'completed' && <Gate scan={scan} />}
      <Changes scan={scan} />
      <Top scan={scan} />
    </Stack>
  );
}

/** The message of the agent at the end of a scan: why it failed, or the warnings of a completed one. */
function Problem({ message, isWarning }: { message: string; isWarning: boolean }) {
  return (
    <Alert
      color={isWarning ? 'yellow' : 'red'}
      icon={<IconAlertTriangle />}
      title={isWarning ? text.hasWarnings : text.hasFailed}
      styles={{ title: { color: `var(--mantine-color-${isWarning ? 'text' : 'error'})` } }}
    >
      <Text
        size="sm"
        dir="auto"
        mah={200}
        // A scrollable element must be reachable by keyboard.
        tabIndex={0}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {message}
      </Text>
    </Alert>
  );
}

function Facts({ scan }: { scan: Scan }) {
  const org = useOrg();
  const projects = useQuery(projectsQuery(org));
  const project = projects.data?.find(({ id }) => id === scan.project_id);
  return (
    <SimpleGrid component="dl" cols={{ base: 2, md: 3 }} spacing="sm" m={0}>
      <Fact name={text.project}>
        {project ? (
          <OrgAnchor to="/o/$org/projects/$slug" params={{ slug: project.slug }} inherit>
            <bdi>{project.name}</bdi>
          </OrgAnchor>
        ) : (
          '…'
        )}
      </Fact>
      <Fact name={text.kind}>{PERSONA_NAMES[scan.persona]}</Fact>
      <Fact name={text.target}>
        <Target target={scan.target} />
      </Fact>
      {SHOWN_PARTS.map(
        (part) =>
          scan.target?.[part] && (
            <Fact key={part} name={text.targetParts[part]}>
              <bdi>{scan.target[part]}</bdi>
            </Fact>
          ),
      )}
      {scan.sources && (
        <Fact name={text.scanners}>
          <bdi>{scan.sources.join(', ')}</bdi>
        </Fact>
      )}
      <Fact name={text.started}>
        {text.startedAt(dateTime(scan.started_at), <Ago time={scan.started_at} />)}
      </Fact>
      <Fact name={text.duration}>
        {scan.status === 'running' ? text.soFar(<ScanDuration scan={scan} />) : <ScanDuration scan={scan} />}
      </Fact>
      <Fact name={text.id}>
        <code>{scan.id}</code>
      </Fact>
    </SimpleGrid>
  );
}

const SHOWN_PARTS = ['base_ref', 'default_ref', 'category'] as const;

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  );
}

function Top({ scan }: { scan: Scan }) {
  const org = useOrg();
  const list = { scan_id: scan.id, sort: '-priority' } as const;
  const query = useQuery({
    ...scanFindingsQuery(org, scan.id, TOP),
    refetchInterval: isLive(scan) ? POLL_MS : false,
  });
  return (
    <Stack gap="xs" component="section" aria-labelledby="findings">
      <Group justify="space-between">
        <Title order={2} id="findings">
          {text.findings}
        </Title>
        {query.data && query.data.total > 0 && (
          <OrgButton to="/o/$org/findings" search={list} variant="default" size="xs">
            {query.data.total > TOP ? text.showAll(query.data.total) : text.openList}
          </OrgButton>
        )}
      </Group>
      <Loaded query={query} waiting={<Skeleton height={240} />}>
        {({ findings, total }) =>
          total === 0 ? (
            <Empty
              icon={<IconMoodCheck />}
              title={scan.status === 'running' ? text.noFindingsSoFar : text.noFindings}
            />
          ) : (
            <FindingItems findings={findings} list={list} />
          )
        }
      </Loaded>
    </Stack>
  );
}

function Skeletons() {
  return (
    <Stack gap="xl" role="status" aria-label={text.loading}>
      <Skeleton height={88} />
      <Skeleton height={96} />
      <Skeleton height={160} />
      <Skeleton height={320} />
    </Stack>
  );
}

const DeleteScanDialog = lazyDialog(() => import('../deletion/DeleteScanDialog.tsx'), 'DeleteScanDialog');

/** Deletes the scan of a page and returns to the list of scans. */
function DeleteScan({ scan: { id, project_id, status } }: { scan: Scan }) {
  const org = useOrg();
  const mayDelete = useMayIn('deleteScanWithFindings', project_id);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [opened, { open, close }] = useDisclosure();
  const leave = async (deletion: Deletion) => {
    await navigate({ to: '/o/$org/scans', params: { org: org.slug }, search: {}, replace: true });
    queries.removeQueries({ queryKey: scanQuery(org, id).queryKey });
    void announceDeletions(org, queries, [deletion]);
  };
  if (!mayDelete || status === 'running') return null;
  return (
    <>
      <DeleteMenu label={deletion.deleteScanAsk} isBusy={false} onDelete={open} />
      <DeleteScanDialog opened={opened} onClose={close} id={id} onDeleted={leave} />
    </>
  );
}
