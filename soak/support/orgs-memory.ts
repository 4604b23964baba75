import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchServer } from '../../tests/support/server/bench-server.ts';
import type { Fleet } from './orgs.ts';

/** The highest values seen, in MiB; undefined where the system does not tell. */
export interface Peak {
  server: number | undefined;
  /** Memory that is theirs alone, of all backends of the server together. */
  backends: number | undefined;
  /** How many backends there were then. */
  count: number;
}

const SAMPLE_MS = 250;

/** Watches a server and its backends until `signal`. */
export async function watchMemory(fleet: Fleet, server: BenchServer, signal: AbortSignal): Promise<Peak> {
  const peak: Peak = { server: undefined, backends: undefined, count: 0 };
  for (; !signal.aborted; await sleep(SAMPLE_MS)) {
    const [rss, backends] = await Promise.all([server.memory(), backendsOf(fleet)]);
    if (rss !== undefined) peak.server = Math.max(peak.server ?? 0, rss);
    const sum = backends.reduce((all, { mebibytes }) => all + mebibytes, 0);
    if (backends.length === 0 || sum <= (peak.backends ?? 0)) continue;
    peak.backends = sum;
    peak.count = backends.length;
  }
  return peak;
}

/** The server's backends, each with memory that is its alone: in all, and what it has asked for itself, in MiB. */
export async function backendsOf({ sql }: Fleet): Promise<{ mebibytes: number; own: number }[]> {
  const rows = await sql.unsafe<{ pid: number }[]>(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'svc-findings' and pid <> pg_backend_pid()`,
  );
  const found = await Promise.all(rows.map(({ pid }) => memoryOf(pid)));
  return found.filter((memory) => memory !== undefined);
}

async function memoryOf(pid: number) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  // Shared buffers that nobody else has touched yet count as private, too.
  return { mebibytes: read('Private_Clean') + read('Private_Dirty'), own: read('Pss_Anon') };
}
