import net from 'node:net';
import postgres, { type Options } from 'postgres';
import { sqlState } from '../errors.ts';
import { sendTo } from './driver.ts';
import { command, lost, type Rows, type Statement } from './query.ts';

export interface ConnectorOptions {
  url: string;
  options: Options<Record<string, never>>;
  database: DatabaseState;
  /** Whether to prepare a statement. */
  isFrequent(text: string): boolean;
  /** Called once, when connections lead to a pooler. */
  onPooler?: (() => void) | undefined;
}

/** The state of the database, as observed by the connections. */
export interface DatabaseState {
  /** When it last answered anything, by `performance.now()`. */
  answeredAt: number;
  /** Whether connections lead to a pooler. */
  isPooled: boolean;
  /** Errors of statements for organizations whose tables are on a machine that does not answer, by their hexadecimal ids. */
  stuckOrgs: ReadonlyMap<string, Error>;
}

export type Connection = ReturnType<typeof createConnection>;

/** Frequent statements are counted, and connections live, for this long. */
export const LIFETIME_MS = 30 * 60 * 1000;

/**
 * A backend never frees what it has read about an organization's tables, about 110 KB after a push and some reads (soak test
 * `orgs`). With this limit it stays below 90 MB. A new connection costs about 5 ms.
 */
const MAX_ORGS = 750;
const ORG_SCHEMA = /"org_([0-9a-f]{32})"/;

type Target = { host: string[]; port: number[]; path?: string | undefined };

/**
 * A connection to PostgreSQL, opened once. It has a postgres.js client of its own, because a client that has lost its
 * connection leaks state: a write that was about to be sent, queries sent between the error and the close, reconnects.
 */
function createConnection(
  { url, options, database, isFrequent, onPooler }: ConnectorOptions,
  target: Target & Pick<Options<Record<string, never>>, 'connection'>,
) {
  const openedAt = performance.now();
  const orgs = new Set<string>();
  /** Rejects the statements that are not answered. */
  const unanswered = new Set<(error: Error) => void>();
  let answeredAt = openedAt;
  let onIdle = () => {};
  let state: 'opening' | 'open' | 'closed' = 'opening';
  let isDirect = false;
  /** The organization of the latest statement of this use. */
  let org: string | undefined;
  let socket: net.Socket | undefined;

  function openSocket({ host: [host], port: [port], path }: Target): net.Socket {
    // postgres.js would reconnect.
    if (state === 'closed' || socket?.destroyed) throw lost();
    const opened = path ? net.connect(path) : net.connect(port as number, host);
    // Later sockets carry cancellations.
    socket ??= opened.once('error', connection.destroy).once('close', () => connection.destroy());
    // TLS verifies this name.
    return Object.assign(opened, { host });
  }

  const client = postgres(url, {
    ...{ ...options, ...target, max: 1, socket: openSocket },
    // postgres.js removes the listeners of a socket that it uses for TLS.
    onclose: () => connection.destroy(),
  } as never);

  function send(statement: Statement, prepare: boolean): Promise<Rows> {
    if (unanswered.size === 0) answeredAt = performance.now();
    return new Promise((resolve, reject) => {
      unanswered.add(reject);
      const settle = (isAnswer: boolean) => {
        unanswered.delete(reject);
        answeredAt = performance.now();
        if (isAnswer) database.answeredAt = answeredAt;
        if (unanswered.size === 0) onIdle();
      };
      sendTo(client, statement, prepare).then(
        (rows) => {
          settle(true);
          resolve(withoutGap(rows));
        },
        (error) => {
          settle(error.severity === 'ERROR');
          reject(error);
        },
      );
    });
  }

  const connection = {
    /** Its transaction has lifted the time limit of statements. */
    isUnlimited: false,
    usedAt: openedAt,
    /** How many uses have ended. */
    uses: 0,
    /** Drizzle changes those of the options it is given. */
    types: client.options,
    isOpen: () => state === 'open',
    /** Milliseconds for which its opening or a statement has waited for an answer. */
    waitingMs: () => (state === 'opening' || unanswered.size > 0 ? performance.now() - answeredAt : 0),
    /** The organization, by its hexadecimal id, that an answer was expected for since `ms` ago. */
    waitingOrg: (ms: number): string | undefined =>
      state === 'open' && !connection.isUnlimited && connection.waitingMs() > ms ? org : undefined,
    async open(): Promise<void> {
      const rows = await send(command('select pg_backend_pid() as pid'), false);
      if (state === 'closed') throw lost();
      state = 'open';
      // A pooler gives its clients process numbers of its own.
      isDirect = rows[0]?.pid === rows.state.pid;
      if (isDirect || database.isPooled) return;
      database.isPooled = true;
      onPooler?.();
    },
    send(statement: Statement): Promise<Rows> {
      if (state !== 'open') return Promise.reject(lost());
      const { text, params, planEachTime } = statement;
      const named = ORG_SCHEMA.exec(text)?.[1];
      if (named) {
        const stuck = database.stuckOrgs.get(named);
        if (stuck) return Promise.reject(stuck);
        orgs.add(named);
        org = named;
      }
      return send(statement, isDirect && params.length > 0 && !planEachTime && isFrequent(text));
    },
    /** Resolves when no statement is in progress, cancellations included; undefined when there is none already. */
    whenIdle: (): Promise<void> | undefined =>
      unanswered.size === 0
        ? undefined
        : new Promise((resolve) => {
            onIdle = resolve;
          }),
    /** Ends a use; closes a connection that is old or has seen too many organizations. */
    release(): void {
      connection.isUnlimited = false;
      org = undefined;
      connection.usedAt = performance.now();
      if (orgs.size >= MAX_ORGS || connection.usedAt - openedAt > LIFETIME_MS) connection.close();
    },
    /** Closes the connection, which is not in use. */
    close(): void {
      if (state !== 'open') {
        connection.destroy();
        return;
      }
      state = 'closed';
      void client.end({ timeout: 1 }).finally(() => socket?.destroy());
    },
    /** Breaks the connection off; statements in progress fail with the error. */
    destroy(error: Error = lost()): void {
      if (state === 'closed') return;
      state = 'closed';
      socket?.destroy(error);
      // postgres.js rejects most of them in this turn, with the error that PostgreSQL gave, and forgets the others.
      setImmediate(() => {
        for (const reject of unanswered) reject(error);
        unanswered.clear();
        onIdle();
      });
    },
  };
  return connection;
}

