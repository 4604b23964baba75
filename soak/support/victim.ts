import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../../tests/support/scenario/site.ts';

/** A server that may be killed at any moment, also while it starts. */
export interface Victim {
  pid: number;
  logFile: string;
  /** Resolves when it listens, with its origin; rejects when it ends before. */
  listening: Promise<string>;
  /** Kills it alone, with its database server, or with all processes that came of it. */
  kill(whom: 'server' | 'postmaster too' | 'all'): Promise<void>;
  /** Ends it with SIGTERM; @returns its exit code */
  stop(): Promise<number | null>;
}

export interface VictimOptions {
  entry: string;
  dataDir: string;
  env?: Record<string, string> | undefined;
}

const START_MS = 60_000;

export async function startVictim(site: Site, { entry, dataDir, env }: VictimOptions): Promise<Victim> {
  const home = join(site.workDir, `victim-${randomBytes(4).toString('hex')}`);
  await mkdir(home);
  const logFile = join(home, 'server.log');
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, ['--enable-source-maps', entry], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      SVC_HOST: '127.0.0.1',
      SVC_PORT: '0',
      SVC_DATA_DIR: dataDir,
      JWT_SECRET: 'a secret for soak tests only',
      SVC_MAX_ORGS_PER_ACCOUNT: '1000000',
      SVC_MAX_TOKENS_PER_ORG: '1000000',
      SVC_MAX_TOKENS_PER_PROJECT: '1000000',
      SVC_MAX_PROJECTS_PER_ORG: '1000000',
      SVC_MAX_MEMBERS_PER_ORG: '1000000',
      ...env,
    },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const pid = child.pid ?? 0;

  async function listening(): Promise<string> {
    for (const deadline = Date.now() + START_MS; Date.now() < deadline && !hasEnded(); await sleep(20)) {
      const port = /listening url=\S+:(\d+)/.exec(await readFile(logFile, 'utf8'))?.[1];
      if (port) return `http://127.0.0.1:${port}`;
    }
    throw new Error(`the server does not start:\n${await readFile(logFile, 'utf8')}`);
  }
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (!hasEnded()) child.kill(signal);
    return exited;
  }
  site.onClose(async () => {
    const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await end('SIGTERM');
    clearTimeout(late);
  });
  const listens = listening();
  // Whoever kills it while it starts does not wait for this.
  listens.catch(() => {});
  return {
    pid,
    logFile,
    listening: listens,
    async kill(whom) {
      const others =
        whom === 'all' ? await descendantsOf(pid) : whom === 'server' ? [] : [await postmasterOf(dataDir)];
      for (const victim of [pid, ...others]) kill(victim);
      await exited;
    },
    stop: () => end('SIGTERM'),
  };
}

function kill(pid: number | undefined): void {
  try {
    if (pid) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function descendantsOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined);
    const parent = stat && /^\d+ \(.*\) \S (\d+)/s.exec(stat)?.[1];
    if (parent) parents.set(Number(name), Number(parent));
  }
  const found = [pid];
  // Grows as it is read.
  for (const ancestor of found) {
    for (const [child, parent] of parents) if (parent === ancestor) found.push(child);
  }
  return found.slice(1);
}

async function postmasterOf(dataDir: string): Promise<number | undefined> {
  return (await postmasterIn(dataDir))?.pid;
}

/** Of the embedded database in a data directory; undefined when there is none. */
export async function postmasterIn(dataDir: string) {
  const text = await readFile(join(dataDir, 'postgres/18/postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return pid ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined;
}

/** Kills the embedded database in a data directory, whose server goes on: its postmaster, or one process that serves a connection. */
export async function killDatabase(dataDir: string, whom: 'postmaster' | 'backend'): Promise<void> {
  const postmaster = (await postmasterOf(dataDir)) ?? 0;
  if (whom === 'postmaster') return kill(postmaster);
  for (const pid of await descendantsOf(postmaster)) {
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (/^postgres: svc /.test(title)) return kill(pid);
  }
  throw new Error('the database serves nobody');
}

/** Where the embedded database in a data directory is, while it runs. */
export async function embeddedUrl(dataDir: string): Promise<string> {
  const [, , , port] = (await readFile(join(dataDir, 'postgres/18/postmaster.pid'), 'utf8')).split('\n');
  const password = (await readFile(join(dataDir, 'postgres/18.password'), 'utf8')).trim();
  return `postgres://svc:${password}@127.0.0.1:${port}/postgres`;
}
