import type { Database } from '../client.ts';
import { sqlState } from '../errors.ts';
import type { Transactions } from '../pool/query.ts';
import { NotCurrent, readPosition } from './position.ts';
import type { Replica } from './replica.ts';

/**
 * Where a read was answered. From the replica if it was `current`. From the primary because the replica was `down`, `refused` (no
 * standby of the primary), `lagging`, or `failed` during the read.
 */
export const READ_ROUTES = ['current', 'down', 'refused', 'lagging', 'failed'] as const;
export type ReadRoute = (typeof READ_ROUTES)[number];

/**
 * Expensive reads of organizations. They go to the replica if it has everything that the primary had committed when the read
 * began: nobody sees an older state than on the primary. Otherwise, and without a replica, they go to the primary.
 */
export interface Reads {
  /** @param read is called again, with the primary, when it fails on the replica */
  once<T>(org: { id: string }, read: (client: Transactions) => Promise<T>): Promise<T>;
  /** The same for batches of rows, up to the first batch. A failure behind it is the caller's. */
  stream<T>(org: { id: string }, read: (client: Transactions) => AsyncGenerator<T>): AsyncGenerator<T>;
}

export interface ReadsOptions {
  primary: Pick<Database, 'of'>;
  replica: Replica | undefined;
  /** @param error unset: the replica was not asked */
  onRouted?(route: ReadRoute, error?: unknown): void;
}

/** The statement took too long, or its client has left. On the primary it would be the same. */
const CANCELED = '57014';

export function createReads({ primary, replica, onRouted = () => {} }: ReadsOptions): Reads {
  /** Transactions on the replica; undefined if it cannot be used. */
  async function currentReplica(org: { id: string }): Promise<Transactions | undefined> {
    if (!replica) return undefined;
    const { problem, lagMs = 0 } = replica.state();
    if (problem) onRouted(problem);
    else if (lagMs > replica.maxLagMs) onRouted('lagging');
    else {
      const position = await readPosition(primary.of(org).sql).catch((error): undefined => {
        // If the primary is down, the read tells.
        onRouted('failed', error);
      });
      if (position) return replica.at(org, position);
    }
    return undefined;
  }

  /** Notes that a read failed on the replica. @throws the error if the read is not to be repeated */
  function repeat(error: unknown): void {
    if (sqlState(error) === CANCELED) throw error;
    onRouted(error instanceof NotCurrent ? error.problem : 'failed', error);
  }

  return {
    async once(org, read) {
      const current = await currentReplica(org);
      if (replica && current) {
        try {
          const result = await replica.unlessDown(read(current));
          onRouted('current');
          return result;
        } catch (error) {
          repeat(error);
        }
      }
      return read(primary.of(org).sql);
    },
    async *stream(org, read) {
      const current = await currentReplica(org);
      if (replica && current) {
        const batches = read(current);
        const first = await replica.unlessDown(batches.next()).catch(repeat);
        if (first) {
          onRouted('current');
          try {
            if (!first.done) yield first.value;
            yield* batches;
          } finally {
            await batches.return(undefined);
          }
          return;
        }
        // If it is still waited for, this ends it when the replica is back.
        batches.return(undefined as never).catch(() => {});
      }
      yield* read(primary.of(org).sql);
    },
  };
}
