import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import QuickLRU from 'quick-lru';
import { createPool, type PoolClient, type WithConnection } from './pool/pool.ts';
import type { Sql } from './pool/query.ts';
import type { Sharer } from './pool/semaphore.ts';

/** Drizzle over the pool; a transaction of it has the same query methods. */
export type Db = PostgresJsDatabase;
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

/** Connections of this process, counted now. */
export interface PoolGauges {
  open: number;
  inUse: number;
  idle: number;
  /** How many there may be. */
  max: number;
  /** Queries that wait for one. */
  waiting: number;
}

/** The clients that run queries. */
export interface DatabaseClient {
  db: Db;
  /** The postgres.js client below `db`, for statements that are built by hand. */
  sql: Sql;
  withConnection: WithConnection;
}

type Pool = ReturnType<typeof createPool>;

/** The process's way to PostgreSQL. */
export interface Database extends DatabaseClient {
  /** For the work of one organization, whose account has a share of the connections. */
  of(org: Sharer): DatabaseClient;
  /**
   * Calls `use` with a client that has connections of its own, two at the most, and no time limit of statements. For statements
   * that cannot run in a transaction.
   */
  unlimited<T>(use: (sql: Sql) => Promise<T>): Promise<T>;
  pool(): PoolGauges;
  waitingOrgs: Pool['waitingOrgs'];
  breakOff: Pool['breakOff'];
  /** Resolves when the database answers; rejects after `timeoutMs` at the latest. */
  ping(timeoutMs: number): Promise<void>;
  /** Lets what is under way finish, for `timeoutMs` (5 s) at the most. */
  close(timeoutMs?: number): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** Connections at the most. */
  max: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** Schemas where names without a schema are looked up. By default the role decides. */
  searchPath?: string;
  /** Statement timeout in milliseconds, unless a transaction sets its own; 0: no timeout. */
  statementMs?: number;
  /** Timeout for acquiring a connection, in milliseconds. */
  acquireTimeoutMs?: number;
  /** Called once, when connections turn out to lead through a pooler such as PgBouncer. */
  onPooler?: () => void;
}

const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_S = 5;
const CLOSE_MS = 5_000;
const UNLIMITED_CONNECTIONS = 2;
const MAX_CLIENTS = 500;

/** Opens a pool; the first connection is made by the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const { statementMs = STATEMENT_TIMEOUT_MS } = options;
  const pool = createPool({
    ...options,
    statementMs,
    options: {
      connect_timeout: CONNECT_TIMEOUT_S,
      // The pool renews connections between two uses.
      max_lifetime: null,
      // The only use would be JavaScript arrays as parameters: one round trip less per connection.
      fetch_types: false,
      onnotice: () => {},
      connection: {
        application_name: options.applicationName ?? 'svc-findings',
        ...(options.searchPath !== undefined && { search_path: options.searchPath }),
        ...(statementMs > 0 && { statement_timeout: statementMs }),
      },
    },
  });
  const clientOf = ({ sql, withConnection }: PoolClient): DatabaseClient => ({
    ...{ db: drizzle(sql as never), sql, withConnection },
  });
  const unlimited = new Set<Database>();
  // Not every caller knows the account: their client must not become the one of all requests.
  const clients = new QuickLRU<string, DatabaseClient>({ maxSize: MAX_CLIENTS });
  function clientFor({ id, account }: Sharer): DatabaseClient {
    const key = `${id} ${account}`;
    const client = clients.get(key) ?? clientOf(pool.of({ id, account }));
    clients.set(key, client);
    return client;
  }
  return {
    ...clientOf(pool),
    async unlimited(use) {
      const { onPooler: _, ...same } = options;
      const own = openDatabase({ ...same, max: UNLIMITED_CONNECTIONS, statementMs: 0 });
      unlimited.add(own);
      try {
        return await use(own.sql);
      } finally {
        unlimited.delete(own);
        await own.close();
      }
    },
    of: clientFor,
    pool() {
      const open = pool.open();
      const inUse = Math.min(pool.inUse(), open);
      return { open, inUse, idle: open - inUse, max: options.max, waiting: pool.waiting() };
    },
    waitingOrgs: pool.waitingOrgs,
    breakOff: pool.breakOff,
    ping: pool.ping,
    async close(timeoutMs = CLOSE_MS) {
      await Promise.all([pool, ...unlimited].map((one) => one.close(timeoutMs)));
    },
  };
}
