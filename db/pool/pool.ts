import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { sqlState } from '../errors.ts';
import { asQuery, type DriverQuery, replacing } from './driver.ts';
import { createHotTexts } from './hot.ts';
import { createLease } from './lease.ts';
import { createSemaphore, PATIENCE_MS } from './semaphore.ts';
import { CONNECTION_LIFETIME_MS, createSlot, type Slot } from './slot.ts';
import { createWatch } from './watch.ts';

/**
 * Connections, and a client over them that looks like postgres.js and does what it does not:
 *
 * - Statements that come often are prepared, which makes one round trip of two and saves planning; others are not,
 *   because a connection keeps what it has prepared, for every organization anew.
 * - A query is sent when a connection is free. postgres.js would put it behind one that may take long, or wait for a lock.
 * - Nothing waits for ever: neither for a connection, nor for an answer; and while the database does not answer anybody,
 *   nothing waits at all.
 */
export interface Pool extends Client {
  /**
   * The same pool for the work of one organization, which has a share of the connections: what is over it waits for the
   * organization's own work. Waiting organizations are served round-robin.
   */
  of(orgId: string): Client;
  /** Connections that are open, and in use. */
  open(): number;
  inUse(): number;
  /** Queries that wait for one. */
  waiting(): number;
  /** Resolves when the database answers; rejects after `timeoutMs` at the latest. */
  ping(timeoutMs: number): Promise<void>;
  /** Lets what is under way finish, for `timeoutMs` at the most, and closes all connections. */
  close(timeoutMs: number): Promise<void>;
}

/** What queries are sent by. */
export interface Client {
  sql: Sql;
  withConnection: WithConnection;
}

export interface PoolOptions {
  /** Of one connection, which is never opened: its options hold for all of the pool. */
  driver: Sql;
  /** Connections at the most; there is one more to ask whether the database answers. */
  max: number;
  /** No statement takes longer, unless its transaction sets `statement_timeout` to 0; 0: no limit. */
  statementMs: number;
  /** How long a query waits for a connection. */
  patienceMs?: number | undefined;
  /** Called once, when connections turn out to lead through a pooler. */
  onPooler?: (() => void) | undefined;
}

/**
 * Calls `use` when a connection is free, with a client whose queries need not wait: one at a time.
 * @param org whose share of the connections it comes out of; unset: nobody's
 */
export type WithConnection = <T>(use: (sql: Sql) => Promise<T>, org?: { id: string }) => Promise<T>;

/**
 * A connection forgets nothing it has prepared (some 100 KB of PostgreSQL's memory each) until it is renewed: it has seen
 * the hot statements of two periods then, at the most.
 */
const MAX_HOT_STATEMENTS = 300;
/** PostgreSQL has so much more time to end a statement itself, which keeps the connection. */
const GRACE_MS = 5_000;
/** Who waits for so long while nobody is answered has the database asked whether it is there. */
const SUSPICIOUS_MS = 1_000;
const LOOK_MS = 500;
/** A place that got no connection because PostgreSQL has none left tries again after this. */
const FULL_MS = 1_000;
const IDLE_MS = 10 * 60 * 1000;

/**
 * Of so many connections one organization may use so many: two are left to others, where there are enough. With two or one
 * an organization that reads a whole list must still be able to do something else, and round-robin service has to be enough.
 */
const orgShareOf = (max: number): number => (max <= 2 ? max : Math.max(2, max - 2));

/** PostgreSQL has no connection left: in all, for this role, in this database. */
const TOO_MANY_CONNECTIONS = '53300';

type Refuse = (error: Error) => void;
type Take = (slot: Slot, leave: () => void) => void;

