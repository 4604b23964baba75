import type { Sql } from 'postgres';
import { isConnectionLost } from './errors.ts';
import { createHotTexts } from './hot.ts';
import { createTurns, type Turns } from './turns.ts';

/**
 * A connection forgets nothing it has prepared (some 100 KB of PostgreSQL's memory each) until it is renewed: it has seen
 * the hot statements of two periods then, at the most.
 */
const MAX_HOT_STATEMENTS = 300;
/** How long a connection lives. */
export const CONNECTION_LIFETIME_S = 30 * 60;

/**
 * A postgres.js client with what it lacks:
 *
 * - Statements that come often are prepared, which makes one round trip of two and saves planning; others are not,
 *   because a connection keeps what it has prepared, for every organization anew.
 * - A query is sent when a connection is free. postgres.js would put it behind one that may take long, or wait for a lock.
 * - Whoever loses the connection of a transaction is told, and nothing else happens.
 */
export interface Pool {
  sql: Sql;
  withConnection: WithConnection;
  /** Connections in use. */
  inUse(): number;
}

export function createPool(client: Sql, max: number): Pool {
  const turns = createTurns(max);
  const isHot = createHotTexts({ max: MAX_HOT_STATEMENTS, periodMs: CONNECTION_LIFETIME_S * 1000 });
  const preparing = (unsafe: Sql['unsafe']) =>
    ((text, parameters, options) =>
      withoutGaps(unsafe(text, parameters, { ...options, prepare: isHot(text) }))) as Sql['unsafe'];
  const begin = (run: (tx: never) => Promise<unknown>) => transact(client, preparing, run);
  function withConnection<T>(use: (sql: Sql) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      turns.enter((leave) => {
        use(direct).finally(leave).then(resolve, reject);
      });
    });
  }
  const direct = replacing(client, { unsafe: preparing(client.unsafe), begin });
  const sql = replacing(client, {
    unsafe: preparing((...args) => takingTurns(client.unsafe(...args), turns)),
    begin: (run: (tx: never) => Promise<unknown>) => withConnection(() => begin(run)),
  });
  return { sql, withConnection, inUse: turns.inside };
}

/** Calls `use` when a connection is free, with a client whose queries need not wait: one at a time. */
export type WithConnection = <T>(use: (sql: Sql) => Promise<T>) => Promise<T>;

/** Who takes longer waits for something, such as a lock, and leaves its place in a share to others. */
const LONG_MS = 1_000;

/** A share of the connections, `max` at the most, for what comes in floods: the others are there for all else. */
export function createShare(withConnection: WithConnection, max: number): WithConnection {
  const turns = createTurns(max);
  return (use) =>
    new Promise((resolve, reject) => {
      turns.enter((leave) => {
        const long = setTimeout(leave, LONG_MS);
        const done = () => {
          clearTimeout(long);
          leave();
        };
        withConnection(use).finally(done).then(resolve, reject);
      });
    });
}

function replacing<Target extends object>(target: Target, methods: Record<string | symbol, unknown>): Target {
  return new Proxy(target, { get: (_, key) => methods[key] ?? target[key as keyof Target] });
}

type Settle = (value: never) => void;

/** A query that goes to the client when it is its turn. */
function takingTurns<Query extends object>(query: Query, turns: Turns): Query {
  const inner = query as unknown as { handler: (q: unknown) => unknown; resolve: Settle; reject: Settle };
  const { handler, resolve, reject } = inner;
  let leave = () => {};
  const settle = (how: Settle) => (value: never) => {
    how(value);
    // Not before the driver is done: on a connection that is closing, it would send the next query nowhere and throw.
    queueMicrotask(leave);
  };
  inner.handler = (q) =>
    turns.enter((done) => {
      leave = done;
      handler(q);
    });
  inner.resolve = settle(resolve);
  inner.reject = settle(reject);
  // A cursor answers by other ways than these, and so would never leave.
  return Object.assign(query, { cursor: onlyInTransactions, cancel: onlyInTransactions });
}

function onlyInTransactions(): never {
  throw new Error('only in a transaction');
}

/**
 * A query whose rows begin at 0. postgres.js goes on counting where a query broke off after its first rows: those of the
 * next on that connection, or in its place, would stand behind so many empty ones.
 */
function withoutGaps<Query extends object>(query: Query): Query {
  const inner = query as unknown as { resolve: (rows: unknown[]) => void };
  const { resolve } = inner;
  inner.resolve = (rows) => {
    if (rows.length > 0 && !(0 in rows)) rows.splice(0, Number(Object.keys(rows)[0]));
    resolve(rows);
  };
  return query;
}

async function transact(
  client: Sql,
  preparing: (unsafe: Sql['unsafe']) => Sql['unsafe'],
  run: (tx: never) => Promise<unknown>,
): Promise<unknown> {
  let refused = false;
  const transaction = client.begin(async (tx) => {
    let lost = false;
    let over = false;
    const unsafe = preparing((...args) => {
      // One of several that were started together has failed: what its siblings still send would come after the rollback.
      if (over) throw new Error('the transaction is over');
      if (refused) throw Object.assign(new Error('connection lost'), { code: 'CONNECTION_CLOSED' });
      return onReject(tx.unsafe(...args), (error) => {
        lost ||= isConnectionLost(error);
      });
    });
    const [outcome] = await Promise.allSettled([run(replacing(tx, { unsafe }) as never)]);
    over = true;
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
