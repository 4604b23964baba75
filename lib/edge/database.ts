import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import type { Database, DatabaseClient, PoolGauges } from '../../db/client.ts';
import { sqlState } from '../../db/errors.ts';
import { sendTo } from '../../db/pool/driver.ts';
import { type Begin, createSqlClient, liftsTimeout, lost, type Send } from '../../db/pool/query.ts';

/** workerd allows a request six outgoing connections. The others are for mails and events. */
export const CONNECTIONS = 3;

/** The destinations that a request sends events to at the same time. */
export const DESTINATIONS = 2;

const CONNECT_TIMEOUT_S = 5;
/** The timeout of a statement, unless its transaction sets `statement_timeout` to 0. */
const ANSWER_MS = 30_000;
const CLOSE_MS = 5_000;

/** The activity of all databases of an isolate. */
export interface Activity {
  /** Queries and transactions in progress. */
  inUse: number;
}

/** `max` is infinite because Hyperdrive limits the connections. */
export const gaugesOf = ({ inUse }: Activity): PoolGauges => ({
  ...{ open: inUse, inUse, idle: 0, waiting: 0 },
  max: Number.POSITIVE_INFINITY,
});

/** Adds a code to connection errors, which have none on workerd. */
const named = (error: unknown) => (sqlState(error) ? error : lost(error));

/** The database of one request. */
export interface RequestDatabase extends Database {
  /** Resolves when no query or transaction is in progress. A list is in progress until it is read. */
  idle(): Promise<void>;
}

/**
 * Opens a database for one request, because workerd lets no other request use its sockets. The connections go through
 * Hyperdrive, which shares sessions, so prepared statements and session settings are not used.
 */
export function openDatabase(url: string, activity: Activity): RequestDatabase {
  const client = postgres(url, {
    max: CONNECTIONS,
    connect_timeout: CONNECT_TIMEOUT_S,
    max_lifetime: null,
    prepare: false,
    // Saves a round trip per connection. Only JavaScript arrays as parameters would need the types.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'svc-findings' },
  });
  let inUse = 0;
  let onIdle = () => {};

  /** Counts a query or transaction. @returns a function to call when it ends */
  function began(): () => void {
    inUse++;
    activity.inUse++;
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      activity.inUse--;
      if (--inUse === 0) onIdle();
    };
  }

  /** Sends statements through `target`, each with a time limit by default. */
  function sender(target: Pick<Sql, 'unsafe'>, isLimited = true): Send {
    return async (statement) => {
      if (liftsTimeout(statement.text)) isLimited = false;
      const late = isLimited ? setTimeout(() => client.end({ timeout: 0 }), ANSWER_MS) : undefined;
      try {
        return await sendTo(target, statement);
      } catch (error) {
        throw named(error);
      } finally {
        clearTimeout(late);
      }
    };
  }

  const begin: Begin = async (run) => {
    const ended = began();
    let failure: { error: unknown } | undefined;
    try {
      return await client.begin(async (tx) => {
        try {
          return await run(createSqlClient(client.options, sender(tx)));
        } catch (error) {
          failure = { error };
          throw error;
        }
      });
    } catch (error) {
      throw failure ? failure.error : named(error);
    } finally {
      ended();
    }
  };

  const sendBy =
    (isLimited: boolean): Send =>
    async (statement) => {
      const ended = began();
      return sender(client, isLimited)(statement).finally(ended);
    };
  const send = sendBy(true);
  const sql = createSqlClient(client.options, send, begin);
  const own: DatabaseClient = { db: drizzle(sql as never), sql, withConnection: (use) => use(sql) };
  return {
    ...own,
    // All connections belong to one request, and so to one organization.
    of: () => own,
    unlimited: (use) => use(createSqlClient(client.options, sendBy(false), begin)),
    pool: () => gaugesOf({ inUse }),
    // A request ends with its own time limit.
    waitingOrgs: () => [],
    breakOff() {},
    async ping(timeoutMs) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(lost()), timeoutMs);
      });
      await Promise.race([sql.unsafe('select 1'), late]).finally(() => clearTimeout(timer));
    },
    async idle() {
      while (inUse > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve;
        });
      }
    },
    close: (timeoutMs = CLOSE_MS) => client.end({ timeout: timeoutMs / 1000 }),
  };
}
