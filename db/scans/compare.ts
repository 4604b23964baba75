import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Db } from '../client.ts';
import { type ScanRow, scanFields } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { listText, run } from '../statements.ts';
import { candidates, sharesSource } from './comparable.ts';
import { findingIdsOfScan } from './scans.ts';

/** Selects a scan. */
export const storedScan = ({ scans }: OrgTables, scanId: string): SQL =>
  sql`select * from ${scans} where scan_id = ${scanId}`;

/**
 * The latest scan that is comparable to one, which may still run or have failed.
 *
 * Nobody knows which scanner made a scan without findings and declared sources. It is comparable if all candidates share a source
 * with this scan, which means that one scanner made them. If this scan is such a one, its sources are those of the latest candidate
 * with some.
 * @param own selects the scan: {@link storedScan}, or one that is planned (`preview.ts`)
 * @param given the sources of this scan, if they are known otherwise
 */
export async function comparableScan(
  db: Db,
  tables: OrgTables,
  own: SQL,
  given?: readonly string[],
): Promise<ScanRow | undefined> {
  const { findings, scans, sightings } = tables;
  const shares = (candidate: string) =>
    sql`exists (select from unnest(known.sources) k(source) where ${sharesSource(candidate, sql`k.source`)})`;
  const latest = sql`(
    with own as materialized (${own}), ${candidates(tables)},
    reported as materialized (
      select coalesce(${given ? listText(given) : null}::text[], own.sources, own.declared_sources || array(
        select distinct coalesce(f.source, '') from ${findings} f where f.scan_id = own.scan_id union
        select distinct coalesce(f.source, '') from ${sightings} s join ${findings} f on f.id = s.finding_id
        where s.scan_id = own.scan_id)) as sources
      from own
    ), others as materialized (
      select c.scan_id, c.created_at, c.sources from candidates c, own where c.scan_id <> own.scan_id
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

/**
 * Whether a finding of another scan is gone if a scan does not report it: it has a source that the scan looked for. If the scans have
 * none in common, somebody compares different scanners, and all findings count.
 * @param given see {@link comparableScan}
 */
export function mayBeGone(
  { findings, scans }: OrgTables,
  scanId: string,
  against: string,
  given?: readonly string[],
): SQL {
  const sourcesOf = (id: string) => sql`(select sources from ${scans} where scan_id = ${id})::text[]`;
  const own = given ? sql`${listText(given)}::text[]` : sourcesOf(scanId);
  return sql`((${own} && ${sourcesOf(against)}) is not true or coalesce(${findings.source}, '') = any (${own}))`;
}

/**
 * How many findings only a scan reported, it and another, and only the other ({@link mayBeGone}); without another all are new.
 * @param given see {@link comparableScan}
 * @param own selects the ids of the findings that the scan reported
 */
export async function compareScans(
  db: Db,
  tables: OrgTables,
  scanId: string,
  against = '',
  given?: readonly string[],
  own: SQLWrapper = findingIdsOfScan(db, tables, scanId),
) {
  const { findings } = tables;
  const [counts] = await run<{ new: number; seen_again: number; gone: number }>(
    db,
    sql`
    select count(*) filter (where side = 1)::int as new, count(*) filter (where side = 3)::int as seen_again,
      count(*) filter (where side = 2 and exists (
        select from ${findings} where ${findings.id} = compared.id and ${mayBeGone(tables, scanId, against, given)}))::int as gone
    from (
      select id, sum(side) as side from (
        select id, 1 as side from (${own}) own union all
        select id, 2 from (${findingIdsOfScan(db, tables, against)}) other
      ) reported group by id
    ) compared`,
  );
  return counts ?? { new: 0, seen_again: 0, gone: 0 };
}
