import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../../../tests/support/server/process.ts';
import type { Fleet } from './fleet.ts';

/** The highest values, in MiB. */
export interface Peak {
  server: number;
  /** Private memory of all backends of the server. */
  backends: number;
  /** The number of backends at that moment. */
  count: number;
}

const SAMPLE_MS = 250;

/** Watches a server and its backends until `signal`. */
export async function watchMemory(fleet: Fleet, server: ServerProcess, signal: AbortSignal): Promise<Peak> {
  const peak: Peak = { server: 0, backends: 0, count: 0 };
  for (; !signal.aborted; await sleep(SAMPLE_MS)) {
    const [rss, backends] = await Promise.all([server.memory(), backendsOf(fleet)]);
    peak.server = Math.max(peak.server, rss);
    const sum = backends.reduce((all, { mebibytes }) => all + mebibytes, 0);
    if (backends.length === 0 || sum <= peak.backends) continue;
    peak.backends = sum;
    peak.count = backends.length;
  }
  return peak;
}

/** The private memory of each backend of the server, and the part it has allocated itself, in MiB. */
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
  // Shared buffers that no other process has touched count as private, too.
  return { mebibytes: read('Private_Clean') + read('Private_Dirty'), own: read('Pss_Anon') };
}
