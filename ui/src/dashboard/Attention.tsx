import { Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { SEVERITIES } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor, LinkBox } from '../components/links.tsx';
import { counted, number } from '../components/numbers.ts';
import { SeverityBadge, severityColor } from '../findings/Severity.tsx';
import type { SeverityCounts } from '../findings/SeverityBar.tsx';
import { ATTENTION } from '../findings/views.ts';
import classes from './Attention.module.css';
import { Card } from './Card.tsx';
import type { ProjectNumbers } from './queries.ts';

/** The height of five rows. */
const HEIGHT = 200;

/** Findings that need attention, by severity. Each row opens its list. */
export function Attention({ query }: { query: UseQueryResult<ProjectNumbers[]> }) {
  const { slug } = useOrg();
  const counts = query.data && sumOf(query.data);
  const total = counts ? SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0) : 0;
  return (
    <Card
      title="Needs attention"
      side={
        counts && (
          <LinkAnchor to="/o/$org/findings" params={{ org: slug }} search={ATTENTION} size="sm">
            {counted(total, 'finding')}
          </LinkAnchor>
        )
      }
    >
      <Loaded query={query} waiting={<Skeleton h={HEIGHT} />}>
        {(projects) => <BySeverity counts={sumOf(projects)} />}
      </Loaded>
    </Card>
  );
}

function BySeverity({ counts }: { counts: SeverityCounts }) {
  const { slug } = useOrg();
  const most = Math.max(1, ...SEVERITIES.map((severity) => counts[severity]));
  return (
    <ul className={classes.rows}>
      {SEVERITIES.map((severity) => (
        <li key={severity}>
          <LinkBox
            to="/o/$org/findings"
            params={{ org: slug }}
            search={{ ...ATTENTION, severity: [severity] }}
            className={classes.row}
          >
            <SeverityBadge severity={severity} />
            <span className={classes.track} aria-hidden>
              {counts[severity] > 0 && (
                <span
                  className={classes.bar}
                  style={{
                    width: `${(100 * counts[severity]) / most}%`,
                    background: severityColor(severity),
                  }}
                />
              )}
            </span>
            <Text
              span
              size="sm"
              fw={600}
              className={classes.number}
              c={counts[severity] === 0 ? 'dimmed' : undefined}
            >
              {number(counts[severity])}
            </Text>
          </LinkBox>
        </li>
      ))}
    </ul>
  );
}

const sumOf = (projects: ProjectNumbers[]) =>
  Object.fromEntries(
    SEVERITIES.map((severity) => [
      severity,
      projects.reduce((sum, { attention }) => sum + attention[severity], 0),
    ]),
  ) as SeverityCounts;
