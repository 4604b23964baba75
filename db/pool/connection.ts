import net from 'node:net';
import postgres, { type Sql } from 'postgres';
import { sqlState } from '../errors.ts';
import { asQuery, type DriverQuery, lost } from './driver.ts';

/**
 * A connection with a postgres.js client of its own, which is thrown away together with it. Of a connection that is lost,
 * postgres.js keeps more than is good (a write that was about to go out, queries sent between its error and its end,
 * attempts to open it again), and only so can a connection be chosen, watched and closed.
 */
export interface Connection {
  client: Sql;
  /** Gives a query to the client. */
  give: DriverQuery['handler'];
  open: boolean;
  /** No pooler is in between, for which the next transaction may be another backend's. */
  direct: boolean;
  openedAt: number;
  /** Organizations it has seen. */
  orgs: Set<string>;
  /** What was sent and is not answered; each can be told that it will not be. */
  pending: Set<(error: unknown) => void>;
  /** Breaks it off, or notes that it is. */
  end(error?: Error): void;
}

/** Where connections lead; all of a pool share one, so that who finds a host away spares the others the search. */
export interface Hosts {
  /** Which of the driver's hosts is asked first. */
  at: number;
}

/**
 * Begins a connection to one of the hosts the driver was given.
 * @param driver has read the options, and is never connected itself
 */
function begin(driver: Sql, host: number, onEnd: (connection: Connection) => void): Connection {
  const { options } = driver;
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
      onEnd(connection);
      socket?.destroy(error);
      // The driver tells them itself, in this turn; but some it forgets.
      setImmediate(() => {
        for (const fail of connection.pending) fail(error);
      });
    },
  };
  const openSocket = (given: { host: string[]; port: number[]; path?: string }) => {
    // By itself the driver would open one after the other.
    if (socket || ended) throw lost();
    const [name] = given.host;
    socket = given.path ? net.connect(given.path) : net.connect(given.port[0] ?? 5432, name);
    socket.once('error', connection.end);
    socket.once('close', () => connection.end());
    // postgres.js names the TLS server after this.
    return Object.assign(socket, { host: name });
  };
  connection.client = postgres({
    ...options,
    host: [options.host[host]],
    port: [options.port[host]],
    socket: openSocket,
    // With TLS the socket's events are not ours to hear.
    onclose: () => connection.end(),
  } as never);
  connection.give = asQuery(connection.client.unsafe('')).handler;
  return connection;
}

/** Makes the first query, by which it also learns whom it talks to. */
async function open(connection: Connection): Promise<void> {
  const { client, pending } = connection;
  const rows = await new Promise<{ pid: number }[]>((resolve, reject) => {
    pending.add(reject);
    client
      .unsafe<{ pid: number }[]>('select pg_backend_pid() as pid')
      .then(resolve, reject)
      .finally(() => pending.delete(reject));
  });
  const { pid } = (rows as unknown as { state: { pid: number } }).state;
  connection.open = true;
  // A pooler gives its clients numbers of its own.
  connection.direct = rows[0]?.pid === pid;
}

/**
 * Opens a connection: to the host that answered last, or else to the others in turn.
 * @param onBegin is told of each attempt, `onEnd` when it comes to nothing, or the connection is lost
 * @throws what keeps the last host from being reached, in which case nothing has been sent
 */
export async function openConnection(options: {
  driver: Sql;
  hosts: Hosts;
  onBegin(connection: Connection): void;
  onEnd(connection: Connection): void;
}): Promise<Connection> {
  const { driver, hosts, onBegin, onEnd } = options;
  const { host: names, connection: parameters } = driver.options;
  for (let tries = 1; ; tries++) {
    const host = hosts.at;
    const limits = parameters.statement_timeout !== undefined;
    const connection = begin(driver, host, onEnd);
    onBegin(connection);
    try {
      await open(connection);
      return connection;
    } catch (error) {
      connection.end();
      if (limits && refusesLimit(error)) {
        // Another slot may have found out at the same time.
        delete parameters.statement_timeout;
        tries--;
        continue;
      }
      if (tries === names.length || isThere(error)) throw error;
      if (hosts.at === host) hosts.at = (host + 1) % names.length;
    }
  }
}

const PROTOCOL_VIOLATION = '08P01';

/** Whether a pooler takes no `statement_timeout` at the start. */
const refusesLimit = (error: unknown): boolean =>
  sqlState(error) === PROTOCOL_VIOLATION && (error as Error).message.includes('statement_timeout');

/** Whether PostgreSQL itself has refused, and will go on to be there: it is not starting or stopping. */
export const isThere = (error: unknown): boolean => /^(?!57P)\d/.test(sqlState(error) ?? '');
