import { Group, Stack, Table, Text } from '@mantine/core';
import * as text from '#strings/scans.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { number } from '../components/numbers.ts';
import { Ago } from '../components/time/Time.tsx';
import { SeverityBar, severityWords } from '../findings/SeverityBar.tsx';
import { PERSONA_NAMES } from './persona.ts';
import { hasWarnings, type Scan } from './queries.ts';
import { ScanDuration, ScanStatusBadge } from './ScanStatus.tsx';
import classes from './ScanTable.module.css';
import { scanName } from './scan-name.ts';
import { Target } from './Target.tsx';

interface Props {
  scans: Scan[];
  /** The names of projects by id. */
  projects: ReadonlyMap<string, string>;
}

/** A table of scans. On narrow screens, columns move below the name. */
export function ScanTable({ scans, projects }: Props) {
  return (
    <Table className={classes.table} highlightOnHover verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.scan}</Table.Th>
          <Table.Th visibleFrom="md" w="12%">
            {text.project}
          </Table.Th>
          <Table.Th visibleFrom="lg" w="20%">
            {text.target}
          </Table.Th>
          <Table.Th visibleFrom="sm" w={200}>
            {text.status}
          </Table.Th>
          <Table.Th w={{ base: 96, sm: 136 }}>{text.findings}</Table.Th>
          <Table.Th visibleFrom="md" w={128}>
            {text.started}
          </Table.Th>
          <Table.Th visibleFrom="lg" w={96}>
            {text.duration}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {scans.map((scan) => (
          <Row key={scan.id} scan={scan} project={projects.get(scan.project_id)} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ scan, project }: { scan: Scan; project: string | undefined }) {
  return (
    <Table.Tr>
      <Table.Td>
        <OrgAnchor
          to="/o/$org/scans/$id"
          params={{ id: scan.id }}
          size="sm"
          fw={500}
          c="inherit"
          lineClamp={2}
        >
          <bdi title={scan.name}>{scanName(scan)}</bdi>
        </OrgAnchor>
        <Text size="xs" c="dimmed">
          {PERSONA_NAMES[scan.persona]} · {scan.persona}
        </Text>
        <Group hiddenFrom="sm" mt={4}>
          <ScanStatusBadge scan={scan} />
        </Group>
        <Text size="xs" c="dimmed" hiddenFrom="md" mt={2}>
          <bdi>{project}</bdi> · <Ago time={scan.started_at} />
        </Text>
        {scan.error_message && (
          <Text
            size="xs"
            c={hasWarnings(scan) ? 'dimmed' : 'var(--mantine-color-error)'}
            lineClamp={2}
            dir="auto"
          >
            {scan.error_message}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Text size="sm" lineClamp={2}>
          <bdi>{project}</bdi>
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Text size="sm" lineClamp={2} component="div">
          <Target target={scan.target} short />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <ScanStatusBadge scan={scan} />
      </Table.Td>
      <Table.Td className={classes.numbers}>
        <Findings scan={scan} />
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Text size="sm">
          <Ago time={scan.started_at} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <Text size="sm">
          <ScanDuration scan={scan} />
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

function Findings({ scan: { summary, finding_count, status } }: { scan: Scan }) {
  const count = number(finding_count);
  if (!summary) {
    return (
      <Text size="sm">
        {status === 'running'
          ? text.soFar(count, (words) => (
              <Text span size="xs" c="dimmed">
                {words}
              </Text>
            ))
          : count}
      </Text>
    );
  }
  return (
    <Stack gap={4}>
      <Text size="sm">{count}</Text>
      {summary.total > 0 && <SeverityBar counts={summary} height={6} />}
      <Text size="xs" c="dimmed">
        {severityWords(summary, ['critical', 'high'])}
      </Text>
    </Stack>
  );
}
