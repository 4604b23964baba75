import type { Database } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import type { Sql } from '../../db/pool/query.ts';
import {
  FIRST_SCAN,
  readExpired,
  readExpiredScans,
  removeExpired,
  removeScanBatch,
  type ScanPosition,
} from '../../db/retention/expire.ts';
import {
  endRetention,
  LEASE_MS,
  noteRetention,
  type RetentionRun,
  releaseRetention,
  takeRetention,
} from '../../db/retention/settings.ts';
import { endedSeries } from '../../db/scans/series.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { Logger } from '../logger.ts';
import type { KnownOrgs } from '../orgs/directory.ts';
import { settleSeries } from '../scans/end.ts';
import { logOperatorEvent } from '../security-events.ts';
import { expiredBefore } from './settings.ts';

interface ExpiryServices {
  clock: () => Date;
  database: Database;
  log: Logger;
  nextId: () => NewId;
}

/** After this time, the next organization gets a turn. */
const TURN_MS = LEASE_MS / 6;
/** The pause after a batch, as a multiple of its time. */
const PAUSE = 9;
const RETRY_MS = 10 * 60_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Removes what has expired by the retention of organizations, one after another in turns. */
export async function removeAllExpired(
  services: ExpiryServices & { knownOrgs: KnownOrgs; orgMigrations: readonly Migration[] },
): Promise<void> {
  const { database, knownOrgs, log, orgMigrations } = services;
  for (;;) {
    const taken = await takeRetention(database.sql, orgMigrations.length);
    if (!taken) return;
    const tables = knownOrgs.tablesOf({ id: taken.org_id });
    await takeTurn({ ...services, tables }, taken, TURN_MS).catch(async (error) => {
      log.error('expired findings and scans are not removed yet', { org: taken.slug, error });
      await releaseRetention(database.sql, taken, taken.position, RETRY_MS);
    });
  }
}

export interface Removed {
  findings: number;
  scans: number;
}

/**
 * Removes what has expired in one organization until nothing is left or the time is over. After each batch it pauses nine times
 * as long as the batch took, so that nine tenths of the time are left to others.
 * @returns what was removed in this turn, and the position of the next one; undefined if nothing is left
 */
export async function takeTurn(
  { database: { sql }, tables, log, clock, nextId }: ExpiryServices & { tables: OrgTables },
  taken: RetentionRun,
  turnMs: number,
): Promise<Removed & { next: string | undefined }> {
  const before = expiredBefore(taken, clock());
  const pace = createPace(turnMs);
  const removed = { findings: 0, scans: 0 };
  const work = { sql, tables, taken, pace, removed };
  const context = { sql, log, nextId, org: { id: taken.org_id, tables } };
  const scansEnded =
    before.scans === undefined ||
    ((await expireScans(work, before.scans)) && (await removeSeries(context, pace, clock)));
  const last = scansEnded && before.findings ? await expireFindings(work, before.findings) : taken.position;
  const isComplete = scansEnded && (before.findings === undefined || last === null);
  await (isComplete ? endRetention(sql, taken) : releaseRetention(sql, taken, last));
  if (removed.findings + removed.scans > 0)
    logOperatorEvent(log, 'retention_applied', { org: taken.slug, ...removed });
  return { ...removed, next: isComplete ? undefined : (last ?? FIRST_PAGE) };
}

interface Work {
  sql: Sql;
  tables: OrgTables;
  taken: RetentionRun;
  pace: Pace;
  removed: Removed;
}

/** @returns whether no expired scan is left */
async function expireScans({ sql, tables, pace, removed }: Work, before: Date): Promise<boolean> {
  for (let position: ScanPosition | null = FIRST_SCAN; position; ) {
    // Without a pause: a turn that ended among scans that stay would begin with them again.
    const { expired, next } = await readExpiredScans(sql, tables, position, before);
    for (const id of expired) {
      while (await pace.batch(() => removeScanBatch(sql, tables, id))) if (pace.isOver()) return false;
      removed.scans++;
      if (pace.isOver()) return false;
    }
    position = next;
  }
  return true;
}

/** Removes series that have lost their last scan. @returns whether the time was enough */
async function removeSeries(
  context: Omit<Parameters<typeof settleSeries>[0], 'now'>,
  pace: Pace,
  clock: () => Date,
): Promise<boolean> {
  for (const id of await endedSeries(context.sql, context.org.tables)) {
    if (pace.isOver()) return false;
    await pace.batch(() => settleSeries({ ...context, now: clock() }, [id]));
  }
  return true;
}

/** @returns the position to go on from; null if all findings were looked at */
async function expireFindings(
  { sql, tables, taken, pace, removed }: Work,
  before: Date,
): Promise<string | null> {
  let { position } = taken;
  for (;;) {
    const { last, batches } = await pace.batch(() => readExpired(sql, tables, position, before));
    for (const ids of batches) {
      removed.findings += await pace.batch(() => removeExpired(sql, tables, ids, before));
      // The position before this page: it is read again.
      if (pace.isOver()) return position ?? FIRST_PAGE;
    }
    if (last === null) return null;
    position = last;
    if (pace.isOver()) return position;
    if (batches.length > 0) await noteRetention(sql, taken, position);
  }
}

/** Stands for the start of the table in a run that has begun. */
const FIRST_PAGE = '00000000-0000-0000-0000-000000000000';

type Pace = ReturnType<typeof createPace>;

function createPace(turnMs: number) {
  const end = performance.now() + turnMs;
  return {
    isOver: () => performance.now() > end,
    async batch<T>(work: () => Promise<T>): Promise<T> {
      const start = performance.now();
      const result = await work();
      await sleep(Math.min(PAUSE * (performance.now() - start), 1_000));
      return result;
    },
  };
}
