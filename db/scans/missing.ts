import { type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from '../schema/org.ts';
import type { FindingStatus } from '../schema/values.ts';
import { orgStatement, type SqlClient } from '../statements.ts';

/*
 * Findings that a scan should have reported and did not: those that are present in its series and of one of its sources. They are
 * missing there, and so is a finding itself when no other tracked series has it.
 *
 * This is done in the transaction that completes the scan. A project may want findings closed that several scans in a row did not
 * report. That is done afterwards, in transactions of their own, because it may be a lot. A finding is closed once as long as it is
 * missing, so that one that somebody opens again stays open, and a later scan closes what a process that died has left.
 */

interface ScanKey {
  scanId: string;
  /** The project that the scan must belong to; null for any. */
  projectId: string | null;
}

/** The CTE `own`: the scan, if it completed without problems. */
const completed = ({ scans }: OrgTables, $: Record<keyof ScanKey, unknown>): SQL => sql`
own as materialized (
  select * from ${scans} s
  where s.scan_id = ${$.scanId} and s.status = 'completed' and s.error_message is null
    and (${$.projectId}::uuid is null or s.project_id = ${$.projectId}::uuid)
)`;

/**
 * The findings that `own` leaves out, as rows `r` of `finding_refs` and `f`. One that a later scan of the series reports is not
 * missing.
 */
const leftOut = ({ findingRefs, findings, scans, sightings }: OrgTables): SQL => sql`
own join ${findingRefs} r on r.series_id = own.series_id and r.missing_since is null and r.last_scan_id <> own.scan_id
join ${findings} f on f.id = r.finding_id and f.scan_id <> own.scan_id and coalesce(f.source, '') = any (own.sources)
where r.last_seen_at <= own.completed_at
  and not exists (select from ${sightings} s where s.scan_id = own.scan_id and s.finding_id = f.id)
  and (r.last_seen_at <= own.created_at or not exists (
    select from ${scans} l where l.series_id = own.series_id and (l.created_at, l.scan_id) > (own.created_at, own.scan_id)
      and (l.scan_id = f.scan_id or exists (
        select from ${sightings} s where s.scan_id = l.scan_id and s.finding_id = f.id))))`;

/** Findings are locked in the order in which pushes write them, before the next statement reads what those have written. */
const lock = orgStatement<ScanKey, object>(
  (tables, $) => sql`
with ${completed(tables, $)}, gone as materialized (select f.id from ${leftOut(tables)})
select 1 from ${tables.findings} l where l.id = any (array(select id from gone))
order by l.project_id, l.fingerprint for no key update`,
);

const markRefs = orgStatement<ScanKey, object>(
  (tables, $) => sql`
with ${completed(tables, $)}, gone as materialized (
  select f.id, own.series_id, own.completed_at from ${leftOut(tables)}
)
update ${tables.findingRefs} r set missing_since = gone.completed_at from gone
where r.finding_id = gone.id and r.series_id = gone.series_id`,
);

const markFindings = orgStatement<ScanKey, object>(
  (tables, $) => sql`
with ${completed(tables, $)}, gone as materialized (
  select r.finding_id as id, r.missing_since from own join ${tables.findingRefs} r
    on r.series_id = own.series_id and r.missing_since = own.completed_at
  where own.tracked
)
update ${tables.findings} f set missing_since = gone.missing_since from gone
where f.id = gone.id and f.missing_since is null and not exists (
  select from ${tables.findingRefs} o join ${tables.series} e on e.id = o.series_id
  where o.finding_id = f.id and o.missing_since is null and e.tracked)`,
);

/** Marks the findings that a completed scan did not report. Done again, it changes nothing. */
export async function markMissing(client: SqlClient, tables: OrgTables, scan: ScanKey): Promise<void> {
  await Promise.all([lock, markRefs, markFindings].map((step) => step(tables).run(client, scan)));
}

/** Findings of a source may be closed if they are missing in a series since this time. */
export interface ClosablePart {
  /** How many scans did not report them. */
  after: number;
  /** These scans. */
  scan_ids: string[];
  series_id: string;
  source: string;
  since: string;
  /** Whether it is of the scan that has completed. */
  own: boolean;
}

/**
 * CTEs that end with `part`, rows of {@link ClosablePart}: the parts of all tracked series of the project of `own`, because a finding
 * must be missing in each that had it. After an empty scan, the scan before must be empty too, unless more scans are wanted.
 * @param planned selects `own` for its series as the scans of a series are selected, if it is not stored
 */
export const partsToClose = ({ projects, scans, series }: OrgTables, planned: SQL = sql.raw('')): SQL => sql`
wanted as materialized (
  select own.*, p.close_after_scans as after from own join ${projects} p on p.id = own.project_id
  where p.close_after_scans is not null and own.tracked
), ranked as materialized (
  select w.after, w.series_id as own_id, e.id as series_id, k.source, c.scan_id, c.completed_at, c.is_empty,
    row_number() over (partition by e.id, k.source order by c.created_at desc, c.scan_id desc) as rank
  from wanted w join ${series} e on e.project_id = w.project_id and e.tracked
  cross join unnest(w.sources) k(source)
  cross join lateral (
    (select s.created_at, s.scan_id, s.completed_at, (s.summary ->> 'total')::int = 0 as is_empty from ${scans} s
    where s.series_id = e.id and s.status = 'completed' and s.error_message is null
      and (s.sources is null or k.source = any (s.sources))
    order by s.created_at desc, s.scan_id desc limit greatest(w.after, 2))${planned}
  ) c
), part as materialized (
  select l.after, l.series_id, l.source, c.completed_at as since, l.series_id = l.own_id as own, array(
    select n.scan_id from ranked n where n.series_id = l.series_id and n.source = l.source and n.rank <= c.rank) as scan_ids
  from ranked l
  join ranked c on c.series_id = l.series_id and c.source = l.source
    and c.rank = case when l.is_empty then greatest(l.after, 2) else l.after end
  left join ranked before on before.series_id = l.series_id and before.source = l.source and before.rank = 2
  where l.rank = 1 and (not l.is_empty or l.after > 2 or before.is_empty)
)`;

const closable = orgStatement<ScanKey, ClosablePart>(
  (tables, $) => sql`
with ${completed(tables, $)}, ${partsToClose(tables)}
select * from part order by own desc, series_id, source`,
);

/** Reads which findings are closed after a completed scan. None if its project does not want it. */
export async function readClosable(
  client: SqlClient,
  tables: OrgTables,
  scan: ScanKey,
): Promise<ClosablePart[]> {
  const parts = await closable(tables).run(client, scan);
  return parts.some(({ own }) => own) ? parts : [];
}

/** A series without scans, if it is tracked and its project closes findings: a part for each source of its findings. */
const endedParts = orgStatement<{ seriesId: string }, ClosablePart>(
  ({ findingRefs, findings, projects, scans, series }, $) => sql`
select distinct p.close_after_scans as after, e.id as series_id, coalesce(f.source, '') as source, 'infinity' as since, true as own,
  '{}'::text[] as scan_ids
from ${series} e join ${projects} p on p.id = e.project_id and p.close_after_scans is not null
join ${findingRefs} r on r.series_id = e.id join ${findings} f on f.id = r.finding_id
where e.id = ${$.seriesId}::uuid and e.tracked and not exists (select from ${scans} s where s.series_id = e.id)`,
);

/** Reads which findings are closed because their series has lost its last scan. None for any other series. */
export const readEndedParts = (
  client: SqlClient,
  tables: OrgTables,
  seriesId: string,
): Promise<ClosablePart[]> => endedParts(tables).run(client, { seriesId });

/**
 * CTEs that end with `closing`: the open findings that each `part` leaves out.
 * @param isMissing whether a finding `f` is missing
 */
export const toClose = (
  { findingEvents, findingRefs, findings, series, sightings }: OrgTables,
  isMissing: SQL,
): SQL => sql`
gone as materialized (
  select r.finding_id as id from (select series_id, max(since) as since from part where own group by series_id) p
  join ${findingRefs} r on r.series_id = p.series_id and r.missing_since <= p.since
), closing as (
  select f.id, f.title, f.severity, f.status, f.source, f.file, f.line from ${findings} f
  where f.id = any (array(select id from gone)) and ${isMissing}
    and (f.status in ('open', 'confirmed') or f.regressed)
    and not exists (
      select from ${findingRefs} r join ${series} e on e.id = r.series_id and e.tracked
      left join part p on p.series_id = r.series_id and p.source = coalesce(f.source, '')
      where r.finding_id = f.id and ((r.missing_since <= p.since) is not true or f.scan_id = any (p.scan_ids)
        or exists (select from ${sightings} s where s.scan_id = any (p.scan_ids) and s.finding_id = f.id)))
    and not exists (
      select from ${findingEvents} v where v.finding_id = f.id and v.at >= f.missing_since
        and v.kind = 'status' and v.actor_id is null and v."to" = 'fixed')
)`;

const findClosable = orgStatement<
  { parts: string; after: string; limit: number },
  { id: string; status: FindingStatus }
>(
  (tables, $) => sql`
with part as materialized (
  select * from json_to_recordset(${$.parts}::text::json)
    as p(series_id uuid, source text, since timestamptz, own boolean, scan_ids text[])
), ${toClose(tables, sql`f.missing_since is not null`)}
select id, status from closing where id > ${$.after}::uuid order by id limit ${$.limit}::bigint`,
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
