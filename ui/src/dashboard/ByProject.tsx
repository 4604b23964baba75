import { Skeleton, Table, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { SEVERITIES, type Severity, UNRESOLVED } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import classes from './ByProject.module.css';
import { Card } from './Card.tsx';
import type { ProjectNumbers } from './queries.ts';

/** The number of projects shown. Projects with the most severe findings come first. */
const SHOWN = 10;

/** Unresolved findings by project. */
export function ByProject({ query }: { query: UseQueryResult<ProjectNumbers[]> }) {
  const { slug } = useOrg();
  const more = (query.data?.length ?? 0) - SHOWN;
  return (
    <Card
      title="Unresolved by project"
      side={
        <LinkAnchor to="/o/$org/projects" params={{ org: slug }} size="sm">
          {more > 0 ? `Show ${more.toLocaleString('en')} more` : 'All projects'}
        </LinkAnchor>
      }
    >
      <Loaded query={query} waiting={<Skeleton height={240} />}>
        {(projects) => (
          <Table className={classes.table} layout="fixed" verticalSpacing={6} fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Project</Table.Th>
                {SEVERITIES.map((severity) => (
                  <Table.Th
                    key={severity}
                    className={classes.number}
                    w={{ base: 58, sm: 66 }}
                    {...(isMinor(severity) && { visibleFrom: 'xs' as const })}
                  >
                    <Text size="xs" fw={600}>
                      {SEVERITY_NAMES[severity]}
                    </Text>
                  </Table.Th>
                ))}
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
const isMinor = (severity: Severity) => severity === 'low' || severity === 'info';

function Row({ numbers }: { numbers: ProjectNumbers }) {
  const { slug } = useOrg();
  const { project } = numbers;
  const search = { project_id: project.id, status: [...UNRESOLVED] };
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <LinkAnchor
          to="/o/$org/findings"
          params={{ org: slug }}
          search={{ ...search, sort: '-severity' }}
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
          {numbers[severity] === 0 ? (
            <Text span inherit c="dimmed">
              0
            </Text>
          ) : (
            <LinkAnchor
              to="/o/$org/findings"
              params={{ org: slug }}
              search={{ ...search, severity: [severity] }}
              aria-label={`${numbers[severity]} ${severity}`}
              c={severityColor(severity)}
              fw={600}
              inherit
            >
              {numbers[severity].toLocaleString('en')}
            </LinkAnchor>
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
