import net from 'node:net';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import { isConnectionLost } from './errors.ts';

/** Drizzle over the pool; a transaction of it has the same query methods. */
export type Db = PostgresJsDatabase;
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

/** Connections of this process, counted now. */
export interface PoolGauges {
  open: number;
  inUse: number;
  idle: number;
}

/** The process's way to PostgreSQL. */
export interface Database {
  db: Db;
  /** The postgres.js client below `db`, for statements that are built by hand. */
  sql: Sql;
  pool(): PoolGauges;
  /** Resolves when the database answers; rejects after `timeoutMs` at the latest. */
  ping(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  /** Connections at the most. */
  max: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
}

const STATEMENT_TIMEOUT_MS = 30_000;

const MAX_RECONNECT_DELAY_S = 0.25;

/**
 * Opens a pool; the first connection is made by the first query.
 *
 * postgres.js keeps no counts, so sockets are counted where they are made and queries where they are sent.
 */
export function openDatabase(options: DatabaseOptions): Database {
  let open = 0;
  let active = 0;

  const connect = ({ host, port, path }: { host: string[]; port: number[]; path?: string | undefined }) => {
    const socket = path ? net.connect(path) : net.connect(port[0] ?? 5432, host[0]);
    socket.once('connect', () => {
      open++;
      socket.once('close', () => open--);
    });
    // postgres.js names the TLS server after this.
    return Object.assign(socket, { host: host[0] });
  };

  const client = postgres(options.url, {
    max: options.max,
    connect_timeout: 5,
    // Queries wait for the next attempt: seconds, where the default of up to 20 would let them hang.
    backoff: (attempts: number) => Math.min(2 ** attempts / 100, MAX_RECONNECT_DELAY_S),
    // The only use would be JavaScript arrays as parameters: one round trip less per connection.
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'svc-findings',
      statement_timeout: STATEMENT_TIMEOUT_MS,
    },
    ...{ socket: connect },
  });

  const started = () => {
    active++;
  };
  const ended = () => {
    active--;
  };
  const sql = countQueries(client, started, ended);

  return {
    db: drizzle(sql),
    sql,
    pool() {
      const inUse = Math.min(active, open);
      return { open, inUse, idle: open - inUse };
    },
    async ping(timeoutMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      });
      try {
        await Promise.race([sql.unsafe('select 1'), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => client.end({ timeout: 5 }),
  };
}

type Settle = (value: never) => void;

/** Calls `started` when a query is handed to the pool or a transaction has its connection, `ended` when it is done. */
function countQueries(client: Sql, started: () => void, ended: () => void): Sql {
  const unsafe: Sql['unsafe'] = (...args) => {
    const query = client.unsafe(...args);
    const inner = query as unknown as { handler: (q: unknown) => unknown; resolve: Settle; reject: Settle };
    const { handler, resolve, reject } = inner;
    let running = false;
    const settle = (how: Settle) => (value: never) => {
      if (running) ended();
      running = false;
      how(value);
    };
    inner.handler = (q) => {
      running = true;
      started();
      return handler(q);
    };
    inner.resolve = settle(resolve);
    inner.reject = settle(reject);
    return query as never;
  };
  const begin = async (fn: (tx: never) => Promise<unknown>) => {
    let refused = false;
    const transaction = client.begin(async (tx) => {
      let lost = false;
      const unsafe: Sql['unsafe'] = (...args) => {
        if (refused) throw Object.assign(new Error('connection lost'), { code: 'CONNECTION_CLOSED' });
        return onReject(tx.unsafe(...args), (error) => {
          lost ||= isConnectionLost(error);
        });
      };
      const watched = new Proxy(tx, {
        get: (target, key) => (key === 'unsafe' ? unsafe : target[key as keyof typeof tx]),
      });
      started();
      const [outcome] = await Promise.allSettled([fn(watched as never)]);
      ended();
      // A transaction whose connection is lost, postgres.js refuses by itself. It must not be ended any more: written to
      // a socket that is gone, that throws where nobody can catch it, and leaves the connection unusable.
      if (lost || refused) await new Promise(() => {});
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
    transaction.catch(() => {
      refused = true;
    });
    return await transaction;
  };
  const counted: Record<string | symbol, unknown> = { unsafe, begin };
  return new Proxy(client, { get: (target, key) => counted[key] ?? target[key as keyof Sql] });
}

/** Calls `listener` when a query fails; a cursor puts another function into the place of `reject` for each fetch. */
function onReject<Query extends object>(query: Query, listener: (error: unknown) => void): Query {
  let reject = (query as { reject?: Settle }).reject;
  return Object.defineProperty(query, 'reject', {
    get: () => (error: never) => {
      listener(error);
      reject?.(error);
    },
    set: (next) => {
      reject = next;
    },
  });
}
