import net from 'node:net';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import { CONNECTION_LIFETIME_S, createPool, type WithConnection } from './pool.ts';

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
  withConnection: WithConnection;
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

/** What the driver says of the connection it wants. */
interface ConnectOptions {
  host: string[];
  port: number[];
  path?: string | undefined;
  sslnegotiation?: string | undefined;
}

/**
 * Opens a pool; the first connection is made by the first query.
 *
 * postgres.js keeps no counts, so sockets are counted where they are made and queries in the pool.
 */
export function openDatabase(options: DatabaseOptions): Database {
  let open = 0;

  const connect = ({ host, port, path, sslnegotiation }: ConnectOptions) => {
    const socket = path ? net.connect(path) : net.connect(port[0] ?? 5432, host[0]);
    socket.once('connect', () => {
      open++;
      socket.once('close', () => open--);
    });
    // What is sent between error and close, postgres.js forgets; connected again, it takes it to be answered with no rows.
    let failure: Error | undefined;
    socket.once('error', (error) => {
      failure = error;
    });
    socket.once('close', () => {
      if (failure) socket.emit('error', failure);
    });
    if (sslnegotiation !== 'direct') closeUnlessOpened(socket);
    // postgres.js names the TLS server after this.
    return Object.assign(socket, { host: host[0] });
  };

  const client = postgres(options.url, {
    max: options.max,
    connect_timeout: 5,
    max_lifetime: CONNECTION_LIFETIME_S,
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

  const pool = createPool(client, options.max);
  const { sql } = pool;

  return {
    db: drizzle(sql),
    sql,
    withConnection: pool.withConnection,
    pool() {
      const inUse = Math.min(pool.inUse(), open);
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

/**
 * Closes a new connection that the driver does not begin as it should.
 *
 * postgres.js writes at the end of a turn. When a connection closes before, it calls the write off, keeps what was to
 * be written, and believes for ever that a write is on its way: in that place of the pool it says nothing more before
 * it has gathered 1 KB, and each attempt to connect takes the whole connect_timeout. A connection that is closed by us
 * it opens again at once, for the same query. So it gathers its 1 KB within milliseconds, which are written to nobody,
 * and has come clean.
 */
function closeUnlessOpened(socket: net.Socket): void {
  const { write } = socket;
  let opened = false;
  socket.write = (...args: unknown[]) => {
    opened = true;
    socket.write = write;
    if (isOpening(args[0])) return Reflect.apply(write, socket, args);
    socket.destroy();
    return false;
  };
  // The driver writes in this turn, or never.
  setImmediate(() =>
    setImmediate(() => {
      if (!opened) socket.destroy();
    }),
  );
}

/** Whether this is one whole message of those that open a connection: its first number is its length. */
const isOpening = (data: unknown) =>
  Buffer.isBuffer(data) && data.length >= 8 && data.readInt32BE(0) === data.length;
