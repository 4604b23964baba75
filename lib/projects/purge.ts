import type { Database, DatabaseClient } from '../../db/client.ts';
import type { Sharer } from '../../db/pool/semaphore.ts';
import { endPurge, LEASE_MS, releasePurge, takePurge, takePurgeOf } from '../../db/projects/deletion.ts';
import { purgeBatch } from '../../db/projects/purge.ts';
import type { Logger } from '../logger.ts';
import type { KnownOrgs } from '../orgs/directory.ts';

interface PurgeServices {
  database: Database;
  knownOrgs: KnownOrgs;
  log: Logger;
}
type TurnServices = Omit<PurgeServices, 'database'> & { database: DatabaseClient };
type Project = { orgId: string; projectId: string };

/** After this time, the next deleted project gets a turn. */
const TURN_MS = LEASE_MS / 6;
/** How long a deletion waits for its project to be removed. Most are, so that nothing of them is left after the response. */
const IN_REQUEST_MS = 1_000;
const RETRY_MS = 60_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Removes what deleted projects had, one after another in turns. Half of the time is left to others. */
export async function purgeProjects(services: PurgeServices): Promise<void> {
  const { database, log } = services;
  for (;;) {
    const project = await takePurge(database.sql);
    if (!project) return;
    await takeTurn(services, project, TURN_MS, true).catch(async (error) => {
      log.error('a deleted project is not removed yet', { ...project, error });
      await releasePurge(database.sql, project, RETRY_MS);
    });
  }
}

/**
 * Removes a project that was deleted by a request, as far as the time of the request and the organization's share of the connections
 * allow. Never rejects.
 */
export async function purgeInRequest(services: PurgeServices, org: Sharer, projectId: string): Promise<void> {
  const database = services.database.of(org);
  const project = { orgId: org.id, projectId };
  try {
    if (await takePurgeOf(database.sql, project))
      await takeTurn({ ...services, database }, project, IN_REQUEST_MS, false);
  } catch (error) {
    services.log.warn('a deleted project is left to the periodic task', { ...project, error });
  }
}

async function takeTurn(
  { database: { sql }, knownOrgs, log }: TurnServices,
  project: Project,
  turnMs: number,
  pauses: boolean,
): Promise<void> {
  const tables = knownOrgs.tablesOf({ id: project.orgId });
  const end = performance.now() + turnMs;
  for (;;) {
    const start = performance.now();
    if (!(await purgeBatch(sql, tables, project.projectId))) {
      await endPurge(sql, project);
      log.info('a deleted project was removed', { ...project });
      return;
    }
    const now = performance.now();
    if (now > end) return await releasePurge(sql, project);
    if (pauses) await sleep(Math.min(now - start, 1_000));
  }
}
