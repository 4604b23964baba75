import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { sqlState } from '../errors.ts';
import { createActivity } from './activity.ts';
import {
  type Connection,
  type ConnectorOptions,
  createConnector,
  type DatabaseState,
  isReachable,
  LIFETIME_MS,
} from './connection.ts';
import { createFrequentTexts } from './frequent.ts';
import { createHealthCheck } from './health.ts';
import type { Sql } from './query.ts';
import { type Begin, command, createSqlClient, type Send } from './query.ts';
import { ACQUIRE_TIMEOUT_MS, createSemaphore, type Sharer } from './semaphore.ts';
import { transact } from './transaction.ts';

export interface PoolOptions extends Pick<ConnectorOptions, 'url' | 'options' | 'onPooler'> {
  /** Most connections. The health check has one more. */
  max: number;
  /** Time limit of statements, unless their transaction sets `statement_timeout` to 0; 0: no limit. */
  statementMs: number;
  acquireTimeoutMs?: number | undefined;
}

/** How queries are sent. */
export interface PoolClient {
  sql: Sql;
  withConnection: WithConnection;
}

/**
 * Acquires a connection and calls `use` with a client for it, until `use` settles.
 * @param org whose account's share of the connections is used
 */
export type WithConnection = <T>(use: (sql: Sql) => Promise<T>, org?: Sharer) => Promise<T>;

/** The place of a connection, which is opened by the first use and after it was closed. */
interface PoolEntry {
  connection?: Connection;
}

/** Each costs about 100 KB in every backend, until its connection is closed. */
const MAX_FREQUENT = 300;
/** PostgreSQL gets this much longer to cancel a statement itself, which keeps the connection. */
const GRACE_MS = 5_000;
const MONITOR_MS = 500;
/** The health check runs when a statement waits for so long and no statement was answered. */
const SUSPICIOUS_MS = 1_000;
const IDLE_MS = 10 * 60 * 1000;
/** A firewall may have forgotten a connection that was unused for longer. */
const PROBE_IDLE_MS = 30_000;
/** Delay before the next attempt to open a connection after PostgreSQL had none left. */
const FULL_MS = 1_000;
const TOO_MANY_CONNECTIONS = '53300';

const SELECT_1 = command('select 1');

/** One account leaves two connections to others. With 3 it gets 2, because a whole list occupies one. */
const accountShareOf = (max: number): number => (max <= 2 ? max : Math.max(2, max - 2));

/** The share while other organizations are active: the statements of one account must not keep all processors busy. */
const sharedShareOf = (max: number): number =>
  Math.min(accountShareOf(max), Math.max(2, Math.floor(max / 3)));

/**
 * Connections to PostgreSQL. A query is sent over a connection of its own: postgres.js's pool would queue it behind another
 * one, which may wait for a lock.
 */
