import type { Database, DatabaseClient } from '../../db/client.ts';
import {
  type DeletionJob,
  endIdleJob,
  endJob,
  LEASE_MS,
  releaseJob,
  takeJob,
  takeJobOf,
} from '../../db/deletions/jobs.ts';
import { endState, type LockedDeletion, moveBatch } from '../../db/deletions/move.ts';
import { purgeDeletionBatch } from '../../db/deletions/purge.ts';
import { BeingTransferred, restoreBatch } from '../../db/deletions/restore.ts';
import { isMissingTable } from '../../db/errors.ts';
import type { NewId } from '../../db/ids.ts';
import type { Sql } from '../../db/pool/query.ts';
import type { Sharer } from '../../db/pool/semaphore.ts';
import { refreshSummary } from '../../db/scans/scans.ts';
import { endedSeries } from '../../db/scans/series.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { Logger } from '../logger.ts';
import type { KnownOrgs } from '../orgs/directory.ts';
import { settleSeries } from '../scans/end.ts';

interface DeletionServices {
  clock: () => Date;
  database: Database;
  knownOrgs: KnownOrgs;
  log: Logger;
  nextId: () => NewId;
}
type TurnServices = Omit<DeletionServices, 'database'> & { database: DatabaseClient };

/** After this time, the next deletion gets a turn. */
const TURN_MS = LEASE_MS / 6;
/** How long a request waits for its deletion to be complete. */
const IN_REQUEST_MS = 1_000;
const RETRY_MS = 60_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Goes on with deletions, one after another in turns. Half of the time is left to others. */
export async function runDeletions(services: DeletionServices): Promise<void> {
  const { database, log } = services;
  for (;;) {
    const job = await takeJob(database.sql);
    if (!job) return;
    await takeTurn(services, job, TURN_MS, true).catch(async (error) => {
      // The schema of a purged organization is gone; its notes go with its row.
      if (!isMissingTable(error) && !(error instanceof BeingTransferred))
        log.error('a deletion is not complete yet', { ...job, error });
      await releaseJob(database.sql, job, RETRY_MS);
    });
  }
}

/**
 * Goes on with a deletion that a request has noted, as far as the time of the request and the organization's share of the connections
 * allow. Never rejects.
 */
export async function runInRequest(
  services: DeletionServices,
  org: Sharer,
  deletionId: string,
): Promise<void> {
  const database = services.database.of(org);
  const job = { orgId: org.id, deletionId };
  try {
    if (await takeJobOf(database.sql, job))
      await takeTurn({ ...services, database }, job, IN_REQUEST_MS, false);
  } catch (error) {
    services.log.warn('a deletion is left to the periodic task', { ...job, error });
  }
}

async function takeTurn(
  services: TurnServices,
  job: DeletionJob,
  turnMs: number,
  pauses: boolean,
): Promise<void> {
  const { sql } = services.database;
  const tables = services.knownOrgs.tablesOf({ id: job.orgId });
  const end = performance.now() + turnMs;
  for (;;) {
    const start = performance.now();
    if (!(await takeStep(services, tables, job))) return;
    const now = performance.now();
    if (now > end) return await releaseJob(sql, job);
    if (pauses) await sleep(Math.min(now - start, 1_000));
  }
}

/** Does what the state of a deletion asks for. @returns whether there may be more */
async function takeStep(
  services: TurnServices,
  tables: OrgTables,
  { orgId, deletionId: id }: DeletionJob,
): Promise<boolean> {
  const { sql } = services.database;
  const org = { id: orgId, tables };
  const moved = await moveBatch(sql, tables, id);
  if (moved.kind === 'next') return true;
  if (moved.kind === 'last') {
    await settle(services, org, moved, true);
    return await finish(sql, org, { id, from: 'deleting', to: 'deleted' });
  }
  const restored = await restoreBatch(sql, org, id, services.clock());
  if (restored.kind === 'next') return true;
  if (restored.kind === 'last') {
    if (restored.scan_id !== null) await refreshSummary(sql, tables, restored.scan_id);
    await settle(services, org, restored, false);
    return await finish(sql, org, { id, from: 'restoring', to: 'restored' });
  }
  if (await purgeDeletionBatch(sql, tables, id)) return true;
  await endIdleJob(sql, tables, { orgId, deletionId: id });
  return false;
}

interface Org {
  id: string;
  tables: OrgTables;
}

/** @returns whether the deletion has got another state meanwhile */
const finish = (sql: Sql, org: Org, change: Parameters<typeof endState>[2]): Promise<boolean> =>
  sql.begin(async (tx) => {
    if (!(await endState(tx, org.tables, change))) return true;
    await endJob(tx, { orgId: org.id, deletionId: change.id });
    return false;
  });

/** Derives the state of the findings of the scan's series: after a deletion, if it was its last scan. */
async function settle(
  { clock, log, nextId, database: { sql } }: TurnServices,
  org: Org,
  { series_id }: LockedDeletion,
  ifEnded: boolean,
): Promise<void> {
  if (series_id === null) return;
  if (ifEnded && !(await endedSeries(sql, org.tables)).includes(series_id)) return;
  await settleSeries({ log, nextId, now: clock(), org, sql }, [series_id]);
}
