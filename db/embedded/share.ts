import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { type Binaries, findPackage, prepareBinaries } from './binaries.ts';
import {
  type Cluster,
  changeOwner,
  checkOwner,
  clusterExists,
  createCluster,
  type LockFile,
  readLockFile,
  readPassword,
  SUPERUSER,
} from './cluster.ts';
import type { DiskGuard } from './disk.ts';
import { killBackends, launch, shutDown, tryStartLock } from './postmaster.ts';
import { openSession, type Session } from './session.ts';
import {
  type EmbeddedLog,
  EmbeddedUnavailable,
  INSTEAD,
  inspect,
  type RunUser,
  sleep,
  sweepTemps,
  unprivilegedUser,
} from './system.ts';

/** The state of this process's use of a cluster. */
export interface ClusterContext {
  cluster: Cluster;
  user: RunUser | undefined;
  password: string;
  binaries(): Promise<Binaries>;
  settings: Record<string, string>;
  log: EmbeddedLog;
  disk: DiskGuard;
  openedAt: number;
  /** Aborted when this process stops using the cluster. */
  signal: AbortSignal;
  /** The port of the current or previous server. A new server gets the same port, where other processes expect it. */
  port: number | undefined;
  /** This process has joined a server before: the port is fixed, and a server that nobody uses is not an orphan. */
  hasJoined: boolean;
}

/** A server that this process has joined. */
export interface JoinedServer {
  lock: LockFile;
  session: Session;
  url: string;
}

/** Timeout without progress. */
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 20;
const REJOIN_TIMEOUT_MS = 3_000;
/** If the owner of a lock file is unclear for this time, PostgreSQL is started, which decides itself. */
const UNCLEAR_TIMEOUT_MS = 2_000;

export async function openContext(
  options: Pick<ClusterContext, 'cluster' | 'settings' | 'log' | 'disk' | 'signal'>,
): Promise<ClusterContext> {
  const { cluster, disk } = options;
  const openedAt = Date.now();
  const user = await unprivilegedUser();
  await checkOwner(cluster);
  await disk.freeReserve();
  const password = await readPassword(cluster);
  let prepared: Promise<Binaries> | undefined;
  const binaries = () => {
    prepared ??= findBinaries(cluster, user);
    return prepared;
  };
  await sweepTemps(cluster.home);
  return { ...options, user, password, binaries, openedAt, port: undefined, hasJoined: false };
}

async function findBinaries(cluster: Cluster, user: RunUser | undefined): Promise<Binaries> {
  const found = await findPackage();
  const copies = [join(cluster.home, `runtime-${found.version}`)];
  // The user may not be able to enter the data directory.
  if (user) copies.push(`/var/cache/svc-findings/postgres-${found.version}`);
  return prepareBinaries(found, user, copies);
}

/**
 * Joins the cluster's server, or starts one. Retries, because other processes may do the same concurrently.
 * @throws EmbeddedUnavailable after the timeout, or when the context's signal is aborted
 */
export async function joinOrStart(context: ClusterContext): Promise<JoinedServer> {
  const { cluster, signal } = context;
  let child: ChildProcess | undefined;
  let deadline = Date.now() + START_TIMEOUT_MS;
  let unclearSince = Number.POSITIVE_INFINITY;
  let obstacle = 'it does not get ready';
  while (Date.now() < deadline && !signal.aborted) {
    const { lock, state } = await readState(cluster);
    if (lock?.port && !context.hasJoined) context.port = lock.port;
    unclearSince = state === 'unclear' ? Math.min(unclearSince, Date.now()) : Number.POSITIVE_INFINITY;
    if (lock && state !== 'gone') {
      if (lock.status === 'starting' && state === 'alive') deadline = Date.now() + START_TIMEOUT_MS;
      const joined = await joinServer(context, lock).catch((error) => {
        child?.kill('SIGINT');
        throw error;
      });
      if (joined) return joined;
      if (Date.now() - unclearSince < UNCLEAR_TIMEOUT_MS || state === 'alive') {
        await sleep(POLL_MS);
        continue;
      }
      unclearSince = Number.POSITIVE_INFINITY;
    }
    const started = await startServer(context);
    if (typeof started === 'string') {
      obstacle = started;
      await sleep(POLL_MS);
    } else {
      child = started;
      deadline = Date.now() + START_TIMEOUT_MS;
    }
  }
  throw new EmbeddedUnavailable(
    `the embedded PostgreSQL in ${cluster.dir} does not start (${obstacle}): ${INSTEAD}`,
  );
}

async function readState({ dir }: Cluster) {
  const lock = await readLockFile(dir);
  return { lock, state: lock ? await inspect(lock.pid, dir) : 'gone' };
}

