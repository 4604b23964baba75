import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { isLive, type Scan } from '../queries/scans.ts';
import { duration } from './duration.ts';

/** How long a scan took, or has been running. */
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
