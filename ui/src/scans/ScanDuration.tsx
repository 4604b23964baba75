import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { duration } from '../components/time/duration.ts';
import { isLive, type Scan } from './queries.ts';

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
