import type { NewId } from '../../db/ids.ts';
import type { Sql } from '../../db/pool/query.ts';
import { readEndedParts } from '../../db/scans/missing.ts';
import { type EndOutcome, finishScan, readAfterScan, type ScanEnd } from '../../db/scans/scans.ts';
import { removeEnded, settle } from '../../db/scans/series.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { closeMissing } from '../findings/triage/close-missing.ts';
import type { Logger } from '../logger.ts';

interface Context {
  log: Logger;
  nextId: () => NewId;
  sql: Sql;
  org: { id: string; tables: OrgTables };
  now: Date;
}

/** Ends a scan, and closes what several scans in a row did not report. */
export async function endScan(services: Omit<Context, 'now'>, scan: ScanEnd): Promise<EndOutcome> {
  const context = { ...services, now: scan.now };
  const { org, sql } = context;
  const outcome = await finishScan(sql, org.tables, scan);
  if (outcome.kind === 'missing' || !outcome.after) return outcome;
  let { closable, unsettled } = outcome.after;
  if (unsettled.length > 0) {
    await settleSeries(context, unsettled);
    ({ closable, unsettled } = await readAfterScan(sql, org.tables, scan));
  }
  // Otherwise it is not known where the findings are present.
  if (unsettled.length === 0) await closeMissing({ ...context, scanId: scan.scanId }, closable);
  return outcome;
}

/** The rest is done after the next scan, so that an agent or a user does not wait long. */
const SETTLING_MS = 10_000;

/**
 * Derives the state of the findings of series whose ref has become tracked, or no longer is, or whose last scan was removed. The
 * latter are removed, after the findings that no other series has are closed. After an error or a long time, the end of
 * the next scan of the project continues.
 */
export async function settleSeries(context: Context, ids: readonly string[]): Promise<void> {
  const { log, sql, org, now } = context;
  const since = performance.now();
  try {
    for (const id of ids) {
      if (performance.now() - since > SETTLING_MS) return;
      await settle(sql, org.tables, id, now);
      const parts = await readEndedParts(sql, org.tables, id);
      if (await closeMissing(context, parts, 'All scans of its target were removed.'))
        await removeEnded(sql, org.tables, id);
    }
  } catch (error) {
    log.error('the state of findings was not derived', { org: org.id, error });
  }
}
