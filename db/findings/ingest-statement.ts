import type { OrgSchemaName } from '../schema/org-schema.ts';

/**
 * The statement for a batch: $1 the pushes (JSON), $2 the ids of their tokens, $3 now. What is looked for stands in
 * arrays: of a list made of JSON, PostgreSQL expects so much that it reads all scans there are.
 *
 * Rows are written in the order of their key, so that batches of two processes cannot wait for each other in a
 * circle. `for share` lets the end of a scan wait for the pushes under way. A locked token is left out: who holds it
 * is setting the same moment. In DO UPDATE there are only columns and operators, which Citus needs.
 *
 * Counts change by what the findings' rows say of themselves: `severity_before` is the severity that this push found,
 * also when another process changed it a moment ago, which a read of the snapshot would miss. They are written after
 * the last finding is locked, in the order of their key.
 */
export function ingestStatement(schema: OrgSchemaName): string {
  return `
with input as materialized (
  select * from json_to_recordset($1::text::json) as r(
    ord int, id uuid, at timestamptz, project_id uuid, scan_id text, fingerprint text, title text, severity text,
    description text, cwe text, cve text, cvss_score float8, cvss_vector text, file text, line int, source text)
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
    id, project_id, fingerprint, scan_id, last_scan_id, title, severity, description, cwe, cve, cvss_score,
    cvss_vector, file, line, source, status, status_changed_at, seen_count, last_seen_at, created_at, updated_at)
  select i.id, i.project_id, i.fingerprint, i.scan_id, i.scan_id, i.title, i.severity, i.description, i.cwe, i.cve,
    i.cvss_score, i.cvss_vector, i.file, i.line, i.source, 'open', i.at, 1, i.at, i.at, i.at
  from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  order by i.project_id, i.fingerprint
  on conflict (project_id, fingerprint) do update set
    seen_count = f.seen_count + 1,
    last_seen_at = excluded.last_seen_at,
    last_scan_id = excluded.last_scan_id,
    updated_at = excluded.updated_at,
    title = excluded.title,
    severity = excluded.severity,
    severity_before = f.severity,
    description = excluded.description,
    cwe = coalesce(excluded.cwe, f.cwe),
    cve = coalesce(excluded.cve, f.cve),
    cvss_score = coalesce(excluded.cvss_score, f.cvss_score),
    cvss_vector = coalesce(excluded.cvss_vector, f.cvss_vector),
    file = coalesce(excluded.file, f.file),
    line = coalesce(excluded.line, f.line),
    source = coalesce(excluded.source, f.source),
    regressed = f.regressed or f.status in ('fixed', 'verified')
  returning f.id, f.project_id, f.fingerprint, f.severity, f.severity_before, f.scan_id, f.last_scan_id, f.cwe, f.cve,
    f.cvss_score, f.cvss_vector, f.file, f.line, f.source, f.status, f.status_changed_at, f.regressed, f.seen_count,
    f.created_at, (xmax <> 0) as deduplicated
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
  case when w.deduplicated then json_build_object('id', w.id, 'scan_id', w.scan_id, 'cwe', w.cwe, 'cve', w.cve,
    'cvss_score', w.cvss_score, 'cvss_vector', w.cvss_vector, 'file', w.file, 'line', w.line, 'source', w.source,
    'status', w.status, 'status_changed_at', w.status_changed_at, 'regressed', w.regressed,
    'seen_count', w.seen_count, 'created_at', w.created_at) end as known
from input i
left join scan s on s.scan_id = i.scan_id
left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id`;
}
