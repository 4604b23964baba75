import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import type { ScanRow } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { run } from '../statements.ts';
import { candidates } from './comparable.ts';
import { findingIdsOfScan } from './scans.ts';

/**
 * Counts the findings of some sources that the latest comparable scan (`comparable.ts`) reported and this one did not. The caller
 * knows the sources, so a scan that reported nothing at all is comparable too.
 * @param sources at least one; undefined for all
 */
export async function countGone(
  db: Db,
  tables: OrgTables,
  scan: ScanRow,
  sources: readonly string[] | undefined,
): Promise<{ against: string | null; gone: number }> {
  const { findings, scans, sightings } = tables;
  const idsOf = (id: SQL) => sql`(
    select f.id, f.source from ${findings} f where f.scan_id = ${id} union all
    select f.id, f.source from ${sightings} s join ${findings} f on f.id = s.finding_id where s.scan_id = ${id})`;
  const isWanted = sources
    ? sql`reported.source in (${sql.join(
        sources.map((source) => sql`${source}`),
        sql`, `,
      )})`
    : sql`true`;
  const [row] = await run<{ against: string; gone: number }>(
    db,
    sql`
    with own as materialized (select * from ${scans} where scan_id = ${scan.scan_id}), ${candidates(tables)}, against as (
      select c.scan_id from candidates c
      where c.scan_id <> ${scan.scan_id} and (
        exists (select from ${idsOf(sql`c.scan_id`)} reported where ${isWanted})
        or not exists (select from ${idsOf(sql`c.scan_id`)} reported))
      order by c.created_at desc, c.scan_id desc limit 1
    )
    select against.scan_id as against, (
      select count(*)::int from ${idsOf(sql`against.scan_id`)} reported
      where ${isWanted}
        and reported.id not in (${findingIdsOfScan(db, tables, scan.scan_id)})
    ) as gone from against`,
  );
  return row ?? { against: null, gone: 0 };
}
