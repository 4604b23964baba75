import { type Placeholder, type SQL, sql } from 'drizzle-orm';
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
const SCANS = 100;

/** The newest scans of a project stay, however old they are: later ones are compared with them. */
export const KEPT_SCANS = 10;

const nextPage = orgStatement<
  { after: string; before: string },
  { last: string | null; expired: string[] | null }
>(
  ({ findings }, $) => sql`
with page as materialized (
  select id, ${isResolvedBefore($.before)} as expired from ${findings} where id > ${$.after}::uuid
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

const expiredScans = ({ scans }: OrgTables, before: Placeholder): SQL => sql`
select scan_id from (
  select scan_id, status, completed_at, row_number() over (
    partition by project_id order by created_at desc, scan_id desc) as rank from ${scans}
) k where rank > ${sql.raw(String(KEPT_SCANS))} and status <> 'running' and completed_at < ${before}::timestamptz`;

const nextScans = orgStatement<{ before: string }, { scan_id: string }>(
  (tables, $) => sql`${expiredScans(tables, $.before)} limit ${sql.raw(String(SCANS))}`,
);

/** Expired scans, a limited number of them. */
export const readExpiredScans = async (client: Sql, tables: OrgTables, before: Date): Promise<string[]> =>
  (await nextScans(tables).run(client, { before: before.toISOString() })).map(({ scan_id }) => scan_id);

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
  ({ findings }, $) => sql`select count(*)::int as n from ${findings} where ${isResolvedBefore($.before)}`,
);

const countScans = orgStatement<{ before: string }, object>(
  (tables, $) => sql`select count(*)::int as n from (${expiredScans(tables, $.before)}) expired`,
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
