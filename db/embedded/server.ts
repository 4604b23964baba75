import type { ChildProcess } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import {
  type Cluster,
  clusterExists,
  createCluster,
  type LockFile,
  readLockFile,
  SUPERUSER,
} from './cluster.ts';
import type { DiskGuard } from './disk.ts';
import { killBackends, launch, shutDown, tryStartLock } from './postmaster.ts';
import { openSession, type Session } from './session.ts';
import { type EmbeddedLog, EmbeddedUnavailable, INSTEAD } from './system.ts';

export interface ServerOptions {
  cluster: Cluster;
  password: string;
  binaries: Binaries;
  settings: Record<string, string>;
  disk: DiskGuard;
  log: EmbeddedLog;
}

export type Server = Awaited<ReturnType<typeof openServer>>;

/** Timeout without progress. */
const START_TIMEOUT_MS = 30_000;
const POLL_MS = 20;
/** A server that does not answer for this time may be dead. PostgreSQL is started, which decides itself whether one is running. */
const SILENT_MS = 2_000;
/** A server that restarts itself while this process stops. */
const STOP_TIMEOUT_MS = 3_000;
/** Short, so that the server returns soon after the cause, such as a full disk, is fixed. */
const RETRY_MS = 1_000;

/** Obstacles to joining a server. */
const DEAD = 'its process is dead';
const SILENT = 'it does not answer';
const STARTING = 'another process is starting it';

/**
 * Joins the server of a cluster, or starts it if none runs, and restarts it on the same port whenever it dies. Each process
 * holds a shared advisory lock in the server. A process that stops tries to get the lock exclusively: if it can, it was the last
 * one and stops the server.
 */
export async function openServer(options: ServerOptions) {
  const { cluster, password, binaries, disk, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Fixed by the first connection, because the service's connection pools use it. */
  let port: number | undefined;
  let child: ChildProcess | undefined;
  /** Ends a pause between two checks of the server and the disk. */
  let wake = () => {};

  /** Another program may also have the port of a dead server. */
  const denied = `${cluster.passwordFile} does not contain this database's password: restore that file`;
  const urlOf = (at: number | undefined) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${at}/postgres`;

  /** @returns an obstacle when the server cannot be joined now */
  async function join(lock: LockFile): Promise<Session | string> {
    try {
      const session = await openSession(urlOf(lock.port), () => wake());
      if (!session) return SILENT;
      const [row] = await session.run("select current_setting('svc.directory', true) as name");
      // The copy of a directory contains the lock file of the original's server. Older versions do not set a name.
      const isOther = row?.name && row.name !== (await realpath(cluster.dir));
      if (!isOther && lock.port === (port ?? lock.port)) return session;
      await session.end();
      return isOther ? DEAD : `another process started it on port ${lock.port}: restart this process`;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === '28P01') return denied;
      // The port is not open before there is a status.
      return code === 'ECONNREFUSED' && lock.status ? DEAD : SILENT;
    }
  }

  /** Starts a server, on a new cluster if there is none. @returns an obstacle, or nothing when it is ready */
  async function start(lock: LockFile | undefined, isDead: boolean): Promise<string | undefined> {
    if (!clusterExists(cluster)) {
      await createCluster(cluster, password, binaries.initdb);
      log.info('database created', { dir: cluster.dir });
    }
    // Another process may have started one before this process got the start lock.
    if ((await readLockFile(cluster))?.pid !== lock?.pid) return SILENT;
    if (lock && isDead && !(await killBackends(cluster, lock.pid))) return SILENT;
    const began = Date.now();
    const started = await launch({
      ...{ cluster, binaries, signal },
      // Processes that used the previous server expect the same port.
      port: port ?? (isDead ? lock?.port : undefined),
      stalePid: isDead ? lock?.pid : undefined,
      settings: {
        'svc.directory': await realpath(cluster.dir),
        // Workers would copy what a large read needs from the page cache: it would use two processors, and take as long.
        io_method: 'sync',
        ...(await disk.settings()),
        ...options.settings,
      },
    });
    if (typeof started === 'string') return started;
    child = started;
    log.info('database server started', { pid: child.pid, ms: Date.now() - began });
  }

  /**
   * Joins or starts the server, repeatedly, because other processes may do the same concurrently.
   * @throws EmbeddedUnavailable after the timeout, or when this process stops
   */
  async function connect(): Promise<Session> {
    const silentUntil = Date.now() + SILENT_MS;
    let deadline = Date.now() + START_TIMEOUT_MS;
    let obstacle = '';
    for (; Date.now() < deadline && !signal.aborted; await sleep(POLL_MS)) {
      await disk.freeReserve();
      const lock = await readLockFile(cluster);
      const found = lock ? await join(lock) : DEAD;
      if (typeof found !== 'string') {
        port = lock?.port;
        return found;
      }
      obstacle = found;
      if (found === SILENT && Date.now() < silentUntil) continue;
      const unlock = await tryStartLock(password);
      const failure = unlock ? await start(lock, found === DEAD).finally(unlock) : STARTING;
      // A recovery may take longer.
      if (!failure || !unlock) deadline = Date.now() + START_TIMEOUT_MS;
      if (found === DEAD) obstacle = failure ?? SILENT;
      if (found === denied && unlock && failure) break;
      if (failure) log.debug('database server not started', { reason: failure });
    }
    throw new EmbeddedUnavailable(
      `the embedded PostgreSQL in ${cluster.dir} does not start (${obstacle}): ${INSTEAD}`,
    );
  }

  let session = await connect().catch((error) => {
    child?.kill('SIGINT');
    throw error;
  });
  let pause = await disk.check(session.run);
  const watching = watch();

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      if (!session.isClosed()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, pause).unref();
        });
      }
      if (signal.aborted) return;
      if (session.isClosed()) await reconnect();
      await disk.fillReserve().catch(() => {});
      pause = await disk.check(session.run);
    }
  }

  /** After a crash of a backend, PostgreSQL restarts itself. If the postmaster is dead, this starts a new one. */
  async function reconnect(): Promise<void> {
    const began = Date.now();
    await session.end();
    log.warn('database server lost');
    let reason = '';
    while (!signal.aborted) {
      try {
        session = await connect();
        log.info('database server is back', { ms: Date.now() - began });
        return;
      } catch (error) {
        const { message } = error as Error;
        if (message !== reason && !signal.aborted) log.warn('database server not back', { reason: message });
        reason = message;
      }
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  return {
    /** The URL of the superuser. */
    url: urlOf(port),
    port: port as number,
    /** Runs a statement as the superuser. */
    run: (statement: string) => session.run(statement),
    /** Leaves the server. The last process stops it. */
    async stop(): Promise<void> {
      stopping.abort();
      wake();
      await watching;
      let current: Session | string = session;
      for (const deadline = Date.now() + STOP_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
        if (typeof current !== 'string') {
          const isLast = await current.release().catch(() => undefined);
          if (isLast && (await shutDown(cluster, binaries))) log.info('database server stopped');
          else if (isLast) log.warn('database server does not stop');
          await current.end();
          if (isLast !== undefined) return;
        }
        // The connection was lost just now. A server that restarts itself would be left running.
        const lock = await readLockFile(cluster);
        current = lock ? await join(lock) : DEAD;
        if (current === DEAD) return;
      }
    },
  };
}
