import type { Tx } from '../../db/client.ts';
import { isWorkerDown, retried } from '../../db/errors.ts';
import { keepOnCoordinator, spreadOverWorkers } from '../../db/orgs/placement.ts';
import type { Services } from '../services.ts';

/**
 * Runs a transaction that creates an organization. Citus may need it more than once: it is repeated when it lost to another one, and
 * when a worker is down, then for an organization on the coordinator.
 */
export async function createInTransaction<T>(
  { database, engineOf, log }: Pick<Services, 'database' | 'engineOf' | 'log'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { db, sql } = database;
  if ((await engineOf(sql)) === 'postgres') return await db.transaction(work);
  try {
    return await retried(() =>
      db.transaction(async (tx) => {
        await spreadOverWorkers(tx);
        return await work(tx);
      }),
    );
  } catch (error) {
    if (!isWorkerDown(error)) throw error;
    log.warn('a worker of Citus is down: a new organization is on the coordinator', { error });
    return await db.transaction(async (tx) => {
      await keepOnCoordinator(tx);
      return await work(tx);
    });
  }
}
