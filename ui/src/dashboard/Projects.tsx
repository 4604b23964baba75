import { Skeleton, Table, Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as text from '#strings/dashboard.tsx';
import { number } from '#strings/language.ts';
import { type FindingSearch, SEVERITIES, type Severity } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import type { SeverityCounts } from '../findings/SeverityBar.tsx';
import { ATTENTION, REGRESSED } from '../findings/views.ts';
import type { Metrics } from '../metrics/queries.ts';
import { projectsQuery } from '../projects/queries.ts';
import { Card, SeverityHeads } from './Card.tsx';
import classes from './Projects.module.css';
import type { ProjectNumbers } from './queries.ts';

/** The number of projects shown. Projects with the most severe findings come first. */
export const SHOWN = 10;
/** The heights of the head and of a row. */
const HEAD = 34;
const ROW = 34;

interface Props {
  /** All projects, or the chosen one. */
  query: UseQueryResult<ProjectNumbers[]>;
  /** The weeks of all projects together. */
  weeks: Metrics['weeks'] | undefined;
  /** The weeks of the shown projects by id. */
  weeksById: ReadonlyMap<string, Metrics['weeks'] | undefined>;
}

/** Findings that need attention, by project, and how many were unresolved over time. */
export function Projects({ query, weeks, weeksById }: Props) {
  const more = (query.data?.length ?? 0) - SHOWN;
  // The filter of the page has read the names, before the numbers are there.
  const count = useQuery(projectsQuery(useOrg())).data?.length ?? SHOWN;
  const rows = Math.min(SHOWN, count) + (count > 1 ? 1 : 0);
  return (
    <Card
      title={text.projectsByRisk}
      side={
        <OrgAnchor to="/o/$org/projects" size="sm">
          {more > 0 ? text.showMoreProjects(more) : text.allProjects}
        </OrgAnchor>
      }
    >
      <Loaded query={query} waiting={<Skeleton height={HEAD + ROW * rows} />}>
        {(projects) => (
          <div className={classes.box}>
            <Table className={classes.table} fz="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{text.project}</Table.Th>
                  <Table.Th>{text.openFindings}</Table.Th>
                  <SeverityHeads of={columnOf} />
                  <Table.Th {...columnOf('regressed')}>{text.regressed}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {projects.length > 1 && (
                  <Row
                    name={text.allProjects}
                    weeks={weeks}
                    attention={sumOf(projects, 'attention')}
                    regressed={sumOf(projects, 'regressed')}
                    of={{}}
                  />
                )}
                {projects.slice(0, SHOWN).map(({ project, attention, regressed }) => (
                  <Row
                    key={project.id}
                    name={<bdi>{project.name}</bdi>}
                    weeks={weeksById.get(project.id)}
                    {...{ attention, regressed }}
                    of={{ project_id: project.id }}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

const columnOf = (column: Severity | 'regressed') => ({
  className: classes.number,
  'data-column': column,
});

interface RowProps {
  name: ReactNode;
  weeks: Metrics['weeks'] | undefined;
  attention: SeverityCounts;
  regressed: SeverityCounts;
  /** The filter for the project. */
  of: FindingSearch;
}

function Row({ name, weeks, attention, regressed, of }: RowProps) {
  const allRegressed = totalOf(regressed);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <OrgAnchor
          to="/o/$org/findings"
          search={{ ...ATTENTION, ...of }}
          c="inherit"
          size="sm"
          display="block"
          truncate
        >
          {name}
        </OrgAnchor>
      </Table.Th>
      <Table.Td className={classes.trend}>
        {weeks ? (
          <div className={classes.trendAndCount}>
            <TrendLine weeks={weeks} />
            <span className={classes.number} aria-hidden>
              {number(weeks.at(-1)?.open ?? 0)}
            </span>
          </div>
        ) : (
          <Skeleton height={24} />
        )}
      </Table.Td>
      {SEVERITIES.map((severity) => (
        <Table.Td key={severity} {...columnOf(severity)}>
          <Count
            value={attention[severity]}
            search={{ ...ATTENTION, ...of, severity: [severity] }}
            label={text.countOf(attention[severity], SEVERITY_NAMES[severity])}
            color={severityColor(severity)}
          />
        </Table.Td>
      ))}
      <Table.Td {...columnOf('regressed')}>
        <Count
          value={allRegressed}
          search={{ ...REGRESSED, ...of }}
          label={text.countRegressed(allRegressed)}
        />
      </Table.Td>
    </Table.Tr>
  );
}

interface CountProps {
  value: number;
  search: FindingSearch;
  label: string;
  color?: string;
}

/** A number that opens its list. */
function Count({ value, search, label, color }: CountProps) {
  if (value === 0) {
    return (
      <Text span inherit c="dimmed">
        {number(0)}
      </Text>
    );
  }
  return (
    <OrgAnchor
      to="/o/$org/findings"
      search={search}
      aria-label={label}
      {...(color !== undefined && { c: color })}
      fw={600}
      inherit
    >
      {number(value)}
    </OrgAnchor>
  );
}

export const totalOf = (counts: SeverityCounts) =>
  SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);

/** The sum over projects, by severity. */
export const sumOf = (projects: ProjectNumbers[], of: 'attention' | 'regressed') =>
  Object.fromEntries(
    SEVERITIES.map((severity) => [
      severity,
      projects.reduce((sum, project) => sum + project[of][severity], 0),
    ]),
  ) as SeverityCounts;

const LINE_WIDTH = 100;
const LINE_HEIGHT = 24;
/** Half of the line, which would be cut off at the edge. */
const EDGE = 1;

/** The unresolved findings at the beginning of the first week and at the end of each. */
function valuesOf(weeks: Metrics['weeks']): number[] {
  const [first] = weeks;
  const before = first ? Math.max(0, first.open + first.resolved - first.found) : 0;
  return [before, ...weeks.map(({ open }) => open)];
}

/** The unresolved findings over time as a line. It begins at zero, so that lines show the same change alike. */
function TrendLine({ weeks }: { weeks: Metrics['weeks'] }) {
  const values = valuesOf(weeks);
  const most = Math.max(...values);
  const points = values.map((value, i) => {
    const x = (i / Math.max(1, values.length - 1)) * LINE_WIDTH;
    const y = LINE_HEIGHT - EDGE - (most === 0 ? 0 : value / most) * (LINE_HEIGHT - 2 * EDGE);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const label = text.trend({
    first: values[0] ?? 0,
    last: values.at(-1) ?? 0,
    most,
    weeks: weeks.length,
  });
  return (
    <svg
      className={classes.line}
      viewBox={`0 0 ${LINE_WIDTH} ${LINE_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      <polygon points={`0,${LINE_HEIGHT} ${points.join(' ')} ${LINE_WIDTH},${LINE_HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  );
}
