import { Group, SegmentedControl, Select, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/metrics.tsx';
import { useOrg } from '../app/session.ts';
import { utcDay } from '../components/time/dates.ts';
import { projectsQuery } from '../projects/queries.ts';
import { DAYS, type DayRange, daysOf, type MetricsSearch } from './range.ts';

interface Props {
  search: MetricsSearch;
  range: DayRange;
  /** Why the range is invalid, if it is. */
  problem: string | undefined;
  onChange(search: MetricsSearch): void;
}

/** The range of days and the project. */
export function MetricsFilter({ search, range, problem, onChange }: Props) {
  const org = useOrg();
  const projects = useQuery(projectsQuery(org)).data ?? [];
  const { project_id } = search;
  const project = project_id === undefined ? {} : { project_id };
  const days = daysOf(search);
  return (
    <search aria-label={text.rangeAndProjectFilter} data-print-hidden>
      <Group gap="xs" align="center">
        <SegmentedControl
          aria-label={text.range}
          data={[
            ...DAYS.map((value) => ({ value: String(value), label: text.days(value) })),
            { value: 'custom', label: text.custom },
          ]}
          value={days === undefined ? 'custom' : String(days)}
          onChange={(value) => {
            const chosen = DAYS.find((one) => String(one) === value);
            onChange({ ...project, ...(chosen ? { days: chosen } : range) });
          }}
        />
        {days === undefined && (
          <Group gap={6} wrap="nowrap">
            <TextInput
              type="date"
              aria-label={text.firstDay}
              value={range.from}
              error={problem !== undefined}
              onChange={({ currentTarget: { value } }) =>
                value && onChange({ ...project, ...range, from: value })
              }
            />
            <Text size="sm">{text.to}</Text>
            <TextInput
              type="date"
              aria-label={text.lastDay}
              value={range.to}
              error={problem !== undefined}
              onChange={({ currentTarget: { value } }) =>
                value && onChange({ ...project, ...range, to: value })
              }
            />
          </Group>
        )}
        <Select
          aria-label={text.project}
          placeholder={text.anyProject}
          data={projects.map(({ id, name }) => ({ value: id, label: name }))}
          value={project_id ?? null}
          onChange={(id) => {
            const { project_id: _, ...others } = search;
            onChange({ ...others, ...(id !== null && { project_id: id }) });
          }}
          searchable
          clearable
          nothingFoundMessage={text.noMatchingProject}
          limit={100}
          w={160}
          maw={336}
          style={{ flexGrow: 1 }}
        />
      </Group>
    </search>
  );
}

/** A range of days and the project, in words. */
export function RangeInWords({ range, project_id }: { range: DayRange; project_id: string | undefined }) {
  const projects = useQuery(projectsQuery(useOrg())).data;
  const project = projects?.find(({ id }) => id === project_id);
  return text.rangeAndProject(
    utcDay(range.from),
    utcDay(range.to),
    project_id === undefined ? text.allProjects : <bdi>{project?.name ?? text.oneProject}</bdi>,
  );
}
