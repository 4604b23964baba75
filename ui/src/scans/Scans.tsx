import { Group, Pagination, SegmentedControl, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import * as text from '#strings/scans.tsx';
import { withoutUndefined } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { IconRadar } from '../icons/icons.ts';
import { projectsQuery } from '../projects/queries.ts';
import { type ScanStatus, scansQuery } from './queries.ts';
import { ScanTable } from './ScanTable.tsx';

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
    <Page title={text.scans} description={text.whatScansAre}>
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
          onChange={(value) => show({ status: value || undefined })}
          w={{ base: '100%', xs: 'auto' }}
        />
        <Text size="sm" c="dimmed" aria-live="polite" ml="auto" py={8}>
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
              {pages > 1 && (
                <Pagination
                  total={pages}
                  value={page}
                  onChange={(value) => show(value === 1 ? {} : { page: value })}
                  getControlProps={(control) => ({ 'aria-label': text.pages[control] })}
                  getItemProps={(number) => ({ 'aria-label': text.pageNumber(number) })}
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