/**
 * Starts a server, on a new cluster if there is none.
 * @returns the postmaster, or the reason why it cannot be started now
 */
async function startServer(context: ClusterContext): Promise<ChildProcess | string> {
  const { cluster, user, password, log, disk, signal } = context;
  const unlock = await tryStartLock(password);
  if (!unlock) return 'another process is starting it';
  try {
    const binaries = await context.binaries();
    if (!(await clusterExists(cluster))) {
      await createCluster(cluster, password, binaries.initdb, user);
      log.info('database created', { dir: cluster.dir });
    }
    const { lock, state } = await readState(cluster);
    if (state === 'alive') return 'another process is starting it';
    if (state === 'gone' && lock) await killBackends(cluster.dir);
    if (state === 'gone' && user && !(await changeOwner(cluster, user)))
      return 'its previous server has not ended';
    await disk.freeReserve();
    const began = Date.now();
    // Workers would copy what a large read needs from the page cache: it would use two processors, and take as long.
    const settings = { io_method: 'sync', ...(await disk.settings()), ...context.settings };
    const stale = state === 'gone' ? lock : undefined;
    const started = await launch({ cluster, binaries, user, settings, stale, port: context.port, signal });
    if (typeof started !== 'string') {
      log.info('database server started', { pid: started.pid, ms: Date.now() - began });
      return started;
    }
    log.debug('database server not started', { reason: started });
    // Another program may have taken the port.
    if (!context.hasJoined) context.port = undefined;
    return started;
  } finally {
    unlock();
  }
}

/** @returns undefined when the server cannot be used, or is not ready */
async function joinServer(context: ClusterContext, lock: LockFile): Promise<JoinedServer | undefined> {
  if (lock.status !== 'ready') return undefined;
  const { cluster, log, hasJoined } = context;
  if (hasJoined && lock.port !== context.port) {
    throw new EmbeddedUnavailable(
      `another process started the embedded PostgreSQL in ${cluster.dir} on port ${lock.port} instead of ${context.port}: restart this process`,
    );
  }
  const url = `postgres://${SUPERUSER}:${context.password}@127.0.0.1:${lock.port}/postgres`;
  const session = await openSession(url).catch((error) => {
    if (error.code !== '28P01') return undefined;
    throw new EmbeddedUnavailable(
      `the password in ${cluster.passwordFile} is not the database's: restore that file, or ${INSTEAD}`,
    );
  });
  if (!session) return undefined;
  let isOrphan = false;
  try {
    const claim = await session.claim();
    // A younger server was started by a process that is about to join it.
    isOrphan = claim === 'alone' && !hasJoined && (await session.serverStart()) < context.openedAt;
    if (claim === 'alone' && !isOrphan) await session.share();
    if (claim !== 'refused' && !isOrphan) {
      log.debug('database server joined', { pid: lock.pid, port: lock.port });
      context.port = lock.port;
      context.hasJoined = true;
      return { lock, session, url };
    }
  } catch {
    // The server ended meanwhile.
    isOrphan = false;
  }
  if (isOrphan) {
    log.info('replacing a database server whose processes have died', { pid: lock.pid });
    if (!(await endServer(context, lock, session))) {
      throw new EmbeddedUnavailable(
        `PostgreSQL (process ${lock.pid}) was left running in ${cluster.dir} and does not stop: stop it, or ${INSTEAD}`,
      );
    }
  } else await session.end();
  return undefined;
}

/** Joins a server again after the connection was lost, in order to leave it properly. Waits while the server restarts. */
export async function rejoin(context: ClusterContext): Promise<JoinedServer | undefined> {
  const deadline = Date.now() + REJOIN_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const { lock, state } = await readState(context.cluster);
    if (!lock || state === 'gone') return undefined;
    const joined = await joinServer(context, lock).catch(() => undefined);
    if (joined) return joined;
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Leaves a server. The last process stops it. @returns false when the connection was already lost */
export async function leave(context: ClusterContext, { lock, session }: JoinedServer): Promise<boolean> {
  const isLast = await session.release().catch(() => undefined);
  if (isLast) await endServer(context, lock, session);
  else await session.end();
  return isLast !== undefined;
}

/** Shuts down the server, which `session` holds alone. @returns whether it has ended */
async function endServer(
  { cluster, binaries, log }: ClusterContext,
  lock: LockFile,
  session: Session,
): Promise<boolean> {
  const hasEnded = await shutDown(lock.pid, cluster.dir, async () => (await binaries()).pgCtl);
  await session.end();
  if (hasEnded) log.info('database server stopped', { pid: lock.pid });
  else log.warn('database server does not stop', { pid: lock.pid });
  return hasEnded;
}
