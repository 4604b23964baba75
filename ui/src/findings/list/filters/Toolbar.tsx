import { Button, Collapse, Indicator, NativeSelect, SegmentedControl, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import { SEVERITIES, SORTS, STATUSES } from '../../../app/search.ts';
import { useOrg } from '../../../app/session.ts';
import { projectsQuery } from '../../../projects/queries.ts';
import { scansQuery } from '../../../scans/queries.ts';
import type { FindingFilter } from '../../list-queries.ts';
import { SEVERITY_NAMES, STATUS_NAMES } from '../../Severity.tsx';
import { isFiltered, PRESETS, presetOf } from './filters.ts';
import { MultiFilter } from './MultiFilter.tsx';
import { CweField, SearchField } from './TextFields.tsx';
import classes from './Toolbar.module.css';

const SORT_NAMES: Record<(typeof SORTS)[number], string> = {
  '-created_at': 'Newest first',
  created_at: 'Oldest first',
  '-last_seen_at': 'Most recently seen first',
  last_seen_at: 'Least recently seen first',
  '-severity': 'Most severe first',
  severity: 'Least severe first',
  '-cvss_score': 'Highest CVSS first',
  cvss_score: 'Lowest CVSS first',
};

interface Props {
  filter: FindingFilter;
  /** Called with changed filters; undefined removes a filter. */
  onChange(change: { [K in keyof FindingFilter]?: FindingFilter[K] | undefined }, replace?: boolean): void;
  search: RefObject<HTMLInputElement | null>;
  /** Whether the screen is narrow. */
  narrow: boolean;
  /** Shown after the filters on narrow screens. */
  children?: ReactNode;
}

/** The filters of the list. */
export function Toolbar({ filter, onChange, search, narrow, children }: Props) {
  const org = useOrg();
  const [opened, { toggle }] = useDisclosure();
  const projects = useQuery(projectsQuery(org)).data ?? [];
  const { project_id, scan_id } = filter;
  const scans = useQuery({
    ...scansQuery(org, { ...(project_id !== undefined && { project_id }), per_page: 50 }),
    enabled: project_id !== undefined,
  }).data?.scans;

  const fields = (
    <>
      <Select
        aria-label="Project"
        placeholder="Project"
        className={classes.field ?? ''}
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        value={project_id ?? null}
        onChange={(value) =>
          onChange({
            project_id: value ?? undefined,
            // A scan belongs to one project.
            scan_id: undefined,
            against: undefined,
            change: undefined,
          })
        }
        searchable
        clearable
        nothingFoundMessage="No matching project"
        limit={100}
      />
      {project_id !== undefined && (
        <Select
          aria-label="Scan"
          placeholder="Scan"
          className={classes.field ?? ''}
          data={(scans ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={scan_id ?? null}
          onChange={(value) =>
            onChange({ scan_id: value ?? undefined, against: undefined, change: undefined })
          }
          searchable
          clearable
          nothingFoundMessage="No matching scan in the latest 50"
        />
      )}
      <MultiFilter
        label="Severity"
        options={SEVERITIES}
        names={SEVERITY_NAMES}
        value={filter.severity}
        onChange={(severity) => onChange({ severity })}
      />
      <MultiFilter
        label="Status"
        options={STATUSES}
        names={STATUS_NAMES}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
      <CweField value={filter.cwe} onChange={(cwe) => onChange({ cwe })} />
      {narrow && (
        <NativeSelect
          aria-label="Sort order"
          data={SORTS.map((value) => ({ value, label: SORT_NAMES[value] }))}
          value={filter.sort ?? '-created_at'}
          onChange={({ currentTarget: { value } }) =>
            onChange({ sort: SORTS.find((sort) => sort === value) })
          }
        />
      )}
    </>
  );

  return (
    <search className={classes.bar} aria-label="Filters">
      <SegmentedControl
        aria-label="Presets"
        className={classes.presets ?? ''}
        data={PRESETS.map(({ value, label }) => ({ value, label }))}
        value={presetOf(filter)}
        onChange={(value) => {
          const preset = PRESETS.find((one) => one.value === value);
          onChange({ status: preset?.status && [...preset.status] });
        }}
      />
      <SearchField ref={search} value={filter.q} onChange={(q) => onChange({ q }, true)} />
      {narrow ? (
        <>
          <Indicator disabled={!isFiltered(filter)} size={9} offset={4}>
            <Button
              variant="default"
              px="xs"
              onClick={toggle}
              aria-expanded={opened}
              aria-label="More filters and sort order"
            >
              <IconAdjustmentsHorizontal size={18} aria-hidden />
            </Button>
          </Indicator>
          <Collapse expanded={opened} className={classes.more ?? ''}>
            <div className={classes.fields}>
              {fields}
              {children}
            </div>
          </Collapse>
        </>
      ) : (
        fields
      )}
    </search>
  );
}
