import { sql } from 'drizzle-orm';
import { runSearch, type SearchLimits } from '../findings/lists/search.ts';
import { isResolvedBefore, removeFindings } from '../findings/remove.ts';
import type { Sql } from '../pool/query.ts';
import { deleteScan } from '../scans/scans.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgStatement } from '../statements.ts';

/* Expired findings are found by reading the table in the order of its key, because an index for them would slow down pushes. */

/** Read takes about 10 ms. */
const PAGE = 2_000;
/** Locks are held as long as one batch takes, and nobody waits for these findings: smaller than batches of deleted projects. */
const FINDINGS = 50;
const SIGHTINGS = 2_000;

/** The newest tracked scans of a project stay, however old they are: later ones are compared with them. */
export const KEPT_SCANS = 10;

const nextPage = orgStatement<
  { after: string; before: string },
  { last: string | null; expired: string[] | null }
>(
  (tables, $) => sql`
with page as materialized (
  select id, ${isResolvedBefore(tables, $.before)} as expired from ${tables.findings} where id > ${$.after}::uuid
  order by id limit ${sql.raw(String(PAGE))}
)
select (select id from page order by id desc limit 1) as last,
  (select json_agg(id order by id) from page where expired) as expired`,
);

const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Reads the findings behind a position.
 * @returns those that have expired; `last` is the next position, null behind the last finding
 */
export async function readExpired(
  client: Sql,
  tables: OrgTables,
  position: string | null,
  before: Date,
): Promise<{ last: string | null; batches: string[][] }> {
  const params = { after: position ?? FIRST, before: before.toISOString() };
  const [page] = await nextPage(tables).run(client, params);
  const ids = page?.expired ?? [];
  const batches = Array.from({ length: Math.ceil(ids.length / FINDINGS) }, (_, i) =>
    ids.slice(i * FINDINGS, (i + 1) * FINDINGS),
  );
  return { last: page?.last ?? null, batches };
}

/** Removes expired findings, except for those that were changed or reported since they were read. @returns how many */
export const removeExpired = async (
  client: Sql,
  tables: OrgTables,
  ids: readonly string[],
  before: Date,
): Promise<number> => (await removeFindings(client, tables, ids, before)).length;

/** A position in the order of the index `scans_newest`. */
export interface ScanPosition {
  at: string;
  id: string;
}

/** Before all scans. */
export const FIRST_SCAN: ScanPosition = { at: '-infinity', id: '' };

/** Read at a time, by an index. */
const SCANS_PAGE = 5_000;

/**
 * Scans in the order of their creation, because the oldest ones have expired: a scan that has ended before a time was created before it.
 * The oldest scan of each project that stays is looked up in the index `scans_project`.
 */
const nextScans = orgStatement<
  ScanPosition & { before: string },
  { at: string; id: string; expired: string[] | null }
>(
  ({ scans }, $) => sql`
with page as materialized (
  select scan_id, project_id, tracked, created_at, status <> 'running' and completed_at < ${$.before}::timestamptz as ended from ${scans}
  where (created_at, scan_id) > (${$.at}::timestamptz, ${$.id}) and created_at < ${$.before}::timestamptz
  order by created_at, scan_id limit ${sql.raw(String(SCANS_PAGE))}
), kept as materialized (
  select p.project_id, k.created_at, k.scan_id from (select distinct project_id from page where ended and tracked) p
  cross join lateral (
    select n.created_at, n.scan_id from ${scans} n where n.project_id = p.project_id and n.tracked
    order by n.created_at desc, n.scan_id desc offset ${sql.raw(String(KEPT_SCANS - 1))} limit 1
  ) k
)
select created_at::text as at, scan_id as id, (
  select json_agg(p.scan_id order by p.created_at, p.scan_id) from page p left join kept k using (project_id)
  where p.ended and (not p.tracked or (p.created_at, p.scan_id) < (k.created_at, k.scan_id))
) as expired
from page order by created_at desc, scan_id desc limit 1`,
);

/**
 * Reads the scans behind a position.
 * @returns those that have expired; `next` is the next position, null behind the last scan
 */
export async function readExpiredScans(
  client: Sql,
  tables: OrgTables,
  position: ScanPosition,
  before: Date,
): Promise<{ next: ScanPosition | null; expired: string[] }> {
  const [page] = await nextScans(tables).run(client, { ...position, before: before.toISOString() });
  return { next: page ? { at: page.at, id: page.id } : null, expired: page?.expired ?? [] };
}

const forgetSightings = orgStatement<{ scanId: string }, object>(
  ({ sightings }, $) => sql`
delete from ${sightings} where scan_id = ${$.scanId} and finding_id = any (array(
  select finding_id from ${sightings} where scan_id = ${$.scanId} limit ${sql.raw(String(SIGHTINGS))}))
returning 1`,
);

/**
 * Removes a batch of what an expired scan saw again, and with the last of it the scan.
 * @returns whether there is more
 */
export async function removeScanBatch(client: Sql, tables: OrgTables, scanId: string): Promise<boolean> {
  const removed = await forgetSightings(tables).run(client, { scanId });
  if (removed.length >= SIGHTINGS) return true;
  await deleteScan(client, tables, scanId);
  return false;
}

const countFindings = orgStatement<{ before: string }, object>(
  (tables, $) => sql`
select count(*)::int as n from ${tables.findings} where ${isResolvedBefore(tables, $.before)}`,
);

const countScans = orgStatement<{ before: string }, object>(
  ({ scans }, $) => sql`
select count(*)::int as n from (
  select status, completed_at, tracked, row_number() over (
    partition by project_id, tracked order by created_at desc, scan_id desc) as rank from ${scans}
) k where (rank > ${sql.raw(String(KEPT_SCANS))} or not tracked) and status <> 'running' and completed_at < ${$.before}::timestamptz`,
);

/** How many findings, and how many scans, a run would remove. */
export async function countExpired(
  client: Sql,
  tables: OrgTables,
  before: { findings: Date | undefined; scans: Date | undefined },
  limits: SearchLimits,
): Promise<{ resolved_findings: number; scans: number }> {
  const count = async (statement: typeof countFindings, at: Date | undefined) => {
    if (!at) return 0;
    const query = statement(tables).query({ before: at.toISOString() });
    const [row] = await runSearch<{ n: number }>(client, query, limits);
    return row?.n ?? 0;
  };
  return {
    resolved_findings: await count(countFindings, before.findings),
    scans: await count(countScans, before.scans),
  };
}
