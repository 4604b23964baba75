import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { type Binaries, findPackage, prepareBinaries } from './binaries.ts';
import {
  adopt,
  type Cluster,
  checkOwner,
  clusterExists,
  createCluster,
  type LockFile,
  readLockFile,
  readPassword,
  SUPERUSER,
} from './cluster.ts';
import type { DiskGuard } from './disk.ts';
import { endLeftovers, launch, shutDown, tryStartLock } from './postmaster.ts';
import { openSession, type Session } from './session.ts';
import type { EmbeddedLog } from './system.ts';
import {
  EmbeddedUnavailable,
  INSTEAD,
  inspect,
  type RunUser,
  sleep,
  sweepTemps,
  unprivilegedUser,
} from './system.ts';

/** What all that is done with one cluster has in common. */
export interface Site {
  cluster: Cluster;
  user: RunUser | undefined;
  password: string;
  binaries(): Promise<Binaries>;
  settings: Record<string, string>;
  log: EmbeddedLog;
  disk: DiskGuard;
  /** When this process came to the cluster. */
  began: number;
  /** This process leaves. */
  signal: AbortSignal;
  /** Where the server listens, or did: others may still look for it there. */
  port: number | undefined;
  /** This process has had a share: from then on it is that port or none, and a server without a share is no orphan. */
  settled: boolean;
}

/** A server that was joined. */
export interface Share {
  lock: LockFile;
  session: Session;
  url: string;
}

/** Without a sign of progress. */
const PATIENCE_MS = 30_000;
const POLL_MS = 20;
/** For who leaves to get back what was lost. */
const REJOIN_MS = 3_000;
/** After so long of not knowing whose a lock file is, PostgreSQL is asked. */
const UNCLEAR_MS = 2000;

export async function openSite(
  given: Pick<Site, 'cluster' | 'settings' | 'log' | 'disk' | 'signal'>,
): Promise<Site> {
  const { cluster } = given;
  const began = Date.now();
  const user = await unprivilegedUser();
  await checkOwner(cluster);
  await given.disk.makeRoom();
  const password = await readPassword(cluster);
  let prepared: Promise<Binaries> | undefined;
  const binaries = () => {
    prepared ??= findBinaries(cluster, user);
    return prepared;
  };
  await sweepTemps(cluster.home);
  return { ...given, user, password, binaries, began, port: undefined, settled: false };
}

async function findBinaries(cluster: Cluster, user: RunUser | undefined): Promise<Binaries> {
  const found = await findPackage();
  const copies = [join(cluster.home, `runtime-${found.version}`)];
  // The data directory may be where only root can go.
  if (user) copies.push(`/var/cache/svc-findings/postgres-${found.version}`);
  return prepareBinaries(found, user, copies);
}

/**
 * Any step may find that another process was there first; so they are tried over and over.
 * @throws EmbeddedUnavailable when it does not work out, or when this process leaves
 */
export async function joinOrStart(site: Site): Promise<Share> {
  const { cluster, signal } = site;
  let child: ChildProcess | undefined;
  let deadline = Date.now() + PATIENCE_MS;
  let unclearSince = Number.POSITIVE_INFINITY;
  let obstacle = 'it does not get ready';
  while (Date.now() < deadline && !signal.aborted) {
    const { lock, state } = await look(cluster);
    if (lock?.port && !site.settled) site.port = lock.port;
    unclearSince = state === 'unclear' ? Math.min(unclearSince, Date.now()) : Number.POSITIVE_INFINITY;
    if (lock && state !== 'gone') {
      if (lock.status === 'starting' && state === 'alive') deadline = Date.now() + PATIENCE_MS;
      const joined = await joinServer(site, lock).catch((error) => {
        child?.kill('SIGINT');
        throw error;
      });
      if (joined) return joined;
      if (Date.now() - unclearSince < UNCLEAR_MS || state === 'alive') {
        await sleep(POLL_MS);
        continue;
      }
      unclearSince = Number.POSITIVE_INFINITY;
    }
    const started = await startServer(site);
    if (typeof started === 'string') {
      obstacle = started;
      await sleep(POLL_MS);
    } else {
      child = started;
      deadline = Date.now() + PATIENCE_MS;
    }
  }
  throw new EmbeddedUnavailable(
    `the embedded PostgreSQL in ${cluster.dir} does not start (${obstacle}): ${INSTEAD}`,
  );
}

async function look({ dir }: Cluster) {
  const lock = await readLockFile(dir);
  return { lock, state: lock ? await inspect(lock.pid, dir) : 'gone' };
}

