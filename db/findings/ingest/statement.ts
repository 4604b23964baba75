import { type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from '../../schema/org.ts';
import { orgStatement, type Placeholders } from '../../statements.ts';
import type { Known } from './push.ts';
import {
  insertedColumns,
  insertedValues,
  pushedColumns,
  storedColumns,
  storedPairs,
  updates,
} from './push-sql.ts';

interface Batch {
  /** JSON array of the pushes, each with `ord`, `id` and `at`. */
  pushes: string;
  /** PostgreSQL array of the ids of the tokens. */
  tokenIds: string;
  /** The time of the batch (RFC 3339). */
  now: string;
}

interface RecordingBatch extends Batch {
  /** JSON array of the groups to record (`recordsOf`). */
  records: string;
}

/** A row of the statement's result. */
export interface WrittenRow {
  ord: number;
  /** Null when the scan is not registered. */
  scan_status: string | null;
  /** Null when the scan is another project's. */
  deduplicated: boolean | null;
  /** The fields that do not follow from the push; null for a new finding. */
  known: Known | null;
}

/**
 * The statement that writes a batch.
 * tests/findings/snapshots/push.sql shows its text.
 *
 * - Scans are looked up through an array. For a join with the recordset, PostgreSQL expects so many rows that it would
 *   read all scans.
 * - Rows are written in the order of their key, so that the batches of two processes cannot deadlock.
 * - `for share` makes the end of a scan wait for pushes in progress.
 * - A locked token is skipped: the transaction that holds the lock sets `last_used` to the same time.
 * - DO UPDATE uses columns and operators only, which Citus requires.
 * - Counts change by `severity_before` of the written rows, which also reflects a concurrent change that this statement's
 *   snapshot does not show. They are written after the last finding is locked, in the order of their key.
 */
export const ingestStatement = orgStatement<Batch, WrittenRow>((tables, $) => writePushes(tables, $));

/** The same, and records the outcomes of groups. tests/findings/snapshots/push-recorded.sql shows its text. */
export const recordingStatement = orgStatement<RecordingBatch, WrittenRow>((tables, $) =>
  writePushes(tables, $, recorded(tables, $)),
);

const recorded = ({ idempotencyKeys }: OrgTables, $: Placeholders<RecordingBatch>) => sql`, recorded as (
  insert into ${idempotencyKeys} (key, position, body_hash, created_at, outcomes)
  select r.key, r.position, r.body_hash, ${$.now}::timestamptz,
    json_agg(json_build_array(r.positions[i.ord - r.first + 1], s.scan_id is not null, w.deduplicated, w.id, w.regressed) order by i.ord)
  from json_to_recordset(${$.records}::text::json) as r(
    key text,
    position int,
    positions int[],
    body_hash text,
    first int,
    last int)
  join input i on i.ord between r.first and r.last
  left join scan s on s.scan_id = i.scan_id
  left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id
  group by r.key, r.position, r.body_hash
)`;

const writePushes = (tables: OrgTables, $: Placeholders<Batch>, records: SQL = sql.raw('')) => sql`
with input as materialized (
  select * from json_to_recordset(${$.pushes}::text::json) as r(
    ord int,
    id uuid,
    at timestamptz,
    ${sql.raw(pushedColumns)})
), scan as materialized (
  select scan_id, project_id, status from ${tables.scans}
  where scan_id = any (array(select scan_id from input)) for share
), token as materialized (
  select id from ${tables.apiTokens}
  where id = any (${$.tokenIds}::uuid[]) for no key update skip locked
), touched as (
  update ${tables.apiTokens} t set last_used = ${$.now}::timestamptz from token where t.id = token.id
), written as (
  insert into ${tables.findings} as f (
    ${sql.raw(insertedColumns)})
  select
    ${sql.raw(insertedValues('i'))}
  from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  order by i.project_id, i.fingerprint
  on conflict (project_id, fingerprint) do update set
    ${sql.raw(updates('f'))}
  returning
    ${sql.raw(storedColumns('f'))},
    f.project_id, f.fingerprint, f.severity, f.severity_before, f.last_scan_id, (xmax <> 0) as deduplicated
), counted as (
  insert into ${tables.findingCounts} as c (project_id, severity, status, count)
  select project_id, severity, status, sum(change) from (
    select project_id, severity, status, 1 as change from written where severity is distinct from severity_before
    union all
    select project_id, severity_before, status, -1 from written where severity_before <> severity
  ) changes group by project_id, severity, status having sum(change) <> 0 order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count
), sighted as (
  insert into ${tables.sightings} (scan_id, finding_id)
  select last_scan_id, id from written where last_scan_id <> scan_id
  on conflict do nothing
)${records}
select i.ord, s.status as scan_status, w.deduplicated,
  case when w.deduplicated then json_build_object(
    ${sql.raw(storedPairs('w'))}) end as known
from input i
left join scan s on s.scan_id = i.scan_id
left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id`;
