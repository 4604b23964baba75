import { Skeleton, Table, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { SEVERITIES, type Severity } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { number } from '../components/numbers.ts';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import { ATTENTION, REGRESSED } from '../findings/views.ts';
import classes from './ByProject.module.css';
import { Card } from './Card.tsx';
import type { ProjectNumbers } from './queries.ts';

/** The number of projects shown. Projects with the most severe findings come first. */
const SHOWN = 10;

/** Findings that need attention, by project. */
export function ByProject({ query }: { query: UseQueryResult<ProjectNumbers[]> }) {
  const { slug } = useOrg();
  const more = (query.data?.length ?? 0) - SHOWN;
  return (
    <Card
      title="Needs attention by project"
      side={
        <LinkAnchor to="/o/$org/projects" params={{ org: slug }} size="sm">
          {more > 0 ? `Show ${more.toLocaleString('en')} more` : 'All projects'}
        </LinkAnchor>
      }
    >
      <Loaded query={query} waiting={<Skeleton height={240} />}>
        {(projects) => (
          <Table className={classes.table} verticalSpacing={6} fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>
                  <Text size="xs" fw={600}>
                    Project
                  </Text>
                </Table.Th>
                {SEVERITIES.map((severity) => (
                  <Table.Th
                    key={severity}
                    className={classes.number}
                    {...(isMinor(severity) && { visibleFrom: 'xs' as const })}
                  >
                    <Text size="xs" fw={600}>
                      {SEVERITY_NAMES[severity]}
                    </Text>
                  </Table.Th>
                ))}
                <Table.Th className={classes.number}>
                  <Text size="xs" fw={600}>
                    Regressed
                  </Text>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {projects.slice(0, SHOWN).map((numbers) => (
                <Row key={numbers.project.id} numbers={numbers} />
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Loaded>
    </Card>
  );
}

/** Severities that are hidden on narrow screens. */
const isMinor = (severity: Severity) => severity !== 'critical' && severity !== 'high';

function Row({ numbers }: { numbers: ProjectNumbers }) {
  const { slug } = useOrg();
  const { project } = numbers;
  const search = { ...ATTENTION, project_id: project.id };
  const { attention, regressed } = numbers;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <LinkAnchor
          to="/o/$org/findings"
          params={{ org: slug }}
          search={search}
          c="inherit"
          size="sm"
          display="block"
          truncate
        >
          <bdi>{project.name}</bdi>
        </LinkAnchor>
      </Table.Th>
      {SEVERITIES.map((severity) => (
        <Table.Td
          key={severity}
          className={classes.number}
          {...(isMinor(severity) && { visibleFrom: 'xs' as const })}
        >
          {attention[severity] === 0 ? (
            <Text span inherit c="dimmed">
              0
            </Text>
          ) : (
            <LinkAnchor
              to="/o/$org/findings"
              params={{ org: slug }}
              search={{ ...search, severity: [severity] }}
              aria-label={`${number(attention[severity])} ${severity}`}
              c={severityColor(severity)}
              fw={600}
              inherit
            >
              {number(attention[severity])}
            </LinkAnchor>
          )}
        </Table.Td>
      ))}
      <Table.Td className={classes.number}>
        {regressed.total === 0 ? (
          <Text span inherit c="dimmed">
            0
          </Text>
        ) : (
          <LinkAnchor
            to="/o/$org/findings"
            params={{ org: slug }}
            search={{ ...REGRESSED, project_id: project.id }}
            aria-label={`${number(regressed.total)} regressed`}
            fw={600}
            inherit
          >
            {number(regressed.total)}
          </LinkAnchor>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
