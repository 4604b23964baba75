import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { type Binaries, findPackage, prepareBinaries } from './embedded/binaries.ts';
import {
  adopt,
  type Cluster,
  checkOwner,
  clusterExists,
  createCluster,
  type LockFile,
  openCluster,
  readLockFile,
  readPassword,
  SUPERUSER,
} from './embedded/cluster.ts';
import { launch, shutDown, tryStartLock } from './embedded/postmaster.ts';
import { openSession, type Session } from './embedded/session.ts';
import {
  EmbeddedUnavailable,
  INSTEAD,
  inspect,
  type RunUser,
  sleep,
  sweepTemps,
  unprivilegedUser,
} from './embedded/system.ts';

export { EmbeddedUnavailable };

/** Where the embedded server's doings are told. */
export interface EmbeddedLog {
  debug(msg: string, fields?: Record<string, unknown>): void;
  info(msg: string, fields?: Record<string, unknown>): void;
  warn(msg: string, fields?: Record<string, unknown>): void;
}

/** This process's share in an embedded server. */
export interface EmbeddedPostgres {
  /** `postgres://svc:<password>@127.0.0.1:<port>/postgres` */
  url: string;
  /** Gives up the share; the last process to do so stops the server. Close other connections first. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Everything is kept in `postgres` in here; made when missing. */
  dataDir: string;
  log: EmbeddedLog;
  /** More server settings, by name; without effect on a server that another process has started. */
  settings?: Record<string, string>;
}

/** Without a sign of progress. */
const PATIENCE_MS = 30_000;
const POLL_MS = 20;
/** After so long of not knowing whose a lock file is, PostgreSQL is asked. */
const UNCLEAR_MS = 2000;

/**
 * Starts PostgreSQL on the data in `dataDir`, which is created the first time, or joins the server that another
 * process has started there. A server whose processes have all died is replaced.
 * @throws EmbeddedUnavailable when it cannot be had on this system or in this directory
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (!syscall) throw error;
    throw new EmbeddedUnavailable(
      `cannot keep a database in ${options.dataDir} (${message}): set SVC_DATA_DIR to another directory, or ${INSTEAD}`,
    );
  }
}

/** What the steps of a start have in common. */
interface Site {
  cluster: Cluster;
  user: RunUser | undefined;
  password: string;
  binaries(): Promise<Binaries>;
  settings: Record<string, string>;
  log: EmbeddedLog;
  began: number;
}

/** Any step may find that another process was there first; so they are tried over and over. */
async function start({ dataDir, log, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const began = Date.now();
  const user = await unprivilegedUser();
  const cluster = await openCluster(dataDir);
  await checkOwner(cluster);
  const password = await readPassword(cluster);
  let prepared: Promise<Binaries> | undefined;
  const binaries = () => {
    prepared ??= findBinaries(cluster, user);
    return prepared;
  };
  const site: Site = { cluster, user, password, binaries, settings, log, began };
  await sweepTemps(cluster.home);

  let child: ChildProcess | undefined;
  let deadline = began + PATIENCE_MS;
  let unclearSince = Number.POSITIVE_INFINITY;
  let obstacle = 'it does not get ready';
  while (Date.now() < deadline) {
    const { lock, state } = await look(cluster);
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

async function findBinaries(cluster: Cluster, user: RunUser | undefined): Promise<Binaries> {
  const found = await findPackage();
  const copies = [join(cluster.home, `runtime-${found.version}`)];
  // The data directory may be where only root can go.
  if (user) copies.push(`/var/cache/svc-findings/postgres-${found.version}`);
  return prepareBinaries(found, user, copies);
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
  const { cluster, user, log } = site;
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
    if (state === 'gone' && user && !(await adopt(cluster, user))) return 'its former server has not ended';
    const stale = state === 'gone' ? lock : undefined;
    const started = await launch(cluster, binaries, user, site.settings, stale);
    if (typeof started === 'string') log.debug('database server not started', { reason: started });
    else log.info('database server started', { pid: started.pid, ms: Date.now() - site.began });
    return started;
  } finally {
    unlock();
  }
}

/** @returns undefined when the server cannot be used, or not yet */
async function joinServer(site: Site, lock: LockFile): Promise<EmbeddedPostgres | undefined> {
  if (lock.status !== 'ready') return undefined;
  const { cluster, log } = site;
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
    orphan = claim === 'alone' && (await session.serverStart()) < site.began;
    if (claim === 'alone' && !orphan) await session.share();
    if (claim !== 'refused' && !orphan) {
      log.debug('database server joined', { pid: lock.pid, port: lock.port });
      let left: Promise<void> | undefined;
      const stop = () => {
        left ??= leaveServer(site, lock, session);
        return left;
      };
      return { url, stop };
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

async function leaveServer(site: Site, lock: LockFile, session: Session): Promise<void> {
  const last = await session.release().catch(() => false);
  if (last) await endServer(site, lock, session);
  else await session.end();
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
