import { Box, Tooltip } from '@mantine/core';
import { SEVERITIES, type Severity } from '../search.ts';
import { SEVERITY_NAMES, severityColor } from './Severity.tsx';
import classes from './SeverityBar.module.css';

export type SeverityCounts = Record<Severity, number>;

/** Such as "2 critical, 5 high"; the gravest first, and no zeros. */
export const severityWords = (counts: SeverityCounts, severities: readonly Severity[] = SEVERITIES): string =>
  severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => `${counts[severity].toLocaleString('en')} ${SEVERITY_NAMES[severity].toLowerCase()}`)
    .join(', ');

/** The shares of severities, as a bar; and in words for who points at it or does not see it. */
export function SeverityBar({ counts, height = 8 }: { counts: SeverityCounts; height?: number }) {
  const words = severityWords(counts) || 'No findings';
  return (
    <Tooltip label={words} multiline maw={320}>
      <Box className={classes.bar} h={height} role="img" aria-label={words}>
        {SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) => (
          <Box
            key={severity}
            className={classes.part}
            flex={`${counts[severity]} 1 0`}
            __vars={{ '--part': severityColor(severity) }}
          />
        ))}
      </Box>
    </Tooltip>
  );
}
