import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconMoodCheck } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { SEVERITIES, UNRESOLVED } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor, LinkBox } from '../components/links.tsx';
import numbers from '../components/Numbers.module.css';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import { SeverityBar, type SeverityCounts } from '../findings/SeverityBar.tsx';
import { Card } from './Card.tsx';
import type { ProjectNumbers } from './queries.ts';

/** The fixed height prevents a layout shift. */
const HEIGHT = 106;

interface Props {
  query: UseQueryResult<ProjectNumbers[]>;
  /** Findings of every status; undefined while loading. */
  all: SeverityCounts | undefined;
}

/** Unresolved findings by severity. Each number links to its findings. */
export function Attention({ query, all }: Props) {
  const { slug } = useOrg();
  const unresolved = query.data && sumOf(query.data);
  const total = unresolved ? totalOf(unresolved) : 0;
  return (
    <Card
      title="Needs attention"
      side={
        total > 0 && (
          <LinkAnchor
            to="/o/$org/findings"
            params={{ org: slug }}
            search={{ status: [...UNRESOLVED], sort: '-severity' }}
            size="sm"
          >
            {total.toLocaleString('en')} unresolved {total === 1 ? 'finding' : 'findings'}
          </LinkAnchor>
        )
      }
    >
      <Loaded query={query} waiting={<Skeleton h={{ base: 186, xs: HEIGHT }} />}>
        {(projects) => <BySeverity unresolved={sumOf(projects)} all={all} />}
      </Loaded>
    </Card>
  );
}

function BySeverity({ unresolved, all }: { unresolved: SeverityCounts; all: SeverityCounts | undefined }) {
  const { slug } = useOrg();
  const status = [...UNRESOLVED];
  if (totalOf(unresolved) === 0) {
    return (
      <Group mih={HEIGHT} justify="center" gap="xs">
        <IconMoodCheck aria-hidden />
        <Text>All findings are resolved.</Text>
      </Group>
    );
  }
  return (
    <Stack gap={10} mih={HEIGHT}>
      <SimpleGrid cols={{ base: 3, xs: 5 }} spacing={4} className={numbers.flush}>
        {SEVERITIES.map((severity) => (
          <LinkBox
            key={severity}
            to="/o/$org/findings"
            params={{ org: slug }}
            search={{ severity: [severity], status }}
            className={numbers.link}
          >
            <Text className={numbers.big} c={unresolved[severity] > 0 ? severityColor(severity) : 'dimmed'}>
              {unresolved[severity].toLocaleString('en')}
            </Text>
            <Text size="sm">{SEVERITY_NAMES[severity]}</Text>
            <Text size="xs" c="dimmed">
              of {all ? all[severity].toLocaleString('en') : '…'} total
            </Text>
          </LinkBox>
        ))}
      </SimpleGrid>
      <SeverityBar
        counts={unresolved}
        height={10}
        partTo={(severity) => ({ severity: [severity], status })}
      />
    </Stack>
  );
}

const sumOf = (projects: ProjectNumbers[]) =>
  Object.fromEntries(
    SEVERITIES.map((severity) => [severity, projects.reduce((sum, numbers) => sum + numbers[severity], 0)]),
  ) as SeverityCounts;

const totalOf = (counts: SeverityCounts) => SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
