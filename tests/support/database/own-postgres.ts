import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binaries, findPackage, prepareBinaries } from '../../../db/embedded/binaries.ts';
import {
  type Cluster,
  createCluster,
  openCluster,
  readLockFile,
  readPassword,
  SUPERUSER,
} from '../../../db/embedded/cluster.ts';
import { launch } from '../../../db/embedded/postmaster.ts';
import type { Site } from '../scenario/site.ts';
import { descendantsOf, kill } from '../server/proc.ts';

/** The files and options that a cluster is started with. */
export interface ClusterFiles {
  cluster: Cluster;
  /** The password of its superuser. */
  password: string;
  binaries: Binaries;
}

/** A PostgreSQL without supervision: nothing restarts it. */
export interface OwnPostgres {
  url: string;
  files: ClusterFiles;
  /** Starts it again at the same address; resolves when it accepts connections. */
  start(): Promise<void>;
  /** SIGINT ends its sessions and shuts it down, SIGKILL kills all of its processes as a power failure does. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void>;
  /** Stops all of its processes (SIGSTOP), or lets them continue (SIGCONT). */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** The id of its main process. */
  pid(): number;
}

type OwnSite = Pick<Site, 'workDir' | 'onClose'>;

export interface OwnPostgresOptions {
  /** The directory below the site's. */
  name?: string;
  /** The directory of another PostgreSQL's programs. */
  binDir?: string | undefined;
  /** The superuser's password; a random one without it. */
  password?: string | undefined;
}

/** Makes a cluster in the site's directory and starts it; it stops when the site closes. */
export async function startOwnPostgres(
  site: OwnSite,
  settings: Record<string, string> = {},
  { name = 'own', binDir, password: given }: OwnPostgresOptions = {},
): Promise<OwnPostgres> {
  const cluster = await openCluster(join(site.workDir, name));
  if (given) await writeFile(cluster.passwordFile, given, { mode: 0o600 });
  const password = await readPassword(cluster);
  const binaries = binDir
    ? programsIn(binDir)
    : await prepareBinaries((await findPackage()).dir, cluster.user, [join(cluster.home, 'runtime')]);
  await createCluster(cluster, password, binaries.initdb);
  return startCluster(site, { cluster, password, binaries }, settings);
}

const MAX_STARTS = 5;

/** Starts a cluster; it stops when the site closes. */
export async function startCluster(
  site: OwnSite,
  files: ClusterFiles,
  settings: Record<string, string> = {},
): Promise<OwnPostgres> {
  const { cluster, password, binaries } = files;
  let port: number | undefined;
  let postmaster: ChildProcess | undefined;

  async function signalAll(signal: NodeJS.Signals): Promise<void> {
    if (!postmaster?.pid) return;
    for (const pid of [postmaster.pid, ...(await descendantsOf(postmaster.pid))]) kill(pid, signal);
  }
  const own: OwnPostgres = {
    files,
    get url() {
      return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
    },
    async start() {
      for (let tries = 1; ; tries++) {
        const launched = await launch({
          ...{ cluster, binaries, settings, port },
          stalePid: (await readLockFile(cluster))?.pid,
          signal: new AbortController().signal,
        });
        if (typeof launched !== 'string') {
          postmaster = launched;
          port ??= (await readLockFile(cluster))?.port;
          return;
        }
        // The first start takes any port, which another process may have.
        if (port !== undefined || tries === MAX_STARTS)
          throw new Error(`PostgreSQL does not start: ${launched}`);
      }
    },
    async stop(signal) {
      if (!postmaster || postmaster.exitCode !== null || postmaster.signalCode !== null) return;
      const exited = once(postmaster, 'exit');
      // Launched without keeping this process alive.
      postmaster.ref();
      if (signal === 'SIGKILL') await signalAll('SIGKILL');
      else postmaster.kill(signal);
      await exited;
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    pid: () => postmaster?.pid ?? Number.NaN,
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

const programsIn = (dir: string): Binaries => ({
  initdb: join(dir, 'initdb'),
  postgres: join(dir, 'postgres'),
  pgCtl: join(dir, 'pg_ctl'),
});
