import type { Database } from '../../db/client.ts';
import { endImport, type ReportImport, takeExpired } from '../../db/scans/imports.ts';
import { finishScan } from '../../db/scans/scans.ts';
import type { Logger } from '../logger.ts';
import type { KnownOrgs } from '../orgs/directory.ts';

const BATCH = 100;

const REASON = 'The import was interrupted: the server stopped or lost its database. Send the report again.';

/** Fails the scans of imports whose process has died. */
export async function failAbandonedImports({
  database,
  knownOrgs,
  clock,
  log,
}: {
  database: Database;
  knownOrgs: KnownOrgs;
  clock: () => Date;
  log: Logger;
}): Promise<void> {
  const { sql } = database;

  async function fail({ id, orgId, scanId }: ReportImport): Promise<void> {
    const { ended } = await finishScan(sql, knownOrgs.tablesOf({ id: orgId }), {
      ...{ scanId, projectId: null, now: clock() },
      ...{ status: 'failed', errorMessage: REASON },
    });
    await endImport(sql, id);
    if (ended) log.warn('an interrupted import was failed', { org: orgId, scan: scanId });
  }

  for (;;) {
    const expired = await takeExpired(sql, BATCH);
    for (const entry of expired)
      await fail(entry).catch((error) =>
        log.error('an interrupted import was not failed', { ...entry, error }),
      );
    if (expired.length < BATCH) return;
  }
}
