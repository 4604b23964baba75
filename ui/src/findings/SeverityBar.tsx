import { Box } from '@mantine/core';
import * as text from '#strings/findings.ts';
import { type FindingSearch, SEVERITIES, type Severity } from '../app/search.ts';
import { Tip } from '../components/floating/Tip.tsx';
import { OrgBox } from '../components/links.tsx';
import { severityColor } from './Severity.tsx';
import classes from './SeverityBar.module.css';

export type SeverityCounts = Record<Severity, number>;

/** Such as "2 critical, 5 high": most severe first, without zeros. */
export const severityWords = (counts: SeverityCounts, severities: readonly Severity[] = SEVERITIES): string =>
  text.bySeverity(
    severities
      .filter((severity) => counts[severity] > 0)
      .map((severity) => [counts[severity], severity] as const),
  );

interface Props {
  counts: SeverityCounts;
  height?: number;
  /** The link of each part. The page must also have the link as text. */
  partTo?: (severity: Severity) => FindingSearch;
}

/** A bar with the shares of severities, and their numbers as a tooltip and for screen readers. */
export function SeverityBar({ counts, height = 8, partTo }: Props) {
  const words = severityWords(counts) || text.noFindings;
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => ({
    severity,
    flex: `${counts[severity]} 1 0`,
    __vars: { '--part': severityColor(severity) },
  }));
  if (partTo) {
    return (
      <Box className={classes.bar} h={height} aria-hidden>
        {parts.map(({ severity, ...props }) => (
          <Tip key={severity} label={severityWords(counts, [severity])}>
            <OrgBox
              to="/o/$org/findings"
              search={partTo(severity)}
              className={classes.part}
              tabIndex={-1}
              {...props}
            />
          </Tip>
        ))}
      </Box>
    );
  }
  return (
    <Tip label={words} multiline maw={320}>
      <Box className={classes.bar} h={height} role="img" aria-label={words}>
        {parts.map(({ severity, ...props }) => (
          <Box key={severity} className={classes.part} {...props} />
        ))}
      </Box>
    </Tip>
  );
}
