import { Badge } from '@mantine/core';
import * as text from '#strings/scans.tsx';
import { Tip } from '../components/floating/Tip.tsx';
import { hasWarnings, isStale, type Scan } from './queries.ts';

const NAMES = {
  running: text.running,
  stale: text.stale,
  completed: text.completed,
  warnings: text.completedWithWarnings,
  failed: text.failed,
};
const COLORS = { running: 'blue', stale: 'yellow', completed: 'teal', warnings: 'yellow', failed: 'red' };

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
    <Tip label={text.whyStale} multiline maw={300}>
      {badge}
    </Tip>
  );
}
