import { Group, Pagination, SegmentedControl, Select, Skeleton, Stack, Text } from '@mantine/core';
import { IconRadar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { withoutUndefined } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { projectsQuery } from '../projects/queries.ts';
import { type ScanStatus, scansQuery } from './queries.ts';
import { ScanTable } from './ScanTable.tsx';

const PER_PAGE = 50;
const STATUSES: { value: ScanStatus; label: string }[] = [
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
];

const route = getRouteApi('/_signed-in/o/$org/scans');

/** All scans of an organization, newest first. */
export function Scans() {
  const org = useOrg();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { project_id, page = 1 } = search;
  const status = STATUSES.find(({ value }) => value === search.status)?.value;
  const filter = withoutUndefined<{ project_id?: string; status?: ScanStatus }>({ project_id, status });
  const query = useQuery(scansQuery(org, { ...filter, page, per_page: PER_PAGE }));
  const projects = useQuery(projectsQuery(org));
  const names = useMemo(() => new Map(projects.data?.map(({ id, name }) => [id, name])), [projects.data]);
  const show = (changed: { project_id?: string | undefined; status?: string | undefined; page?: number }) =>
    navigate({ search: withoutUndefined({ ...filter, ...changed }) });
  const isFiltered = project_id !== undefined || status !== undefined;

  return (
    <Page title="Scans" description="Scans that agents have reported.">
      <Group align="flex-end" gap="sm">
        <Select
          label="Project"
          placeholder="All projects"
          data={(projects.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={project_id ?? null}
          onChange={(id) => show({ project_id: id ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': 'All projects' }}
          searchable
          selectFirstOptionOnChange
          nothingFoundMessage="No matching project"
          w={{ base: '100%', xs: 240 }}
        />
        <SegmentedControl
          aria-label="Status"
          data={[{ value: '', label: 'All' }, ...STATUSES]}
          value={status ?? ''}
          onChange={(value) => show({ status: value || undefined })}
          w={{ base: '100%', xs: 'auto' }}
        />
        <Text size="sm" c="dimmed" aria-live="polite" ml="auto" py={8}>
          {query.data &&
            `${query.data.total.toLocaleString('en')} ${query.data.total === 1 ? 'scan' : 'scans'}`}
        </Text>
      </Group>
      <Loaded query={query} waiting={<Skeletons />}>
        {({ scans, pages }) =>
          scans.length === 0 ? (
            <Nothing isFiltered={isFiltered} isBeyond={page > 1} />
          ) : (
            <Stack>
              <ScanTable scans={scans} projects={names} />
              {pages > 1 && (
                <Pagination
                  total={pages}
                  value={page}
                  onChange={(value) => show(value === 1 ? {} : { page: value })}
                  getControlProps={(control) => ({ 'aria-label': `${control} page` })}
                  getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
                  mx="auto"
                />
              )}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function Nothing({ isFiltered, isBeyond }: { isFiltered: boolean; isBeyond: boolean }) {
  const { slug } = useOrg();
  if (isFiltered || isBeyond) {
    return (
      <Empty icon={<IconRadar />} title={isBeyond ? 'This page does not exist' : 'No matching scans'}>
        <LinkAnchor to="/o/$org/scans" params={{ org: slug }} search={{}}>
          Show all scans
        </LinkAnchor>
      </Empty>
    );
  }
  return (
    <Empty icon={<IconRadar />} title="No scans yet">
      Agents report scans. See{' '}
      <LinkAnchor to="/o/$org" params={{ org: slug }}>
        first steps
      </LinkAnchor>{' '}
      to run one.
    </Empty>
  );
}

function Skeletons() {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={index} height={64} />
      ))}
    </Stack>
  );
}
