import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '../client.ts';
import type { Transactions } from '../pool/query.ts';
import { run, type SqlClient } from '../statements.ts';
import { monitorReplica, type ReplicaState } from './monitor.ts';
import { NotCurrent, type Position, readStandby, refusalOf } from './position.ts';

/** A standby of the primary, for reads. */
export interface Replica {
  state(): ReplicaState;
  /** The longest lag with which it is used, and the longest time for which a transaction waits until it has caught up. */
  maxLagMs: number;
  /**
   * Transactions of an organization that see everything up to a position. `begin` rejects with a {@link NotCurrent} if the
   * replica does not get there in time.
   */
  at(org: { id: string }, position: Position): Transactions;
  /** Waits for work on the replica, but not after the replica was found to be down. The work itself goes on. */
  unlessDown<T>(work: Promise<T>): Promise<T>;
  close(timeoutMs?: number): Promise<void>;
}

export interface ReplicaOptions {
  url: string;
  primary: Pick<Database, 'sql'>;
  /** Transactions at a time. */
  max: number;
  maxLagMs: number;
  onChange(state: ReplicaState): void;
  onPooler?: () => void;
}

/** How long a transaction waits for one of the connections, which are enough unless abandoned work holds some. */
const ACQUIRE_MS = 1_000;
/** How long asking for its state may take, the connection included. A replica that went silent is found to be down only later. */
const ANSWER_MS = 500;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/** Opens a replica. It may be away, now and at any time. */
export function openReplica(options: ReplicaOptions): Replica {
  const { url, primary, max, maxLagMs, onChange, onPooler } = options;
  const database = openDatabase({
    // The monitor has one of its own.
    ...{ url, max: max + 1, acquireTimeoutMs: ACQUIRE_MS },
    ...(onPooler && { onPooler }),
  });
  /** Reject the work that is waited for. */
  const waiting = new Set<(error: Error) => void>();
  const monitor = monitorReplica({
    ...{ primary, replica: database },
    onChange(state) {
      if (state.problem === 'down') for (const reject of waiting) reject(new Error(state.reason));
      onChange(state);
    },
  });
  return {
    state: monitor.state,
    maxLagMs,
    at: (org, position) => ({
      begin: (use) =>
        unlessSilent((heard) =>
          database.of(org).sql.begin(async (tx) => {
            // A snapshot of an earlier statement would be older than the position.
            run(tx, sql`set transaction isolation level read committed`).catch(() => {});
            await catchUp(tx, position, maxLagMs, heard);
            heard('current');
            return await use(tx);
          }),
        ),
    }),
    async unlessDown(work) {
      let stopWaiting = () => {};
      const down = new Promise<never>((_, reject) => {
        waiting.add(reject);
        stopWaiting = () => waiting.delete(reject);
      });
      return Promise.race([work, down]).finally(stopWaiting);
    },
    async close(timeoutMs) {
      monitor.stop();
      await database.close(timeoutMs);
    },
  };
}

/**
 * Waits until the standby behind a transaction has replayed the log up to a position. Asks within the transaction, because the
 * URL may lead to several standbys.
 */
async function catchUp(
  tx: SqlClient,
  position: Position,
  maxMs: number,
  heard: (what: 'behind') => void,
): Promise<void> {
  const deadline = performance.now() + maxMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const standby = await readStandby(tx);
    const refusal = refusalOf(standby, position);
    if (refusal) throw new NotCurrent('refused', refusal);
    if (standby.lsn >= position.lsn) return;
    if (performance.now() + pause > deadline)
      throw new NotCurrent('lagging', `not current within ${maxMs} ms`);
    heard('behind');
    await sleep(pause);
  }
}

/** Rejects when the replica is not heard of for `ANSWER_MS`, until it is current. `heard` throws then. */
function unlessSilent<T>(work: (heard: (what: 'behind' | 'current') => void) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const wait = () =>
      setTimeout(() => {
        isLate = true;
        reject(new Error(`the replica did not answer within ${ANSWER_MS} ms`));
      }, ANSWER_MS);
    let timer = wait();
    work((what) => {
      if (isLate) throw new Error('too late');
      clearTimeout(timer);
      if (what === 'behind') timer = wait();
    })
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
