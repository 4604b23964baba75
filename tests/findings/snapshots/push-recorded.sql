with input as materialized (
  select * from json_to_recordset($1::text::json) as r(
    ord int,
    id uuid,
    at timestamptz,
    scan_id text,
    project_id uuid,
    fingerprint text,
    title text,
    severity text,
    description text,
    cwe text,
    cve text,
    cvss_score double precision,
    cvss_vector text,
    file text,
    line integer,
    source text)
), scan as materialized (
  select scan_id, project_id, status from "org_template"."scans"
  where scan_id = any (array(select scan_id from input)) for share
), token as materialized (
  select id from "org_template"."api_tokens"
  where id = any ($2::uuid[]) for no key update skip locked
), touched as (
  update "org_template"."api_tokens" t set last_used = $3::timestamptz from token where t.id = token.id
), written as (
  insert into "org_template"."findings" as f (
    id,
    scan_id,
    last_scan_id,
    project_id,
    fingerprint,
    title,
    severity,
    description,
    cwe,
    cve,
    cvss_score,
    cvss_vector,
    file,
    line,
    source,
    status,
    status_changed_at,
    regressed,
    seen_count,
    last_seen_at,
    created_at,
    updated_at,
    severity_before)
  select
    i.id,
    i.scan_id,
    i.scan_id,
    i.project_id,
    i.fingerprint,
    i.title,
    i.severity,
    i.description,
    i.cwe,
    i.cve,
    i.cvss_score,
    i.cvss_vector,
    i.file,
    i.line,
    i.source,
    'open',
    i.at,
    false,
    1,
    i.at,
    i.at,
    i.at,
    null
  from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  order by i.project_id, i.fingerprint
  on conflict (project_id, fingerprint) do update set
    last_scan_id = excluded.last_scan_id,
    title = excluded.title,
    severity = excluded.severity,
    description = excluded.description,
    cwe = coalesce(excluded.cwe, f.cwe),
    cve = coalesce(excluded.cve, f.cve),
    cvss_score = coalesce(excluded.cvss_score, f.cvss_score),
    cvss_vector = coalesce(excluded.cvss_vector, f.cvss_vector),
    file = coalesce(excluded.file, f.file),
    line = coalesce(excluded.line, f.line),
    source = coalesce(excluded.source, f.source),
    regressed = f.regressed or f.status in ('fixed', 'verified'),
    seen_count = f.seen_count + 1,
    last_seen_at = excluded.last_seen_at,
    updated_at = excluded.updated_at,
    severity_before = f.severity
  returning
    f.id,
    f.scan_id,
    f.cwe,
    f.cve,
    f.cvss_score,
    f.cvss_vector,
    f.file,
    f.line,
    f.source,
    f.status,
    f.status_changed_at,
    f.regressed,
    f.seen_count,
    f.created_at,
    f.project_id, f.fingerprint, f.severity, f.severity_before, f.last_scan_id, (xmax <> 0) as deduplicated
), counted as (
  insert into "org_template"."finding_counts" as c (project_id, severity, status, count)
  select project_id, severity, status, sum(change) from (
    select project_id, severity, status, 1 as change from written where severity is distinct from severity_before
    union all
    select project_id, severity_before, status, -1 from written where severity_before <> severity
  ) changes group by project_id, severity, status having sum(change) <> 0 order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count
), sighted as (
  insert into "org_template"."sightings" (scan_id, finding_id)
  select last_scan_id, id from written where last_scan_id <> scan_id
  on conflict do nothing
), recorded as (
  insert into "org_template"."idempotency_keys" (key, position, body_hash, created_at, outcomes)
  select r.key, r.position, r.body_hash, $4::timestamptz,
    json_agg(json_build_array(r.positions[i.ord - r.first + 1], s.scan_id is not null, w.deduplicated, w.id, w.regressed) order by i.ord)
  from json_to_recordset($5::text::json) as r(
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
)
select i.ord, s.status as scan_status, w.deduplicated,
  case when w.deduplicated then json_build_object(
    'id', w.id,
    'scan_id', w.scan_id,
    'cwe', w.cwe,
    'cve', w.cve,
    'cvss_score', w.cvss_score,
    'cvss_vector', w.cvss_vector,
    'file', w.file,
    'line', w.line,
    'source', w.source,
    'status', w.status,
    'status_changed_at', w.status_changed_at,
    'regressed', w.regressed,
    'seen_count', w.seen_count,
    'created_at', w.created_at) end as known
from input i
left join scan s on s.scan_id = i.scan_id
left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id
