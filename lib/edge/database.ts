import { drizzle } from 'drizzle-orm/postgres-js';
import postgres, { type Sql } from 'postgres';
import type { Database, DatabaseClient, PoolGauges } from '../../db/client.ts';
import { sqlState } from '../../db/errors.ts';
import { sendTo } from '../../db/pool/driver.ts';
import { type Begin, createSqlClient, liftsTimeout, lost, type Send } from '../../db/pool/query.ts';

/** A request has six connections to anywhere at the most; the others are for mails. */
export const CONNECTIONS = 3;

const CONNECT_TIMEOUT_S = 5;
/** No statement waits longer for its answer, unless its transaction sets `statement_timeout` to 0. */
const ANSWER_MS = 30_000;
const CLOSE_MS = 5_000;

/** What all databases of an isolate are doing. */
export interface Activity {
  /** Queries and transactions under way. */
  inUse: number;
}

/** How many connections there may be is Hyperdrive's affair. */
export const gaugesOf = ({ inUse }: Activity): PoolGauges => ({
  ...{ open: inUse, inUse, idle: 0, waiting: 0 },
  max: Number.POSITIVE_INFINITY,
});

/** The error of a query; what sockets say here has no code. */
const named = (error: unknown) => (sqlState(error) ? error : lost(error));

/** A database of one request. */
export interface RequestDatabase extends Database {
  /** Resolves when nothing is under way; a list is, for as long as it is read. */
  idle(): Promise<void>;
}

/**
 * Opens a database for one request: sockets belong to the request that opened them. They lead through Hyperdrive, which keeps
 * the connections; so nothing is prepared, and nothing set for a session.
 */
export function openDatabase(url: string, activity: Activity): RequestDatabase {
  const client = postgres(url, {
    max: CONNECTIONS,
    connect_timeout: CONNECT_TIMEOUT_S,
    max_lifetime: null,
    prepare: false,
    // The only use would be JavaScript arrays as parameters: one round trip less per connection.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'svc-findings' },
  });
  let inUse = 0;
  let becomesIdle = () => {};

  /** Counts what is under way. */
  function began(): () => void {
    inUse++;
    activity.inUse++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      activity.inUse--;
      if (--inUse === 0) becomesIdle();
    };
  }

  /** Sends statements through `target`, each with a time limit. */
  function sender(target: Pick<Sql, 'unsafe'>): Send {
    let isLimited = true;
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

  const send: Send = async (statement) => {
    const ended = began();
    return sender(client)(statement).finally(ended);
  };
  const sql = createSqlClient(client.options, send, begin);
  const own: DatabaseClient = { db: drizzle(sql as never), sql, withConnection: (use) => use(sql) };
  return {
    ...own,
    // Its few connections are those of one request, and so of one organization.
    of: () => own,
    pool: () => gaugesOf({ inUse }),
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
          becomesIdle = resolve;
        });
      }
    },
    close: (timeoutMs = CLOSE_MS) => client.end({ timeout: timeoutMs / 1000 }),
  };
}
