import net from 'node:net';
import postgres, { type Sql } from 'postgres';
import { sqlState } from './errors.ts';

/** A query of postgres.js, with what the driver itself uses of it. */
export interface DriverQuery extends Promise<{ command: string }> {
  /** Called once, when the query is to be sent. */
  handler(query: DriverQuery): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  strings: [string];
  options: { prepare?: boolean; simple?: boolean };
  /** Set when its rows are read through a cursor, each fetch of which answers by functions of its own. */
  cursorRows?: number;
}

/**
 * A place for one connection to PostgreSQL, which is opened when it is needed.
 *
 * Each connection has a postgres.js client of its own, thrown away together with it. Of a connection that is lost,
 * postgres.js keeps more than is good (a write that was about to go out, queries sent between its error and its end,
 * attempts to open it again), and only so can a connection be chosen, watched and closed.
 */
export interface Slot {
  isOpen(): boolean;
  /**
   * Opens a connection, unless one is open.
   * @throws what keeps it from being opened, in which case nothing has been sent
   */
  open(): Promise<void>;
  /** Sends a query behind those sent before; it is rejected when the connection is not open, or is lost. */
  send(query: DriverQuery): void;
  /** Sends a statement without parameters. */
  run(text: string): Promise<{ command: string }>;
  /** For how many milliseconds queries, or its opening, have been waiting without an answer; 0 when none is. */
  waits(): number;
  /** Lets what is sent until the next `rest` take as long as it likes. */
  unlimited(): void;
  isUnlimited(): boolean;
  /** To be called after each use; closes a connection that has grown old, or large. */
  rest(): void;
  /** Milliseconds since the last use. */
  idle(): number;
  /** Breaks the connection off: what is under way fails with `error`. */
  kill(error: Error): void;
  /** Closes the connection; to be called between two uses. */
  close(): void;
}

export interface SlotOptions {
  /** Its options, as the driver has read them, are those of every connection. */
  driver: Sql;
  /** Tells by its text whether a statement is to be prepared. */
  isHot(text: string): boolean;
  /** Called whenever PostgreSQL has answered a query. */
  onAnswer(): void;
  /** Called when a connection turns out to lead through a pooler. */
  onPooler(): void;
}

/** How long a connection lives. */
export const CONNECTION_LIFETIME_MS = 30 * 60 * 1000;

/**
 * A backend never forgets what it has read of an organization's tables (some 110 KB after a push and some reads, soak test
 * `orgs`). Renewed after so many of them, it stays below 90 MB; a new connection costs some 5 ms.
 */
const MAX_ORGS = 750;

const ORG_SCHEMA = '"org_';
const ORG_ID_LENGTH = 32;

interface Connection {
  client: Sql;
  /** Gives a query to the client. */
  give: DriverQuery['handler'];
  open: boolean;
  /** No pooler is in between, for which the next transaction may be another backend's. */
  direct: boolean;
  openedAt: number;
  /** Organizations it has seen. */
  orgs: Set<string>;
  /** What was sent and is not answered. */
  pending: Set<(error: Error) => void>;
  end(error?: Error): void;
}