export function createPool(options: PoolOptions): Pool {
  const { driver, max, statementMs, patienceMs = PATIENCE_MS, onPooler = () => {} } = options;
  const isHot = createHotTexts({ max: MAX_HOT_STATEMENTS, periodMs: CONNECTION_LIFETIME_MS });
  let answeredAt = 0;
  const onAnswer = () => {
    answeredAt = performance.now();
  };
  let isPooled = false;
  const hosts = { at: 0 };
  const newSlot = () =>
    createSlot({
      ...{ driver, hosts, isHot, onAnswer },
      onPooler() {
        if (!isPooled) onPooler();
        isPooled = true;
      },
    });
  const slots = Array.from({ length: max }, newSlot);
  const free = [...slots];
  const semaphore = createSemaphore(free, { patienceMs, perKey: orgShareOf(max) });
  const watch = createWatch({
    slot: newSlot(),
    askPool: () => taking(asQuery(driver.unsafe('select 1')), take),
    answeredAt: () => answeredAt,
    isPooled: () => isPooled,
    hasConnections: () => slots.some((slot) => slot.isOpen()),
    onDown(error, isSilent) {
      semaphore.refuseAll(error);
      // What has all the time it likes goes on when the database does.
      if (isSilent) for (const slot of slots) if (!slot.isUnlimited()) slot.kill(error);
    },
  });
  const opening = new Set<Promise<void>>();
  let closed: Error | undefined;
  let looking: ReturnType<typeof setTimeout> | undefined;
  let lookAt = 0;
  let sweeping: ReturnType<typeof setTimeout> | undefined;

  /** @returns false when PostgreSQL has no connection left for it, but has given us others */
  async function open(slot: Slot): Promise<boolean> {
    const opened = slot.open();
    opening.add(opened);
    try {
      await opened;
      return true;
    } catch (error) {
      if (sqlState(error) !== TOO_MANY_CONNECTIONS) throw error;
      opening.delete(opened);
      await Promise.allSettled(opening);
      if (!slots.some((other) => other.isOpen())) throw error;
      return false;
    } finally {
      opening.delete(opened);
    }
  }

  /** Gives a slot that is open to `begin`. */
  function take(begin: Take, refuse: Refuse, key?: string, since?: number): void {
    if (closed) {
      refuse(closed);
      return;
    }
    lookLater();
    const came = since ?? performance.now();
    semaphore.enter(
      (slot, leave, disown) => {
        const done = () => {
          slot.rest();
          leave();
          sweepLater();
        };
        if (slot.isOpen()) {
          begin(slot, done);
          return;
        }
        open(slot).then(
          (isOpen) => {
            if (isOpen) {
              begin(slot, done);
              return;
            }
            // Fewer connections are slower; that is all.
            disown();
            setTimeout(leave, FULL_MS);
            take(begin, refuse, key, came);
          },
          (error) => {
            leave();
            refuse(error);
          },
        );
      },
      refuse,
      { key, since },
    );
  }

  function takeUnlessDown(begin: Take, refuse: Refuse, key?: string): void {
    const down = watch.down();
    // Whoever tries again at once must not keep the answer from being read that ends this.
    if (down) setImmediate(refuse, down);
    else take(begin, refuse, key);
  }

  function lookLater(): void {
    if (looking) return;
    lookAt = performance.now() + LOOK_MS;
    looking = setTimeout(look, LOOK_MS);
  }

  function look(): void {
    looking = undefined;
    if (semaphore.inside() === 0) return;
    const isLate = performance.now() - lookAt > LOOK_MS;
    lookLater();
    // Answers may have come while this process stood still, and are read first.
    if (isLate) return;
    const waits = slots.map((slot) => slot.waits());
    const longest = Math.max(...waits);
    if (longest > SUSPICIOUS_MS && performance.now() - answeredAt > SUSPICIOUS_MS) watch.suspect();
    const limit = statementMs + GRACE_MS;
    slots.forEach((slot, i) => {
      if (statementMs === 0 || (waits[i] ?? 0) <= limit || slot.isUnlimited()) return;
      slot.kill(Object.assign(new Error(`no answer within ${limit} ms`), { code: 'ETIMEDOUT' }));
    });
  }

  function sweepLater(): void {
    if (sweeping) return;
    sweeping = setTimeout(sweep, IDLE_MS);
    sweeping.unref?.();
  }

  function sweep(): void {
    sweeping = undefined;
    for (const slot of free) if (slot.idle() >= IDLE_MS) slot.close();
    if (free.some((slot) => slot.isOpen())) sweepLater();
  }

  function lend<T>(use: (sql: Sql) => Promise<T>, key?: string): Promise<T> {
    return new Promise((resolve, reject) => {
      takeUnlessDown(
        (slot, leave) => {
          const lease = createLease(driver, slot);
          use(lease.sql)
            .finally(() => {
              lease.end();
              leave();
            })
            .then(resolve, reject);
        },
        reject,
        key,
      );
    });
  }

  async function close(timeoutMs: number): Promise<void> {
    closed ??= Object.assign(new Error('the pool is closed'), { code: 'CONNECTION_ENDED' });
    const deadline = performance.now() + timeoutMs;
    while (semaphore.inside() > 0 && performance.now() < deadline) await sleep(5);
    semaphore.refuseAll(closed);
    clearTimeout(looking);
    clearTimeout(sweeping);
    watch.close();
    if (semaphore.inside() > 0) for (const slot of slots) slot.kill(closed);
    else for (const slot of slots) slot.close();
  }

  function clientOf(key?: string): Client {
    const takeHere = (begin: Take, refuse: Refuse) => takeUnlessDown(begin, refuse, key);
    const withConnection: WithConnection = (use, org) => lend(use, org?.id ?? key);
    const unsafe = (...args: Parameters<Sql['unsafe']>) => taking(asQuery(driver.unsafe(...args)), takeHere);
    const begin = (run: (tx: never) => Promise<unknown>) => lend((sql) => sql.begin(run as never), key);
    const end = ({ timeout = 5 } = {}) => close(timeout * 1000);
    return { sql: replacing(driver, { unsafe, begin, end }), withConnection };
  }

  return {
    ...clientOf(),
    of: clientOf,
    open: () => slots.filter((slot) => slot.isOpen()).length,
    inUse: semaphore.inside,
    waiting: semaphore.waiting,
    ping: watch.ping,
    close,
  };
}

/** A query that is sent when it has been given a slot by `take`. */
function taking(query: DriverQuery, take: (begin: Take, refuse: Refuse) => void): DriverQuery {
  query.handler = () =>
    take((slot, leave) => {
      const { resolve, reject } = query;
      const settle = (how: (value: unknown) => void) => (value: unknown) => {
        how(value);
        // Not before the driver is done with it.
        queueMicrotask(leave);
      };
      query.resolve = settle(resolve);
      query.reject = settle(reject);
      slot.send(query);
    }, query.reject);
  return query;
}
