import type { DatabaseClient, Tx } from '../../db/client.ts';
import { isWorkerDown, retried } from '../../db/errors.ts';
import { keepOnCoordinator, spreadOverWorkers } from '../../db/orgs/placement.ts';
import type { EngineDetection } from '../../db/server-facts.ts';
import type { Logger } from '../logger.ts';

/**
 * Runs a transaction that creates the schema of an organization. Citus may need it more than once: it is repeated when it lost to another one, and
 * when a worker is down, then for an organization on the coordinator.
 */
export async function createInTransaction<T>(
  {
    database: { db, sql },
    engineOf,
    log,
  }: { database: Pick<DatabaseClient, 'db' | 'sql'>; engineOf: EngineDetection; log: Logger },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
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
