import { Group, SegmentedControl, Select, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import * as text from '#strings/scans.tsx';
import { withoutUndefined } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgButton } from '../components/links.tsx';
import { number } from '../components/numbers.ts';
import { Page } from '../components/Page.tsx';
import { Pages } from '../components/Pages.tsx';
import { Ago } from '../components/time/Time.tsx';
import { SeverityBar, severityWords } from '../findings/SeverityBar.tsx';
import { IconRadar, IconTrash } from '../icons/icons.ts';
import { projectsQuery } from '../projects/queries.ts';
import { hasWarnings, type Scan, type ScanStatus, scansQuery } from './queries.ts';
import { ScanDuration, ScanStatusBadge } from './ScanStatus.tsx';
import classes from './ScanTable.module.css';
import { aboutScan, scanName } from './scan-name.ts';
import { Target } from './Target.tsx';

const PER_PAGE = 50;
const STATUSES: { value: ScanStatus; label: string }[] = [
  { value: 'running', label: text.running },
  { value: 'completed', label: text.completed },
  { value: 'failed', label: text.failed },
];

const route = getRouteApi('/_signed-in/o/$org/scans');

/** All scans of an organization, newest first. */
export function Scans() {
  const org = useOrg();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { project_id, status, page = 1 } = search;
  const filter = withoutUndefined<{ project_id?: string; status?: ScanStatus }>({ project_id, status });
  const query = useQuery(scansQuery(org, { ...filter, page, per_page: PER_PAGE }));
  const projects = useQuery(projectsQuery(org));
  const names = useMemo(() => new Map(projects.data?.map(({ id, name }) => [id, name])), [projects.data]);
  const show = (changed: {
    project_id?: string | undefined;
    status?: ScanStatus | undefined;
    page?: number;
  }) => navigate({ search: withoutUndefined({ ...filter, ...changed }) });
  const isFiltered = project_id !== undefined || status !== undefined;

  return (
    <Page
      title={text.scans}
      description={text.whatScansAre}
      actions={
        org.may('listDeletions') && (
          <OrgButton
            to="/o/$org/deletions"
            variant="default"
            size="xs"
            leftSection={<IconTrash size={16} aria-hidden />}
          >
            {text.recentlyDeleted}
          </OrgButton>
        )
      }
    >
      <Group align="flex-end" gap="sm">
        <Select
          label={text.project}
          placeholder={text.allProjects}
          data={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={project_id ?? null}
          onChange={(id) => show({ project_id: id ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': text.allProjects }}
          searchable
          selectFirstOptionOnChange
          nothingFoundMessage={text.noProject}
          w={{ base: '100%', xs: 240 }}
        />
        <SegmentedControl
          aria-label={text.status}
          data={[{ value: '', label: text.all }, ...STATUSES]}
          value={status ?? ''}
          onChange={(value) => show({ status: STATUSES.find((one) => one.value === value)?.value })}
          w={{ base: '100%', xs: 'auto' }}
        />
        <Text size="sm" c="dimmed" aria-live="polite" ml={{ xs: 'auto' }} py={{ base: 0, xs: 8 }} mih={22}>
          {query.data && text.count(query.data.total)}
        </Text>
      </Group>
      <Loaded query={query} waiting={<Skeletons />}>
        {({ scans, pages }) =>
          scans.length === 0 ? (
            <Nothing isFiltered={isFiltered} isBeyond={page > 1} />
          ) : (
            <Stack>
              <ScanTable scans={scans} projects={names} />
              <Pages
                total={pages}
                page={page}
                onChange={(value) => show(value === 1 ? {} : { page: value })}
              />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function Nothing({ isFiltered, isBeyond }: { isFiltered: boolean; isBeyond: boolean }) {
  if (isFiltered || isBeyond) {
    return (
      <Empty icon={<IconRadar />} title={isBeyond ? text.noSuchPage : text.noMatchingScans}>
        <OrgAnchor to="/o/$org/scans" search={{}}>
          {text.showAllScans}
        </OrgAnchor>
      </Empty>
    );
  }
  return (
    <Empty icon={<IconRadar />} title={text.noScans}>
      {text.howToScan((label) => (
        <OrgAnchor to="/o/$org" underline="always">
          {label}
        </OrgAnchor>
      ))}
    </Empty>
  );
}

function Skeletons() {
  return (
    <Stack gap="xs" role="status" aria-label={text.loading}>
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={index} height={64} />
      ))}
    </Stack>
  );
}

interface TableProps {
  scans: Scan[];
  /** The names of projects by id. */
  projects: ReadonlyMap<string, string>;
}

/** A table of scans. On narrow screens, columns move below the name. */
function ScanTable({ scans, projects }: TableProps) {
  return (
    <Table className={classes.table} highlightOnHover verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.scan}</Table.Th>
          <Table.Th visibleFrom="md" w="12%">
            {text.project}
          </Table.Th>
          <Table.Th visibleFrom="lg" w="20%">
            {text.target}
          </Table.Th>
          <Table.Th visibleFrom="sm" w={200}>
            {text.status}
          </Table.Th>
          <Table.Th w={{ base: 96, sm: 136 }}>{text.findings}</Table.Th>
          <Table.Th visibleFrom="md" w={128}>
            {text.started}
          </Table.Th>
          <Table.Th visibleFrom="lg" w={96}>
            {text.duration}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {scans.map((scan) => (
          <Row key={scan.id} scan={scan} project={projects.get(scan.project_id)} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ scan, project }: { scan: Scan; project: string | undefined }) {
  return (
    <Table.Tr>
      <Table.Td>
        <OrgAnchor
          to="/o/$org/scans/$id"
          params={{ id: scan.id }}
          size="sm"
          fw={500}
          c="inherit"
          lineClamp={2}
        >
          <bdi title={scan.name}>{scanName(scan)}</bdi>
        </OrgAnchor>
        <Text size="xs" c="dimmed">
          <bdi>{aboutScan(scan)}</bdi>
        </Text>
        <Group hiddenFrom="sm" mt={4}>
          <ScanStatusBadge scan={scan} />
        </Group>
        <Text size="xs" c="dimmed" hiddenFrom="md" mt={2}>
          <bdi>{project}</bdi> · <Ago time={scan.started_at} />
        </Text>
        {scan.error_message && (
          <Text
            size="xs"
            c={hasWarnings(scan) ? 'dimmed' : 'var(--mantine-color-error)'}
            lineClamp={2}
            dir="auto"
          >
            {scan.error_message}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Text size="sm" lineClamp={2}>
          <bdi>{project}</bdi>
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Text size="sm" className={classes.target} component="div">
          <Target target={scan.target} short />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <ScanStatusBadge scan={scan} />
      </Table.Td>
      <Table.Td className={classes.numbers}>
        <Findings scan={scan} />
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Text size="sm">
          <Ago time={scan.started_at} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Text size="sm">
          <ScanDuration scan={scan} />
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

function Findings({ scan: { summary, finding_count, status } }: { scan: Scan }) {
  const count = number(finding_count);
  if (!summary) {
    return (
      <Text size="sm">
        {status === 'running'
          ? text.soFar(count, (words) => (
              <Text span size="xs" c="dimmed">
                {words}
              </Text>
            ))
          : count}
      </Text>
    );
  }
  return (
    <Stack gap={4}>
      <Text size="sm">{count}</Text>
      {summary.total > 0 && <SeverityBar counts={summary} height={6} />}
      <Text size="xs" c="dimmed">
        {severityWords(summary, ['critical', 'high'])}
      </Text>
    </Stack>
  );
}
