import { Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { SEVERITIES } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { LinkBox } from '../components/links.tsx';
import classes from '../components/Numbers.module.css';
import { SEVERITY_NAMES, severityColor } from '../findings/Severity.tsx';
import { SeverityBar } from '../findings/SeverityBar.tsx';
import type { Scan } from './queries.ts';

/** The findings of a scan by severity. Each number links to its findings. */
export function Summary({ scan }: { scan: Scan }) {
  const { slug } = useOrg();
  const { summary, finding_count } = scan;
  const all = { scan_id: scan.id };
  if (!summary) {
    return (
      <Paper withBorder p="md" className={classes.cell}>
        <LinkBox to="/o/$org/findings" params={{ org: slug }} search={all} className={classes.link}>
          <Text className={classes.number}>{finding_count.toLocaleString('en')}</Text>
          <Text size="sm" c="dimmed">
            {finding_count === 1 ? 'finding so far' : 'findings so far'}. Counts by severity follow when the
            scan ends.
          </Text>
        </LinkBox>
      </Paper>
    );
  }
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 3, sm: 6 }} spacing="xs">
        <Paper withBorder className={classes.cell}>
          <LinkBox to="/o/$org/findings" params={{ org: slug }} search={all} className={classes.link}>
            <Text className={classes.number}>{summary.total.toLocaleString('en')}</Text>
            <Text size="sm" c="dimmed">
              {summary.total === 1 ? 'Finding' : 'Findings'}
            </Text>
          </LinkBox>
        </Paper>
        {SEVERITIES.map((severity) => (
          <Paper key={severity} withBorder className={classes.cell}>
            <LinkBox
              to="/o/$org/findings"
              params={{ org: slug }}
              search={{ ...all, severity: [severity] }}
              className={classes.link}
            >
              <Text className={classes.number} c={summary[severity] > 0 ? severityColor(severity) : 'dimmed'}>
                {summary[severity].toLocaleString('en')}
              </Text>
              <Text size="sm" c="dimmed">
                {SEVERITY_NAMES[severity]}
              </Text>
            </LinkBox>
          </Paper>
        ))}
      </SimpleGrid>
      {summary.total > 0 && <SeverityBar counts={summary} />}
    </Stack>
  );
}