/** Opens connections to the host that answered last, or else to the other hosts in turn. */
export function createConnector(options: ConnectorOptions) {
  // Never connects: it reads the URL, and Drizzle sets its parsers.
  const template = postgres(options.url, options.options).options;
  const parameters = { ...options.options.connection };
  let preferred = 0;

  return {
    options: template,
    /**
     * @param onAttempt gets each connection before it is open
     * @throws the error of the last host; no statement was sent
     */
    async connect(onAttempt: (connection: Connection) => void): Promise<void> {
      for (let attempt = 1; ; attempt++) {
        const at = preferred;
        const limit = parameters.statement_timeout;
        const target = { host: [template.host[at] as string], port: [template.port[at] as number] };
        const connection = createConnection(options, {
          ...target,
          path: template.path,
          connection: parameters,
        });
        Object.assign(connection.types.parsers, template.parsers);
        Object.assign(connection.types.serializers, template.serializers);
        onAttempt(connection);
        try {
          return await connection.open();
        } catch (error) {
          connection.destroy();
          if (limit !== undefined && rejectsLimit(error)) {
            delete parameters.statement_timeout;
            attempt--;
            continue;
          }
          if (attempt === template.host.length || isReachable(error)) throw error;
          // Another attempt may have changed it.
          if (preferred === at) preferred = (at + 1) % template.host.length;
        }
      }
    },
  };
}

const PROTOCOL_VIOLATION = '08P01';

/** Whether a pooler rejects the parameter `statement_timeout`. */
const rejectsLimit = (error: unknown): boolean =>
  sqlState(error) === PROTOCOL_VIOLATION && (error as Error).message.includes('statement_timeout');

/** Whether PostgreSQL itself rejected the connection, and is not starting or stopping. */
export const isReachable = (error: unknown): boolean => /^(?!57P)\d/.test(sqlState(error) ?? '');

/** postgres.js counts rows from where a failed query stopped: the rows of the next one follow as many empty elements. */
function withoutGap(rows: Rows): Rows {
  if (rows.length > 0 && !(0 in rows)) rows.splice(0, Number(Object.keys(rows)[0]));
  return rows;
}
