import { Badge, Tooltip } from '@mantine/core';
import { hasWarnings, isStale, type Scan } from './queries.ts';

const NAMES = {
  running: 'Running',
  stale: 'Stale',
  completed: 'Completed',
  warnings: 'Completed with warnings',
  failed: 'Failed',
};
const COLORS = { running: 'blue', stale: 'yellow', completed: 'teal', warnings: 'yellow', failed: 'red' };

export const STALE_ADVICE =
  'It has been running for more than 2 hours. The agent has probably stopped without ending the scan.';

/** The state of a scan. */
export function ScanStatusBadge({ scan }: { scan: Scan }) {
  const state = isStale(scan) ? 'stale' : hasWarnings(scan) ? 'warnings' : scan.status;
  const badge = (
    <Badge
      variant="dot"
      color={COLORS[state]}
      radius="sm"
      styles={{ root: { textTransform: 'none', flexShrink: 0 }, label: { overflow: 'visible' } }}
    >
      {NAMES[state]}
    </Badge>
  );
  if (state !== 'stale') return badge;
  return (
    <Tooltip label={STALE_ADVICE} multiline maw={300}>
      {badge}
    </Tooltip>
  );
}
