import { eq } from 'drizzle-orm';
import type { Db } from '../client.ts';
import type { ScanRow } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { comparableScan, compareScans, storedScan } from './compare.ts';

/**
 * Counts the findings that the latest comparable scan reported and this one did not.
 * @param sources those that are compared, from agents that do not declare them. Default: those of the scan
 */
export async function countGone(
  db: Db,
  tables: OrgTables,
  scan: ScanRow,
  sources?: readonly string[],
): Promise<{ against: string | undefined; gone: number }> {
  const given = sources && (await declaresSources(db, tables, scan.scan_id)) ? undefined : sources;
  const against = (await comparableScan(db, tables, storedScan(tables, scan.scan_id), given))?.scan_id;
  const gone =
    against === undefined ? 0 : (await compareScans(db, tables, scan.scan_id, against, given)).gone;
  return { against, gone };
}

/** Whether the agent has declared the sources of a scan, which are complete then. */
async function declaresSources(db: Db, { scans }: OrgTables, scanId: string): Promise<boolean> {
  const [scan] = await db
    .select({ declared: scans.declaredSources })
    .from(scans)
    .where(eq(scans.scanId, scanId));
  return Boolean(scan?.declared);
}
