import type { Database } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import type { Sql } from '../../db/pool/query.ts';
import {
  beginImport,
  endImport,
  expireImports,
  LEASE_MS,
  type ReportImport,
  renewImports,
  takeExpired,
} from '../../db/scans/imports.ts';
import { finishScan } from '../../db/scans/scans.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { KnownOrgs } from '../orgs/directory.ts';

/** Tells other processes that this one imports a report. */
export interface ReportLease {
  /** @throws ApiError `resource_error/conflict` if another process has ended the import, because this one did not renew its lease in time */
  requireHeld(): void;
  /** Ends the import, after its scan has ended. */
  end(): Promise<void>;
  /** Leaves the end of the scan to the housekeeping. */
  abandon(): void;
}

export interface ReportLeases {
  /** Takes a lease and renews it until it ends. */
  begin(orgId: string, scanId: string): Promise<ReportLease>;
  /** Gives up all leases when the process stops, so that another one fails their scans at once. */
  stop(): Promise<void>;
}

export const endedMeanwhile = (): ApiError =>
  new ApiError('resource_error/conflict', { message: 'The scan was ended while its report was imported.' });

const RENEW_MS = LEASE_MS / 4;

export function createReportLeases({
  sql,
  nextId,
  log,
}: {
  sql: Sql;
  nextId: () => NewId;
  log: Logger;
}): ReportLeases {
  /** By id: whether the lease was lost. */
  const held = new Map<string, { isLost: boolean }>();
  let timer: ReturnType<typeof setInterval> | undefined;

  async function renew(): Promise<void> {
    const leases = [...held];
    const renewed = await renewImports(
      sql,
      leases.map(([id]) => id),
    );
    for (const [id, lease] of leases) lease.isLost ||= !renewed.has(id);
  }

  function forget(id: string): void {
    held.delete(id);
    if (held.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async begin(orgId, scanId) {
      const { id } = nextId();
      await beginImport(sql, { id, orgId, scanId });
      const lease = { isLost: false };
      held.set(id, lease);
      timer ??= setInterval(
        () => void renew().catch((error) => log.warn('leases of imports were not renewed', { error })),
        RENEW_MS,
      );
      return {
        requireHeld() {
          if (lease.isLost) throw endedMeanwhile();
        },
        async end() {
          forget(id);
          // If this fails, the housekeeping finds that the scan has ended.
          await endImport(sql, id).catch((error) =>
            log.warn('the lease of an import was not ended', { error }),
          );
        },
        abandon: () => forget(id),
      };
    },
    async stop() {
      const ids = [...held.keys()];
      ids.forEach(forget);
      if (ids.length > 0) await expireImports(sql, ids);
    },
  };
}

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
    const outcome = await finishScan(sql, knownOrgs.tablesOf({ id: orgId }), {
      ...{ scanId, projectId: null, now: clock() },
      ...{ status: 'failed', errorMessage: REASON },
    });
    await endImport(sql, id);
    if (outcome.kind === 'ended') log.warn('an interrupted import was failed', { org: orgId, scan: scanId });
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
