import { Group, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import * as text from '#strings/activity.ts';
import { withoutUndefined } from '../app/search.ts';
import { useMe, useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Pages } from '../components/Pages.tsx';
import { IconHistory } from '../icons/icons.ts';
import { membersQuery } from '../members/queries.ts';
import { DAY_MS, dateOf } from '../metrics/range.ts';
import { projectsQuery } from '../projects/queries.ts';
import { Entries } from './Entries.tsx';
import { ExportActivity } from './ExportActivity.tsx';
import { orgActivityQuery } from './queries.ts';
import { type ActivitySearch, DAYS, filterOf, KIND_NAMES } from './search.ts';

const PER_PAGE = 50;
/** The service counts at most this number of entries after the page. */
const COUNTED_AHEAD = 10_000;

const route = getRouteApi('/_signed-in/o/$org/activity');

/** The activity of all findings: who decided what, when and why. */
export function Activity() {
  const org = useOrg();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { page = 1, ...filters } = search;
  const today = dateOf(Date.now());
  const filter = useMemo(() => filterOf(search, Date.parse(today)), [search, today]);
  const query = useQuery(orgActivityQuery(org, filter, { page, perPage: PER_PAGE }));
  const show = (next: { [Name in keyof ActivitySearch]?: ActivitySearch[Name] | undefined }) =>
    navigate({
      search: withoutUndefined<ActivitySearch>({ ...filters, ...next }),
      resetScroll: 'page' in next,
    });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title={text.activity} description={text.whatIsListed} actions={<ExportActivity filter={filter} />}>
      <Filters search={filters} today={today} onChange={show} />
      <Text size="sm" c="dimmed" aria-live="polite" mih={20}>
        {query.data && text.count(query.data.total, query.data.total >= page * PER_PAGE + COUNTED_AHEAD)}
      </Text>
      <Loaded query={query} waiting={<Skeletons />}>
        {({ entries, pages, total }) =>
          entries.length === 0 ? (
            <Empty
              icon={<IconHistory />}
              title={total > 0 ? text.pageIsEmpty : isFiltered ? text.nothingMatches : text.noActivity}
            >
              {isFiltered ? (
                <OrgAnchor to="/o/$org/activity" search={{}}>
                  {text.showAll}
                </OrgAnchor>
              ) : (
                text.howToBegin
              )}
            </Empty>
          ) : (
            <Stack>
              <Entries entries={entries} />
              <Pages
                total={pages}
                page={page}
                onChange={(value) => show({ page: value === 1 ? undefined : value })}
              />
            </Stack>
          )
        }
      </Loaded>
    </Page>
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

interface FiltersProps {
  search: ActivitySearch;
  today: string;
  onChange(next: { [Name in keyof ActivitySearch]?: ActivitySearch[Name] | undefined }): void;
}

const SYSTEM = 'system';
const CUSTOM = 'custom';

/** The filters of the address: person, project, kind and time. */
function Filters({ search, today, onChange }: FiltersProps) {
  const org = useOrg();
  const { user } = useMe();
  const members = useQuery(membersQuery(org)).data;
  const projects = useQuery(projectsQuery(org)).data ?? [];
  const { actor: given, project_id, kind, days, from, to } = search;
  const actor = given === 'me' ? user.id : given;
  const people = [
    ...(members ?? [])
      .filter(({ pending }) => !pending)
      .map(({ user_id, name }) => ({ value: user_id, label: user_id === user.id ? text.you(name) : name })),
    { value: SYSTEM, label: text.theService },
  ];
  if (members && actor !== undefined && !people.some(({ value }) => value === actor))
    people.push({ value: actor, label: text.anotherActor(org.isLimited) });
  const isCustom = from !== undefined || to !== undefined;
  return (
    <search aria-label={text.filters}>
      <Group align="flex-end" gap="sm">
        <FilterSelect
          label={text.person}
          all={text.anybody}
          data={people}
          value={actor}
          onChange={(value) => onChange({ actor: value })}
          nothingFoundMessage={text.noPerson}
        />
        <FilterSelect
          label={text.project}
          all={text.allProjects}
          data={projects.map(({ id, name }) => ({ value: id, label: name }))}
          value={project_id}
          onChange={(value) => onChange({ project_id: value })}
          nothingFoundMessage={text.noProject}
        />
        <FilterSelect
          label={text.kind}
          all={text.allKinds}
          data={KIND_NAMES.map((value) => ({ value, label: text.kinds[value] }))}
          value={kind}
          onChange={(value) => onChange({ kind: KIND_NAMES.find((one) => one === value) })}
        />
        <FilterSelect
          label={text.time}
          all={text.anyTime}
          data={[
            ...DAYS.map((value) => ({ value: String(value), label: text.lastDays(value) })),
            { value: CUSTOM, label: text.dates },
          ]}
          value={isCustom ? CUSTOM : days?.toString()}
          onChange={(value) => {
            const chosen = DAYS.find((one) => String(one) === value);
            const week = { from: dateOf(Date.parse(today) - 6 * DAY_MS), to: today };
            onChange({ from: undefined, to: undefined, days: chosen, ...(value === CUSTOM && week) });
          }}
        />
        {isCustom && (
          <>
            <TextInput
              type="date"
              label={text.firstDay}
              value={from ?? ''}
              max={to}
              onChange={({ currentTarget: { value } }) => onChange({ from: value || undefined })}
            />
            <TextInput
              type="date"
              label={text.lastDay}
              value={to ?? ''}
              min={from}
              onChange={({ currentTarget: { value } }) => onChange({ to: value || undefined })}
            />
          </>
        )}
      </Group>
    </search>
  );
}

interface FilterSelectProps {
  label: string;
  /** The name of no filter. */
  all: string;
  data: { value: string; label: string }[];
  value: string | undefined;
  onChange(value: string | undefined): void;
  /** Set if the options can be searched. */
  nothingFoundMessage?: string;
}

/** Chooses the value of a filter, or none. */
const FilterSelect = ({ all, value, onChange, nothingFoundMessage, ...props }: FilterSelectProps) => (
  <Select
    placeholder={all}
    value={value ?? null}
    onChange={(next) => onChange(next ?? undefined)}
    clearable
    clearButtonProps={{ 'aria-label': all }}
    {...(nothingFoundMessage !== undefined && {
      nothingFoundMessage,
      searchable: true,
      selectFirstOptionOnChange: true,
      limit: 100,
    })}
    w={{ base: '100%', xs: 200 }}
    {...props}
  />
);
