import type { NewId } from '../../db/ids.ts';
import type { Sql } from '../../db/pool/query.ts';
import { beginImport, endImport, expireImports, LEASE_MS, renewImports } from '../../db/scans/imports.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';

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
