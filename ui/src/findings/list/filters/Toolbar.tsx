import {
  Button,
  Collapse,
  Indicator,
  type Menu as MenuParts,
  NativeSelect,
  Text,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import * as groups from '#strings/findings/groups.tsx';
import * as text from '#strings/findings/list/filters.tsx';
import { number } from '#strings/language.ts';
import { GROUP_KEYS, type GroupKey, SEVERITIES, SORTS, STATUSES } from '../../../app/search.ts';
import { useOrg } from '../../../app/session.ts';
import { LazyMenu } from '../../../components/floating/LazyMenu.tsx';
import { LazySelect } from '../../../components/floating/LazySelect.tsx';
import { IconAdjustmentsHorizontal, IconChevronDown } from '../../../icons/icons.ts';
import { projectsQuery } from '../../../projects/queries.ts';
import { scansQuery } from '../../../scans/queries.ts';
import { scanName } from '../../../scans/scan-name.ts';
import { type FindingFilter, isSearch, totalQuery } from '../../list-queries.ts';
import { type FilterChange, filtersBeside, type ListState } from '../../list-state.ts';
import { QueryField } from '../../query/QueryField.tsx';
import { SEVERITY_NAMES, STATUS_NAMES } from '../../Severity.tsx';
import { GROUP_NAMES, SORT_NAMES } from './filter-chips.tsx';
import classes from './Toolbar.module.css';
import { useTyped } from './use-typed.ts';

interface Props {
  list: ListState;
  onChange(change: FilterChange): void;
  /** Called with the list after the query was edited. */
  onQuery(list: ListState): void;
  search: RefObject<HTMLInputElement | null>;
  /** Whether the screen is narrow. */
  narrow: boolean;
  /** Shown after the filters on narrow screens. */
  children?: ReactNode;
}

/** The filters of the list. */
export function Toolbar({ list, onChange, onQuery, search, narrow, children }: Props) {
  const org = useOrg();
  const [opened, { toggle }] = useDisclosure();
  const projects = useQuery(projectsQuery(org)).data ?? [];
  const { filter } = list;
  const { project_id, scan_id } = filter;
  /** Unset if there are several. */
  const project = project_id?.includes(',') ? undefined : project_id;
  const scans = useQuery({
    ...scansQuery(org, { ...(project !== undefined && { project_id: project }), per_page: 50 }),
    enabled: project !== undefined,
  }).data?.scans;

  const fields = (
    <>
      <LazySelect
        aria-label={text.project}
        placeholder={project_id === project ? text.project : text.severalProjects}
        className={classes.field ?? ''}
        data={projects.map(({ id, name }) => ({ value: id, label: name }))}
        value={project ?? null}
        onChange={(value) =>
          onChange({
            project_id: value ?? undefined,
            // A scan belongs to one project.
            scan_id: undefined,
            against: undefined,
            change: undefined,
          })
        }
        selectFirstOptionOnChange
        clearable
        nothingFoundMessage={text.noProject}
        limit={100}
      />
      {project !== undefined && (
        <LazySelect
          aria-label={text.scan}
          placeholder={text.scan}
          className={classes.field ?? ''}
          data={(scans ?? []).map((scan) => ({ value: scan.id, label: scanName(scan) }))}
          value={scan_id ?? null}
          onChange={(value) =>
            onChange({ scan_id: value ?? undefined, against: undefined, change: undefined })
          }
          selectFirstOptionOnChange
          clearable
          nothingFoundMessage={text.noScan}
        />
      )}
      <MultiFilter
        name="severity"
        label={text.severity}
        options={SEVERITIES}
        names={SEVERITY_NAMES}
        filter={filter}
        onChange={onChange}
      />
      <MultiFilter
        name="status"
        label={text.status}
        options={STATUSES}
        names={STATUS_NAMES}
        filter={filter}
        onChange={onChange}
      />
      <CweField value={filter.cwe} onChange={(cwe) => onChange({ cwe })} />
    </>
  );

  return (
    <search className={classes.bar} aria-label={text.filters} data-print-hidden>
      <QueryField ref={search} list={list} onChange={onQuery} />
      {narrow ? (
        <>
          <Indicator disabled={Object.keys(filtersBeside(list)).length === 0} size={9} offset={4}>
            <Button
              variant="default"
              px="xs"
              onClick={toggle}
              aria-expanded={opened}
              aria-label={text.moreFilters}
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

const TYPING_MS = 400;

interface TextFieldProps {
  value: string | undefined;
  onChange(value: string | undefined): void;
}

const cweOrNothing = (text: string) => (text.trim() === '' ? '' : cweOf(text));

/** Filters by CWE once the input is valid. */
function CweField({ value = '', onChange }: TextFieldProps) {
  const { typed, type, now } = useTyped(value, cweOrNothing, onChange, TYPING_MS);
  return (
    <TextInput
      className={classes.cwe ?? ''}
      aria-label={text.cwe}
      placeholder={text.cwe}
      title={text.cweExample}
      maxLength={16}
      value={typed}
      error={cweOrNothing(typed) === undefined}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && now()}
    />
  );
}

/** Normalizes a CWE for the API; undefined if it is invalid. */
function cweOf(text: string): string | undefined {
  const digits = /^\s*(?:cwe[\s-]*)?(\d{1,9})\s*$/i.exec(text)?.[1];
  return digits && `CWE-${digits}`;
}

interface SortProps {
  sort: NonNullable<FindingFilter['sort']>;
  onSort(sort: FindingFilter['sort']): void;
}

/** The order of the list. Priority means: regressed findings first, then by severity, then the newest. */
export const SortSelect = ({ sort, onSort }: SortProps) => (
  <div className={classes.choice}>
    <span aria-hidden>{text.sortedBy}</span>
    <NativeSelect
      size="xs"
      aria-label={text.sortOrder}
      data={SORTS.map((value) => ({ value, label: SORT_NAMES[value] }))}
      value={sort}
      onChange={({ currentTarget: { value } }) => onSort(SORTS.find((one) => one === value))}
    />
  </div>
);

interface GroupBySelectProps {
  value: GroupKey | undefined;
  onGroup(by: GroupKey | undefined): void;
}

/** Chooses the field that the list is grouped by. */
export const GroupBySelect = ({ value, onGroup }: GroupBySelectProps) => (
  <div className={classes.choice}>
    <span aria-hidden>{groups.groupedBy}</span>
    <NativeSelect
      size="xs"
      aria-label={groups.groupFindings}
      data={[
        { value: '', label: groups.noGroups },
        ...GROUP_KEYS.map((key) => ({ value: key, label: GROUP_NAMES[key] })),
      ]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onGroup(GROUP_KEYS.find((key) => key === currentTarget.value))}
    />
  </div>
);

interface MultiProps<T extends string> {
  name: 'severity' | 'status';
  label: string;
  options: readonly T[];
  names: Record<T, string>;
  /** The filter of the list. */
  filter: FindingFilter;
  onChange(change: FilterChange): void;
}

/** A filter with several values. */
function MultiFilter<T extends string>(props: MultiProps<T>) {
  const { name, label, filter } = props;
  const count = filter[name]?.length ?? 0;
  return (
    <LazyMenu
      closeOnItemClick={false}
      width={190}
      position="bottom-start"
      button={(props) => (
        <Button
          {...props}
          variant="default"
          px="sm"
          fw={count > 0 ? 600 : 400}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {count > 0 ? text.chosen(label, count) : label}
        </Button>
      )}
    >
      {(Menu) => <Values {...props} menu={Menu} />}
    </LazyMenu>
  );
}

/** The values of a filter, each with the number of findings that have it and match the other filters. */
function Values<T extends string>({ menu: Menu, name, options, names, filter, onChange }: ValuesProps<T>) {
  const org = useOrg();
  const counted = isSearch(filter) ? [] : options;
  const totals = useQueries({ queries: counted.map((one) => totalQuery(org, { ...filter, [name]: [one] })) });
  const value: readonly string[] = filter[name] ?? [];
  return (
    <>
      <Menu.CheckboxGroup
        value={[...value]}
        onChange={(next) => {
          const known = options.filter((one) => next.includes(one));
          onChange({ [name]: known.length > 0 ? known : undefined });
        }}
      >
        {options.map((one, i) => {
          const total = totals[i]?.data;
          return (
            <Menu.CheckboxItem
              key={one}
              value={one}
              rightSection={
                total !== undefined && (
                  <Text span size="xs" c="dimmed">
                    {number(total)}
                  </Text>
                )
              }
            >
              {names[one]}
            </Menu.CheckboxItem>
          );
        })}
      </Menu.CheckboxGroup>
      {value.length > 0 && (
        <>
          <Menu.Divider />
          <Menu.Item onClick={() => onChange({ [name]: undefined })} closeMenuOnClick>
            {text.any}
          </Menu.Item>
        </>
      )}
    </>
  );
}

type ValuesProps<T extends string> = MultiProps<T> & { menu: typeof MenuParts };