export function createPool(poolOptions: PoolOptions) {
  const { max, statementMs, acquireTimeoutMs = ACQUIRE_TIMEOUT_MS } = poolOptions;
  const database: DatabaseState = { answeredAt: 0, isPooled: false, stuckOrgs: new Map() };
  const isFrequent = createFrequentTexts({ max: MAX_FREQUENT, periodMs: LIFETIME_MS });
  const connector = createConnector({ ...poolOptions, database, isFrequent });
  const { options } = connector;
  let closed: Error | undefined;
  const entries = Array.from({ length: max }, (): PoolEntry => ({}));
  const free = [...entries];
  const activity = createActivity();
  const semaphore = createSemaphore({
    ...{ total: max, timeoutMs: acquireTimeoutMs },
    perAccount: () => (activity.isShared() ? sharedShareOf(max) : accountShareOf(max)),
  });
  const openCount = () => entries.filter(({ connection }) => connection?.isOpen()).length;
  const opening = new Set<Promise<void>>();
  const probe: PoolEntry = {};

  const health = createHealthCheck({
    database,
    async probe() {
      if (performance.now() - (probe.connection?.usedAt ?? 0) > PROBE_IDLE_MS) probe.connection?.close();
      if (probe.connection?.isOpen()) await probe.connection.send(SELECT_1);
      else await open(probe);
      probe.connection?.release();
    },
    abortProbe: (error) => probe.connection?.destroy(error),
    probePool: () => acquire((connection) => connection.send(SELECT_1)),
    isServing: (error) => isReachable(error) && openCount() > 0,
    onOpen(error, isSilent) {
      semaphore.rejectWaiting(error);
      if (!isSilent) return;
      for (const { connection } of entries) if (!connection?.isUnlimited) connection?.destroy(error);
    },
  });

  async function open(entry: PoolEntry): Promise<void> {
    const opened = connector.connect((connection) => {
      if (closed) throw closed;
      entry.connection = connection;
    });
    opening.add(opened);
    await opened.finally(() => opening.delete(opened));
  }

  /** Whether PostgreSQL has no connection left but those of the pool: they are enough. */
  async function isFull(error: unknown): Promise<boolean> {
    if (sqlState(error) !== TOO_MANY_CONNECTIONS) return false;
    await Promise.allSettled(opening);
    return openCount() > 0;
  }

  async function acquire<T>(use: (connection: Connection) => Promise<T>, sharer?: Sharer): Promise<T> {
    const began = performance.now();
    if (sharer) activity.record(sharer.id);
    for (let since: number | undefined; ; since = began) {
      if (closed) throw closed;
      const releasePermit = await semaphore.acquire({ sharer, since });
      // The latest one that was used. Each permit stands for one entry.
      const entry = free.pop() as PoolEntry;
      const release = () => {
        free.push(entry);
        releasePermit();
      };
      try {
        if (!entry.connection?.isOpen()) await open(entry);
      } catch (error) {
        const isRepeated = await isFull(error);
        if (isRepeated) setTimeout(release, FULL_MS);
        else release();
        if (isRepeated) continue;
        throw error;
      }
      const connection = entry.connection as Connection;
      try {
        return await use(connection);
      } finally {
        // Statements that this use did not wait for: a late cancellation of one would hit the next use.
        const idle = connection.whenIdle();
        connection.uses++;
        const free = () => {
          connection.release();
          release();
        };
        if (idle) void idle.then(free);
        else free();
      }
    }
  }

  function acquireUnlessDown<T>(use: (connection: Connection) => Promise<T>, sharer?: Sharer): Promise<T> {
    const failure = health.failure();
    // Rejects in the next turn: a caller that retries at once must not keep the process from reading the answer.
    return failure ? nextTurn().then(() => Promise.reject(failure)) : acquire(use, sharer);
  }

  let monitoredAt = performance.now();
  const monitor = setInterval(() => {
    const now = performance.now();
    const isLate = now - monitoredAt > 2 * MONITOR_MS;
    monitoredAt = now;
    // Answers that arrived while the process stood still are read first.
    if (isLate) return;
    for (const { connection } of entries) {
      const waitingMs = connection?.waitingMs() ?? 0;
      if (waitingMs > SUSPICIOUS_MS && now - database.answeredAt > SUSPICIOUS_MS)
        health.check().catch(() => {});
      if (statementMs === 0 || waitingMs <= statementMs + GRACE_MS || connection?.isUnlimited) continue;
      connection?.destroy(
        Object.assign(new Error(`no answer within ${waitingMs} ms`), { code: 'ETIMEDOUT' }),
      );
    }
    for (const { connection } of free) if (now - (connection?.usedAt ?? now) > IDLE_MS) connection?.close();
  }, MONITOR_MS);
  monitor.unref();

  function clientOf(sharer?: Sharer): PoolClient {
    const withConnection: WithConnection = (use, org) =>
      acquireUnlessDown((connection) => {
        const { uses } = connection;
        const refusal = () =>
          connection.uses === uses ? undefined : Promise.reject(new Error('the connection was released'));
        const send: Send = (statement) => refusal() ?? connection.send(statement);
        const begin: Begin = (run) => refusal() ?? transact(connection, options, run);
        return use(createSqlClient(options, send, begin));
      }, org ?? sharer);
    const send: Send = (statement) => acquireUnlessDown((connection) => connection.send(statement), sharer);
    const begin: Begin = (run) =>
      acquireUnlessDown((connection) => transact(connection, options, run), sharer);
    return { sql: createSqlClient(options, send, begin), withConnection };
  }

  return {
    ...clientOf(),
    /**
     * The pool for the work of one organization, whose account gets a share of the connections. Accounts that wait are served
     * round-robin, and so are the organizations of one.
     */
    of: clientOf,
    open: openCount,
    inUse: semaphore.inUse,
    waiting: semaphore.waiting,
    /** The organizations, by their hexadecimal ids, whose statements have waited for an answer for `ms` milliseconds. */
    waitingOrgs: (ms: number): string[] =>
      entries.flatMap(({ connection }) => connection?.waitingOrg(ms) ?? []),
    /** Ends the statements of these organizations, and sends none for those in `stuck` until the next call. */
    breakOff(waiting: ReadonlyMap<string, Error>, stuck: ReadonlyMap<string, Error>): void {
      database.stuckOrgs = stuck;
      for (const { connection } of entries) {
        const error = waiting.get(connection?.waitingOrg(0) ?? '');
        if (error) connection?.destroy(error);
      }
    },
    /** Resolves when the database answers; rejects after `timeoutMs` at the latest. */
    ping: health.check,
    /** Waits up to `timeoutMs` for work in progress, and closes all connections. */
    async close(timeoutMs: number): Promise<void> {
      closed ??= Object.assign(new Error('the pool is closed'), { code: 'CONNECTION_ENDED' });
      const deadline = performance.now() + timeoutMs;
      while (semaphore.inUse() > 0 && performance.now() < deadline) await sleep(5);
      semaphore.rejectWaiting(closed);
      clearInterval(monitor);
      health.close();
      const isIdle = semaphore.inUse() === 0;
      for (const { connection } of [...entries, probe])
        if (isIdle) connection?.close();
        else connection?.destroy(closed);
    },
  };
}
