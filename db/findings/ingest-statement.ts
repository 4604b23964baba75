import type { OrgSchemaName } from '../schema/org-schema.ts';
import {
  insertedColumns,
  insertedValues,
  pushedColumns,
  storedColumns,
  storedPairs,
  updates,
} from './push-sql.ts';

/**
 * The statement that writes a batch. $1 is the pushes (JSON), $2 the ids of their tokens, $3 the current time.
 * tests/findings/snapshots/ingest.sql shows its text.
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
export function ingestStatement(schema: OrgSchemaName): string {
  return `
with input as materialized (
  select * from json_to_recordset($1::text::json) as r(
    ord int,
    id uuid,
    at timestamptz,
    ${pushedColumns})
), scan as materialized (
  select scan_id, project_id, status from "${schema}".scans
  where scan_id = any (array(select scan_id from input)) for share
), token as materialized (
  select id from "${schema}".api_tokens
  where id = any ($2::uuid[]) for no key update skip locked
), touched as (
  update "${schema}".api_tokens t set last_used = $3::timestamptz from token where t.id = token.id
), written as (
  insert into "${schema}".findings as f (
    ${insertedColumns})
  select
    ${insertedValues('i')}
  from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  order by i.project_id, i.fingerprint
  on conflict (project_id, fingerprint) do update set
    ${updates('f')}
  returning
    ${storedColumns('f')},
    f.project_id, f.fingerprint, f.severity, f.severity_before, f.last_scan_id, (xmax <> 0) as deduplicated
), counted as (
  insert into "${schema}".finding_counts as c (project_id, severity, status, count)
  select project_id, severity, status, sum(change) from (
    select project_id, severity, status, 1 as change from written where severity is distinct from severity_before
    union all
    select project_id, severity_before, status, -1 from written where severity_before <> severity
  ) changes group by project_id, severity, status having sum(change) <> 0 order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count
), sighted as (
  insert into "${schema}".sightings (scan_id, finding_id)
  select last_scan_id, id from written where last_scan_id <> scan_id
  on conflict do nothing
)
select i.ord, s.status as scan_status, w.deduplicated,
  case when w.deduplicated then json_build_object(
    ${storedPairs('w')}) end as known
from input i
left join scan s on s.scan_id = i.scan_id
left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id`;
}
