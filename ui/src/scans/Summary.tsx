import { Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/scans.tsx';
import { SEVERITIES } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { OrgAnchor, OrgBox } from '../components/links.tsx';
import classes from '../components/Numbers.module.css';
import { number } from '../components/numbers.ts';
import { totalQuery } from '../findings/list-queries.ts';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import { SeverityBar } from '../findings/SeverityBar.tsx';
import { ATTENTION, REGRESSED } from '../findings/views.ts';
import type { Scan } from './queries.ts';

/** The findings of a scan by severity. Each number links to its findings. */
export function Summary({ scan }: { scan: Scan }) {
  const { summary, finding_count } = scan;
  const all = { scan_id: scan.id };
  if (!summary) {
    return (
      <Paper withBorder p="md" className={classes.cell}>
        <OrgBox to="/o/$org/findings" search={all} className={classes.link}>
          <Text className={classes.number}>{number(finding_count)}</Text>
          <Text size="sm" c="dimmed">
            {text.findingsSoFar(finding_count)}
          </Text>
        </OrgBox>
      </Paper>
    );
  }
  return (
    <Stack gap="xs">
      <Work scan={scan} />
      <SimpleGrid cols={{ base: 3, sm: 6 }} spacing="xs">
        <Paper withBorder className={classes.cell}>
          <OrgBox to="/o/$org/findings" search={all} className={classes.link}>
            <Text className={classes.number}>{number(summary.total)}</Text>
            <Text size="sm" c="dimmed">
              {text.findingsBelow(summary.total)}
            </Text>
          </OrgBox>
        </Paper>
        {SEVERITIES.map((severity) => (
          <Paper key={severity} withBorder className={classes.cell}>
            <OrgBox to="/o/$org/findings" search={{ ...all, severity: [severity] }} className={classes.link}>
              <Text className={classes.number} c={summary[severity] > 0 ? severityColor(severity) : 'dimmed'}>
                {number(summary[severity])}
              </Text>
              <Text size="sm" c="dimmed">
                {SEVERITY_NAMES[severity]}
              </Text>
            </OrgBox>
          </Paper>
        ))}
      </SimpleGrid>
      {summary.total > 0 && <SeverityBar counts={summary} />}
    </Stack>
  );
}

/** The findings of a scan that have regressed, and those that need attention. */
function Work({ scan: { id: scan_id } }: { scan: Scan }) {
  const org = useOrg();
  const regressed = useQuery(totalQuery(org, { ...REGRESSED, scan_id }));
  const attention = useQuery(totalQuery(org, { ...ATTENTION, scan_id }));
  return (
    <Group gap="lg" mih={22}>
      {(
        [
          ['attention', attention.data, text.needAttention, ATTENTION],
          ['regressed', regressed.data, text.regressed, REGRESSED],
        ] as const
      ).map(
        ([key, count, textOf, filter]) =>
          count !== undefined && (
            <OrgAnchor key={key} to="/o/$org/findings" search={{ ...filter, scan_id }} size="sm">
              {textOf(count)}
            </OrgAnchor>
          ),
      )}
    </Group>
  );
}
