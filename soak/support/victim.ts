import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf, kill } from '../../tests/support/server/proc.ts';
import type { LaunchedServer } from '../../tests/support/server/process.ts';

/** The embedded database in a data directory; undefined when there is none. */
export async function postmasterIn(dataDir: string) {
  const text = await readFile(join(dataDir, 'postgres/18/postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return pid ? { pid, port: lines[3], ready: lines[7]?.trim() === 'ready' } : undefined;
}

/** Kills a server alone, with the database in its data directory, or with all processes it has started. */
export async function killServer(
  { pid, exited }: LaunchedServer,
  dataDir: string,
  whom: 'server' | 'postmaster too' | 'all',
): Promise<void> {
  const postmaster = whom === 'server' ? undefined : (await postmasterIn(dataDir))?.pid;
  const others = postmaster ? [postmaster] : [];
  if (whom === 'all') {
    others.push(...(await descendantsOf(pid)));
    // A postmaster that has outlived its server is not a descendant of the next one.
    if (postmaster) others.push(...(await descendantsOf(postmaster)));
  }
  for (const victim of [pid, ...others]) kill(victim);
  await exited;
}

/** Kills the embedded database in a data directory, not its server: the postmaster, or one backend of the service. */
export async function killDatabase(dataDir: string, whom: 'postmaster' | 'backend'): Promise<void> {
  const postmaster = (await postmasterIn(dataDir))?.pid ?? 0;
  if (whom === 'postmaster') return kill(postmaster);
  for (const pid of await descendantsOf(postmaster)) {
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (/^postgres: svc /.test(title)) return kill(pid);
  }
  throw new Error('the database serves nobody');
}

const READER_WITHIN_MS = 10_000;

/** Kills a process of a server that reads a report, once there is one. */
export async function killReader({ pid: server }: LaunchedServer): Promise<void> {
  for (const deadline = Date.now() + READER_WITHIN_MS; Date.now() < deadline; await sleep(5)) {
    for (const pid of await descendantsOf(server)) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (command.includes('report-process')) return kill(pid);
    }
  }
  throw new Error('the server reads no report');
}

/** The URL of the embedded database in a data directory, while it runs. */
export async function embeddedUrl(dataDir: string): Promise<string> {
  const password = (await readFile(join(dataDir, 'postgres/18.password'), 'utf8')).trim();
  return `postgres://svc:${password}@127.0.0.1:${(await postmasterIn(dataDir))?.port}/postgres`;
}