/**
 * Makes the cluster if there is none, and starts a server on it.
 * @returns what is in the way when it was not to be
 */
async function startServer(site: Site): Promise<ChildProcess | string> {
  const { cluster, user, log, disk, signal } = site;
  const unlock = await tryStartLock(site.password);
  if (!unlock) return 'another process is starting it';
  try {
    const binaries = await site.binaries();
    if (!(await clusterExists(cluster))) {
      await createCluster(cluster, site.password, binaries.initdb, user);
      log.info('database created', { dir: cluster.dir });
    }
    const { lock, state } = await look(cluster);
    if (state === 'alive') return 'another process is starting it';
    if (state === 'gone' && lock) await endLeftovers(cluster.dir);
    if (state === 'gone' && user && !(await adopt(cluster, user))) return 'its former server has not ended';
    await disk.makeRoom();
    const began = Date.now();
    const started = await launch({
      cluster,
      binaries,
      user,
      settings: { ...(await disk.settings()), ...site.settings },
      stale: state === 'gone' ? lock : undefined,
      port: site.port,
      signal,
    });
    if (typeof started !== 'string') {
      log.info('database server started', { pid: started.pid, ms: Date.now() - began });
      return started;
    }
    log.debug('database server not started', { reason: started });
    // The port may be somebody else's by now.
    if (!site.settled) site.port = undefined;
    return started;
  } finally {
    unlock();
  }
}

/** @returns undefined when the server cannot be used, or not yet */
async function joinServer(site: Site, lock: LockFile): Promise<Share | undefined> {
  if (lock.status !== 'ready') return undefined;
  const { cluster, log, settled } = site;
  if (settled && lock.port !== site.port) {
    throw new EmbeddedUnavailable(
      `the embedded PostgreSQL in ${cluster.dir} was started by others on port ${lock.port}, and is looked for on port ${site.port}`,
    );
  }
  const url = `postgres://${SUPERUSER}:${site.password}@127.0.0.1:${lock.port}/postgres`;
  const session = await openSession(url).catch((error) => {
    if (error.code !== '28P01') return undefined;
    throw new EmbeddedUnavailable(
      `the password in ${cluster.passwordFile} is not the database's: restore that file, or ${INSTEAD}`,
    );
  });
  if (!session) return undefined;
  let orphan = false;
  try {
    const claim = await session.claim();
    // A younger one belongs to a process that will share it in a moment.
    orphan = claim === 'alone' && !settled && (await session.serverStart()) < site.began;
    if (claim === 'alone' && !orphan) await session.share();
    if (claim !== 'refused' && !orphan) {
      log.debug('database server joined', { pid: lock.pid, port: lock.port });
      site.port = lock.port;
      site.settled = true;
      return { lock, session, url };
    }
  } catch {
    // It went away meanwhile.
    orphan = false;
  }
  if (orphan) {
    log.info('replacing a database server whose processes have died', { pid: lock.pid });
    if (!(await endServer(site, lock, session))) {
      throw new EmbeddedUnavailable(
        `PostgreSQL (process ${lock.pid}) was left running in ${cluster.dir} and does not stop: stop it, or ${INSTEAD}`,
      );
    }
  } else await session.end();
  return undefined;
}

/** Takes a share again that was lost, to leave in order; of a server that restarts, when it has. */
export async function rejoin(site: Site): Promise<Share | undefined> {
  const deadline = Date.now() + REJOIN_MS;
  while (Date.now() < deadline) {
    const { lock, state } = await look(site.cluster);
    if (!lock || state === 'gone') return undefined;
    const share = await joinServer(site, lock).catch(() => undefined);
    if (share) return share;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Gives up a share; the last to do so stops the server. @returns false when the share is lost already */
export async function leave(site: Site, { lock, session }: Share): Promise<boolean> {
  const last = await session.release().catch(() => undefined);
  if (last) await endServer(site, lock, session);
  else await session.end();
  return last !== undefined;
}

/** Shuts the server down, which `session` has alone. @returns whether it is gone */
async function endServer(
  { cluster, binaries, log }: Site,
  lock: LockFile,
  session: Session,
): Promise<boolean> {
  const gone = await shutDown(lock.pid, cluster.dir, async () => (await binaries()).pgCtl);
  await session.end();
  if (gone) log.info('database server stopped', { pid: lock.pid });
  else log.warn('database server does not stop', { pid: lock.pid });
  return gone;
}
