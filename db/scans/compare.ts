import { eq, sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { type ScanRow, scanFields } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { run } from '../statements.ts';
import { candidates, sharesSource } from './comparable.ts';
import { findingIdsOfScan } from './scans.ts';

/**
 * The latest scan that is comparable to one, which may still run or have failed.
 *
 * Nobody knows which scanner made a scan without findings. It is comparable if all candidates share a source with this scan,
 * which means that one scanner made them. If this scan has no findings, its sources are those of the latest candidate with some.
 */
export async function comparableScan(db: Db, tables: OrgTables, scan: ScanRow): Promise<ScanRow | undefined> {
  const { findings, scans, sightings } = tables;
  const shares = (candidate: string) =>
    sql`exists (select from unnest(known.sources) k(source) where ${sharesSource(candidate, sql`k.source`)})`;
  const latest = sql`(
    with own as materialized (select * from ${scans} where scan_id = ${scan.scan_id}), ${candidates(tables)},
    reported as materialized (
      select coalesce(own.sources, array(
        select distinct coalesce(f.source, '') from ${findings} f where f.scan_id = own.scan_id union
        select distinct coalesce(f.source, '') from ${sightings} s join ${findings} f on f.id = s.finding_id
        where s.scan_id = own.scan_id)) as sources
      from own
    ), others as materialized (
      select c.scan_id, c.created_at, c.sources from candidates c where c.scan_id <> ${scan.scan_id}
    ), known as materialized (
      select case when reported.sources <> '{}' then reported.sources else (
        select c.sources from others c where c.sources <> '{}' order by c.created_at desc, c.scan_id desc limit 1
      ) end as sources, reported.sources = '{}' as is_empty
      from reported
    ), alone as materialized (
      select not exists (select from others c where c.sources <> '{}' and not ${shares('c')}) as is_alone from known
    )
    select c.scan_id from others c, known, alone
    where case when known.is_empty or c.sources = '{}' then alone.is_alone else ${shares('c')} end
    order by c.created_at desc, c.scan_id desc limit 1
  )`;
  const [row] = await db.select(scanFields(tables)).from(scans).where(eq(scans.scanId, latest));
  return row;
}

/** How many findings only a scan reported, it and another, and only the other; without another all are new. */
export async function compareScans(db: Db, tables: OrgTables, scanId: string, against: string | undefined) {
  const [counts] = await run<{ new: number; seen_again: number; gone: number }>(
    db,
    sql`
    select count(*) filter (where side = 1)::int as new, count(*) filter (where side = 3)::int as seen_again,
      count(*) filter (where side = 2)::int as gone
    from (
      select sum(side) as side from (
        select id, 1 as side from (${findingIdsOfScan(db, tables, scanId)}) own union all
        select id, 2 from (${findingIdsOfScan(db, tables, against ?? '')}) other
      ) reported group by id
    ) compared`,
  );
  return counts ?? { new: 0, seen_again: 0, gone: 0 };
}
