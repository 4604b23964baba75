import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/client.ts';
import { isRetryable, isWorkerDown } from '../../db/errors.ts';
import { distributeOrg, findOrgsOnCoordinator } from '../../db/orgs/placement.ts';
import { createEngineDetection } from '../../db/server-facts.ts';
import { AdminError, reasonOf } from './error.ts';
import { findOrg } from './orgs.ts';

export interface DistributedOrg {
  org_id: string;
  org: string;
  /** Why it stays on the coordinator; null if it was distributed. */
  error: string | null;
}

/** While an organization is in use, most attempts deadlock with its requests. */
const MAX_TRIES = 30;
const MAX_PAUSE_MS = 500;

/**
 * Distributes one organization whose tables are on the coordinator of Citus, or all of them, one after another. Repeats what lost to
 * requests of the organization, which wait at most while its tables are copied.
 * @throws AdminError if the database is not Citus, or the organization is not on the coordinator
 */
export async function distributeOrgs(
  database: Database,
  name: string | undefined,
  onResult: (org: DistributedOrg) => void = () => {},
): Promise<DistributedOrg[]> {
  if ((await createEngineDetection()(database.sql)) !== 'citus')
    throw new AdminError('the database is not a Citus cluster');
  const chosen = name === undefined ? undefined : await findOrg(database.db, name);
  const local = await findOrgsOnCoordinator(database.sql);
  const orgs = chosen ? local.filter(({ id }) => id === chosen.id) : local;
  if (chosen && orgs.length === 0) throw new AdminError(`${chosen.slug} has no tables on the coordinator`);
  const results: DistributedOrg[] = [];
  for (const { id, slug } of orgs) {
    const error = await distribute(database, id).then(() => null, reasonOf);
    results.push({ org_id: id, org: slug, error });
    onResult({ org_id: id, org: slug, error });
  }
  return results;
}

/** Copying a large organization takes longer than statements may. */
const distribute = (database: Database, id: string): Promise<void> =>
  database.unlimited(async (sql) => {
    for (let tries = 1; ; tries++) {
      try {
        return await distributeOrg(sql, id);
      } catch (error) {
        // The coordinator notices at the next use of a connection that a worker was restarted.
        if ((!isRetryable(error) && !isWorkerDown(error)) || tries === MAX_TRIES) throw error;
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  });
