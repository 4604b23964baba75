import { eq, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './client.ts';
import { rankIn } from './columns.ts';
import { type OrgTables, SEVERITIES, type SeverityCounts } from './org.ts';

/** The ids of a scan's findings, each once: those it reported first, and those it saw again. */
export function findingIdsOfScan(db: Db | Tx, { findings, sightings }: OrgTables, scanId: string) {
  return unionAll(
    db.select({ id: findings.id }).from(findings).where(eq(findings.scanId, scanId)),
    db.select({ id: sightings.findingId }).from(sightings).where(eq(sightings.scanId, scanId)),
  );
}

/** Counts findings by severity. */
export async function countBySeverity(
  db: Db | Tx,
  { findings }: OrgTables,
  where?: SQL,
): Promise<SeverityCounts> {
  const rows = await db
    .select({ severity: findings.severity, count: sql<number>`count(*)::int` })
    .from(findings)
    .where(where)
    .groupBy(findings.severity);
  const counts: SeverityCounts = { total: 0, critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity, count } of rows) {
    counts[severity] = count;
    counts.total += count;
  }
  return counts;
}

/** The summary of a scan's findings as they are now. */
export function summarize(db: Db | Tx, tables: OrgTables, scanId: string): Promise<SeverityCounts> {
  return countBySeverity(db, tables, sql`${tables.findings.id} in (${findingIdsOfScan(db, tables, scanId)})`);
}

/** Makes an ended scan's summary anew; a scan that still runs is left alone. */
export async function refreshSummary(db: Db, tables: OrgTables, scanId: string): Promise<void> {
  const { scans } = tables;
  await db.transaction(async (tx) => {
    // Locked first: whoever counts last has seen everything that was committed before.
    const [scan] = await tx
      .select({ status: scans.status })
      .from(scans)
      .where(eq(scans.scanId, scanId))
      .for('no key update');
    if (!scan || scan.status === 'running') return;
    await tx
      .update(scans)
      .set({ summary: await summarize(tx, tables, scanId) })
      .where(eq(scans.scanId, scanId));
  });
}

/** Keeps the order of `SEVERITIES` in queries: 1 is critical, 5 is info. */
export const severityRank = (column: OrgTables['findings']['severity']): SQL<number> =>
  rankIn(SEVERITIES, column);