export function createSlot({ driver, isHot, onAnswer, onPooler }: SlotOptions): Slot {
  let current: Connection | undefined;
  let usedAt = performance.now();
  let answeredAt = 0;
  let unlimited = false;

  function connect(): Connection {
    let socket: net.Socket | undefined;
    let ended = false;
    const connection: Connection = {
      client: driver,
      give: () => {},
      open: false,
      direct: false,
      openedAt: performance.now(),
      orgs: new Set(),
      pending: new Set(),
      end(error = lost()) {
        if (ended) return;
        ended = true;
        connection.open = false;
        if (current === connection) current = undefined;
        socket?.destroy(error);
        // The driver tells them itself, in this turn; but some it forgets.
        setImmediate(() => {
          for (const fail of connection.pending) fail(error);
        });
      },
    };
    const openSocket = ({ host, port, path }: { host: string[]; port: number[]; path?: string }) => {
      // By itself the driver would open one after the other.
      if (socket || ended) throw lost();
      socket = path ? net.connect(path) : net.connect(port[0] ?? 5432, host[0]);
      socket.once('error', connection.end);
      socket.once('close', () => connection.end());
      // postgres.js names the TLS server after this.
      return Object.assign(socket, { host: host[0] });
    };
    // With TLS the socket's events are not ours to hear.
    const options = { ...driver.options, socket: openSocket, onclose: () => connection.end() };
    connection.client = postgres(options as never);
    connection.give = asQuery(connection.client.unsafe('')).handler;
    return connection;
  }

  function track({ pending }: Connection, query: DriverQuery): void {
    const { resolve, reject } = query;
    if (pending.size === 0) answeredAt = performance.now();
    const fail = (error: unknown) => {
      pending.delete(fail);
      answeredAt = performance.now();
      reject(error);
    };
    pending.add(fail);
    query.reject = (error) => {
      if ((error as { severity?: string }).severity === 'ERROR') onAnswer();
      fail(error);
    };
    query.resolve = (rows) => {
      pending.delete(fail);
      answeredAt = performance.now();
      onAnswer();
      closeGap(rows as unknown[]);
      resolve(rows);
    };
  }

  const slot: Slot = {
    isOpen: () => current?.open === true,
    async open() {
      if (current?.open) return;
      const connection = connect();
      current = connection;
      const limits = driver.options.connection.statement_timeout !== undefined;
      try {
        const rows = await connection.client.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid');
        if (current !== connection) throw lost();
        onAnswer();
        connection.open = true;
        // A pooler gives its clients numbers of its own.
        connection.direct = rows[0]?.pid === (rows as unknown as { state: { pid: number } }).state.pid;
        if (!connection.direct) onPooler();
      } catch (error) {
        connection.end();
        if (!limits || !refusesLimit(error)) throw error;
        // Another slot may have found out at the same time.
        delete driver.options.connection.statement_timeout;
        await slot.open();
      }
    },
    send(query) {
      const connection = current;
      if (!connection?.open) {
        query.reject(lost());
        return;
      }
      const [text] = query.strings;
      const org = text.indexOf(ORG_SCHEMA);
      if (org >= 0) connection.orgs.add(text.substr(org + ORG_SCHEMA.length, ORG_ID_LENGTH));
      query.options.prepare = connection.direct && !query.options.simple && isHot(text);
      if (query.cursorRows === undefined) track(connection, query);
      connection.give(query);
    },
    run(text) {
      const query = asQuery(driver.unsafe(text));
      query.handler = slot.send;
      return query;
    },
    waits() {
      if (current && !current.open) return performance.now() - current.openedAt;
      return current?.pending.size ? performance.now() - answeredAt : 0;
    },
    unlimited() {
      unlimited = true;
    },
    isUnlimited: () => unlimited,
    rest() {
      unlimited = false;
      usedAt = performance.now();
      if (!current) return;
      if (current.orgs.size >= MAX_ORGS || usedAt - current.openedAt > CONNECTION_LIFETIME_MS) slot.close();
    },
    idle: () => performance.now() - usedAt,
    kill: (error) => current?.end(error),
    close() {
      const connection = current;
      current = undefined;
      void connection?.client.end({ timeout: 1 }).finally(connection.end);
    },
  };
  return slot;
}

export const asQuery = (query: object) => query as DriverQuery;

const lost = () => Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' });

/**
 * postgres.js goes on counting where a query broke off after its first rows: those of the next on that connection would
 * stand behind so many empty ones.
 */
function closeGap(rows: unknown[]): void {
  if (rows.length > 0 && !(0 in rows)) rows.splice(0, Number(Object.keys(rows)[0]));
}

const PROTOCOL_VIOLATION = '08P01';

/** Whether a pooler takes no `statement_timeout` at the start. */
const refusesLimit = (error: unknown): boolean =>
  sqlState(error) === PROTOCOL_VIOLATION && (error as Error).message.includes('statement_timeout');
