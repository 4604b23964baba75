import { Skeleton, Table, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as text from '#strings/dashboard.tsx';
import { number } from '#strings/language.ts';
import { type FindingSearch, SEVERITIES, type Severity } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import type { SeverityCounts } from '../findings/SeverityBar.tsx';
import { ATTENTION, REGRESSED } from '../findings/views.ts';
import type { Metrics } from '../metrics/queries.ts';
import { Card } from './Card.tsx';
import classes from './Projects.module.css';
import type { ProjectNumbers } from './queries.ts';
import { SeverityHeads } from './SeverityHeads.tsx';
import { TrendLine } from './TrendLine.tsx';

/** The number of projects shown. Projects with the most severe findings come first. */
export const SHOWN = 10;
/** The height of the head, the row of all projects and the shown projects. */
const HEIGHT = 34 * (SHOWN + 2);

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
  const { slug } = useOrg();
  const more = (query.data?.length ?? 0) - SHOWN;
  return (
    <Card
      title={text.projectsByRisk}
      side={
        <LinkAnchor to="/o/$org/projects" params={{ org: slug }} size="sm">
          {more > 0 ? text.showMoreProjects(more) : text.allProjects}
        </LinkAnchor>
      }
    >
      <Loaded query={query} waiting={<Skeleton height={HEIGHT} />}>
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
  const { slug } = useOrg();
  const allRegressed = totalOf(regressed);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <LinkAnchor
          to="/o/$org/findings"
          params={{ org: slug }}
          search={{ ...ATTENTION, ...of }}
          c="inherit"
          size="sm"
          display="block"
          truncate
        >
          {name}
        </LinkAnchor>
      </Table.Th>
      <Table.Td className={classes.trend}>
        {weeks ? <TrendLine weeks={weeks} /> : <Skeleton height={24} />}
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
  const { slug } = useOrg();
  if (value === 0) {
    return (
      <Text span inherit c="dimmed">
        {number(0)}
      </Text>
    );
  }
  return (
    <LinkAnchor
      to="/o/$org/findings"
      params={{ org: slug }}
      search={search}
      aria-label={label}
      {...(color !== undefined && { c: color })}
      fw={600}
      inherit
    >
      {number(value)}
    </LinkAnchor>
  );
}

const totalOf = (counts: SeverityCounts) => SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);

/** The sum over projects, by severity. */
export const sumOf = (projects: ProjectNumbers[], of: 'attention' | 'regressed') =>
  Object.fromEntries(
    SEVERITIES.map((severity) => [
      severity,
      projects.reduce((sum, project) => sum + project[of][severity], 0),
    ]),
  ) as SeverityCounts;
