import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from '../schema/org.ts';
import type { FindingStatus } from '../schema/values.ts';
import { orgStatement, type SqlClient } from '../statements.ts';
import { candidates, sharesSource } from './comparable.ts';

/*
 * Findings that a scan should have reported and did not. A scan is compared with comparable ones (`comparable.ts`) for each source
 * that it reported. So a scan without findings is compared with none.
 *
 * A finding is marked in the transaction that completes the scan. A project may want findings closed that several scans in a row
 * did not report. That is done afterwards, in transactions of their own, because it may be a lot. Scans whose findings are
 * closed are noted, so that a later scan closes what a process that died has left, and does not close again what somebody has
 * opened since.
 */

interface ScanKey {
  scanId: string;
  /** The project that the scan must belong to; null for any. */
  projectId: string | null;
}

/** The scan as `own`, and scans that are comparable to it by source, the newest first, as `compared`: it has the rank 0. */
const comparable = (tables: OrgTables, { scanId, projectId }: Record<keyof ScanKey, Placeholder>): SQL => sql`
own as materialized (
  select * from ${tables.scans} s
  where s.scan_id = ${scanId} and s.status = 'completed' and s.error_message is null
    and (${projectId}::uuid is null or s.project_id = ${projectId}::uuid)
), ${candidates(tables)}, compared as materialized (
  select k.source, c.scan_id, c.completed_at, c.closed_after,
    row_number() over (partition by k.source order by c.created_at desc, c.scan_id desc) - 1 as rank,
    cardinality(coalesce(c.sources, own.sources)) as sources
  from own cross join unnest(own.sources) k(source)
  join candidates c on ${sharesSource('c', sql`k.source`)}
)`;

/** The ids of the findings that scans reported of a source, from rows with `scan_id` and `source`. */
const reportedBy = ({ findings, sightings }: OrgTables, scans: SQL): SQL => sql`
  select f.id from ${scans} k join ${findings} f on f.scan_id = k.scan_id and coalesce(f.source, '') = k.source
  union all
  select f.id from ${scans} k join ${sightings} s on s.scan_id = k.scan_id
  join ${findings} f on f.id = s.finding_id and coalesce(f.source, '') = k.source`;

/**
 * - A finding that was seen since the scan began by another scan than the one before is not missing.
 * - Findings are locked in the order in which pushes write them. Findings that were seen meanwhile are checked again.
 */
const mark = orgStatement<ScanKey, object>(
  (tables, $) => sql`
with ${comparable(tables, $)}, before as materialized (
  select scan_id, source from compared where rank = 1
), reported as materialized (${reportedBy(tables, sql`before`)}
), gone as materialized (
  select f.id from ${tables.findings} f
  where f.id = any (array(select id from reported)) and f.missing_since is null
    and f.scan_id <> ${$.scanId} and f.last_scan_id <> ${$.scanId}
    and not exists (select from ${tables.sightings} s where s.scan_id = ${$.scanId} and s.finding_id = f.id)
    and f.last_seen_at <= (select completed_at from own)
    and (f.last_seen_at <= (select created_at from own) or f.last_scan_id = any (array(select scan_id from before)))
  order by f.project_id, f.fingerprint for no key update
)
update ${tables.findings} f set missing_since = own.completed_at from gone, own where f.id = gone.id`,
);

/** Marks the findings that a completed scan did not report. Done again, it changes nothing. */
export async function markMissing(client: SqlClient, tables: OrgTables, scan: ScanKey): Promise<void> {
  await mark(tables).run(client, scan);
}

/** Findings that are closed: of a source, reported by a scan, and missing since a time. */
export interface ClosablePart {
  /** How many scans did not report them. */
  after: number;
  source: string;
  scan_id: string;
  since: string;
  /** Whether all sources of the scan are closed by these parts. */
  is_whole: boolean;
}

const closable = orgStatement<ScanKey, ClosablePart>(
  (tables, $) => sql`
with ${comparable(tables, $)}, wanted as materialized (
  select p.close_after_scans as after from own join ${tables.projects} p on p.id = own.project_id
  where p.close_after_scans is not null
)
select w.after, c.source, c.scan_id, latest.completed_at as since,
  count(*) over (partition by c.scan_id) = c.sources as is_whole
from wanted w join compared c on c.rank >= w.after and (c.closed_after is null or c.closed_after > w.after)
join compared latest on latest.source = c.source and latest.rank = w.after - 1
order by c.scan_id, c.source`,
);

/** Reads which findings are closed after a completed scan. None if its project does not want it. */
export async function readClosable(
  client: SqlClient,
  tables: OrgTables,
  scan: ScanKey,
): Promise<ClosablePart[]> {
  return await closable(tables).run(client, scan);
}

const findClosable = orgStatement<
  { parts: string; after: string; limit: number },
  { id: string; status: FindingStatus }
>(
  (tables, $) => sql`
with part as materialized (
  select * from json_to_recordset(${$.parts}::text::json) as p(scan_id text, source text, since timestamptz)
), reported as materialized (${reportedBy(tables, sql`part`)}
)
select f.id, f.status from ${tables.findings} f
where f.id = any (array(select id from reported)) and f.id > ${$.after}::uuid
  and f.missing_since <= (select max(since) from part where part.source = coalesce(f.source, ''))
  and (f.status in ('open', 'confirmed') or f.regressed)
order by f.id limit ${$.limit}::bigint`,
);

/** Finds findings to close, after the one with the id `after`. */
export async function findClosableFindings(
  client: SqlClient,
  tables: OrgTables,
  parts: readonly ClosablePart[],
  { after, limit }: { after: string; limit: number },
): Promise<{ id: string; status: FindingStatus }[]> {
  return await findClosable(tables).run(client, { parts: JSON.stringify(parts), after, limit });
}

const noteClosed = orgStatement<{ scanIds: string; after: number }, object>(
  ({ scans }, $) => sql`
update ${scans} set closed_after = ${$.after}::int
where scan_id = any (array(select value from json_array_elements_text(${$.scanIds}::text::json)))
  and (closed_after is null or closed_after > ${$.after}::int)`,
);

/** Notes the scans whose findings are closed. */
export async function noteClosedScans(
  client: SqlClient,
  tables: OrgTables,
  parts: readonly ClosablePart[],
): Promise<void> {
  const whole = parts.filter(({ is_whole }) => is_whole);
  const [first] = whole;
  if (!first) return;
  const scanIds = JSON.stringify([...new Set(whole.map(({ scan_id }) => scan_id))]);
  await noteClosed(tables).run(client, { scanIds, after: first.after });
}
