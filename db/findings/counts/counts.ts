import { and, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../client.ts';
import { type Projects, within } from '../../projects/reach.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { ScanStatus, Severity, SeverityCounts } from '../../schema/values.ts';

/** How many findings there are without proposed ones, from the counts that are kept: a row for each severity. */
export const findingCountsQuery = (db: Db, { findingCounts: c }: OrgTables, projects?: Projects) =>
  db
    .select({ severity: c.severity, count: sql<number>`sum(${c.count} - ${c.proposed})::int`.as('count') })
    .from(c)
    .where(within(c.projectId, projects))
    .groupBy(c.severity);

/** Adds up rows of {@link findingCountsQuery}. */
export function toSeverityCounts(rows: readonly { severity: Severity; count: number }[]): SeverityCounts {
  const counts: SeverityCounts = { total: 0, critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { severity, count } of rows) {
    counts[severity] = count;
    counts.total += count;
  }
  return counts;
}

/** Which scans; what is left out may be any. */
export interface ScanKind {
  projects?: Projects;
  statuses?: readonly ScanStatus[] | undefined;
}

/** The query behind {@link countScans}. */
export function scanCountsQuery(db: Db, { scanCounts: c }: OrgTables, { projects, statuses }: ScanKind = {}) {
  return db
    .select({
      all: sql<number>`coalesce(sum(${c.count}), 0)::int`.as('all'),
      running: sql<number>`coalesce(sum(${c.count}) filter (where ${c.status} = 'running'), 0)::int`.as(
        'running',
      ),
    })
    .from(c)
    .where(and(within(c.projectId, projects), statuses && inArray(c.status, [...statuses])));
}

/** How many scans there are, from the counts that are kept. */
export async function countScans(
  db: Db,
  tables: OrgTables,
  kind?: ScanKind,
): Promise<{ all: number; running: number }> {
  const [counted] = await scanCountsQuery(db, tables, kind);
  return counted ?? { all: 0, running: 0 };
}
