import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import * as units from '#strings/components/time.ts';
import * as text from '#strings/scans.tsx';
import { Tip } from '../components/floating/Tip.tsx';
import { StateBadge } from '../components/StateBadge.tsx';
import { hasWarnings, isLive, isStale, type Scan } from './queries.ts';

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
  const badge = <StateBadge label={NAMES[state]} color={COLORS[state]} />;
  if (state !== 'stale') return badge;
  return (
    <Tip label={text.whyStale} multiline maw={300}>
      {badge}
    </Tip>
  );
}

/** How long a scan took or has been running. */
export function ScanDuration({ scan }: { scan: Scan }) {
  const started = new Date(scan.started_at).getTime();
  if (scan.completed_at !== undefined) {
    return <>{duration(new Date(scan.completed_at).getTime() - started)}</>;
  }
  return <Running since={started} ticks={isLive(scan)} />;
}

function Running({ since, ticks }: { since: number; ticks: boolean }) {
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), ticks ? 1000 : 60_000, { autoInvoke: true });
  return <>{duration(now - since)}</>;
}

/** Such as "1 h 5 min", "12 min" or "45 s". */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return units.seconds(seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return seconds % 60 === 0 || minutes >= 10
      ? units.minutes(minutes)
      : units.minutesAndSeconds(minutes, seconds % 60);
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? units.hours(hours) : units.hoursAndMinutes(hours, minutes % 60);
  return units.days(Math.floor(hours / 24));
}
