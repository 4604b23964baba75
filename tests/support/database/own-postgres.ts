import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPackage, prepareBinaries } from '../../../db/embedded/binaries.ts';
import {
  createCluster,
  openCluster,
  readLockFile,
  readPassword,
  SUPERUSER,
} from '../../../db/embedded/cluster.ts';
import { launch } from '../../../db/embedded/postmaster.ts';
import { unprivilegedUser } from '../../../db/embedded/system.ts';
import type { Site } from '../scenario/site.ts';

/** A PostgreSQL that nobody looks after: what is done to it stays done. */
export interface OwnPostgres {
  url: string;
  /** Starts it again, at the same address; resolves when it takes connections. */
  start(): Promise<void>;
  /** SIGINT ends it in order and its sessions at once, SIGKILL as a power failure does: all of its processes. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
  /** Stops all of its processes where they are (SIGSTOP), or lets them go on (SIGCONT). */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** Makes a cluster in the site's directory and starts it; it ends with the site. */
export async function startOwnPostgres(
  site: Site,
  settings: Record<string, string> = {},
): Promise<OwnPostgres> {
  const user = await unprivilegedUser();
  const cluster = await openCluster(join(site.workDir, 'own'));
  const password = await readPassword(cluster);
  const binaries = await prepareBinaries(await findPackage(), user, [join(cluster.home, 'runtime')]);
  await createCluster(cluster, password, binaries.initdb, user);
  let port: number | undefined;
  let postmaster: ChildProcess | undefined;

  async function processes(): Promise<number[]> {
    if (!postmaster?.pid) return [];
    const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', `${postmaster.pid}`]).catch(
      () => ({ stdout: '' }),
    );
    return [postmaster.pid, ...stdout.trim().split(/\s+/).filter(Boolean).map(Number)];
  }
  async function signalAll(signal: NodeJS.Signals): Promise<void> {
    for (const pid of await processes()) {
      try {
        process.kill(pid, signal);
      } catch {
        // Ended by itself.
      }
    }
  }
  const own: OwnPostgres = {
    get url() {
      return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
    },
    async start() {
      const launched = await launch({
        ...{ cluster, binaries, user, settings, port },
        stale: await readLockFile(cluster.dir),
        signal: new AbortController().signal,
      });
      if (typeof launched === 'string') throw new Error(`PostgreSQL does not start: ${launched}`);
      postmaster = launched;
      port ??= (await readLockFile(cluster.dir))?.port;
    },
    async stop(signal) {
      if (!postmaster || postmaster.exitCode !== null || postmaster.signalCode !== null) return;
      const exited = once(postmaster, 'exit');
      if (signal === 'SIGKILL') await signalAll('SIGKILL');
      else postmaster.kill(signal);
      await exited;
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
  };
  site.onClose(async () => {
    await own.resume();
    await own.stop('SIGINT');
  });
  await own.start().catch(async (error) => {
    throw new Error(`${error.message}\n${await readFile(cluster.logFile, 'utf8').catch(() => '')}`);
  });
  return own;
}
