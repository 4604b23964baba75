with input as materialized (
  select r.*, ($1::uuid[])[r.actor] as actor_id from json_to_recordset($2::text::json) as r(
    ord int,
    id uuid,
    at timestamptz,
    actor int,
    due_at timestamptz,
    due_dates timestamptz[],
    decided_by uuid,
    first_status text,
    first_reason text,
    first_assignee uuid,
    first_accepted_until timestamptz,
    first_resolved_at timestamptz,
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
    source text,
    rule_id text)
  where $3::int is null
    or $4::int = coalesce((select version from "org_template"."policy_versions"), 0)
), scan as materialized (
  select scan_id, project_id, status, series_id, tracked from "org_template"."scans" s
  where scan_id = any (array(select scan_id from input))
    and not exists (select from "org_template"."projects" p where p.id = s.project_id and (p.deleted_at is not null or p.transfer is not null)) for share
), token as materialized (
  select id from "org_template"."api_tokens"
  where id = any ($5::uuid[]) for no key update skip locked
), touched as (
  update "org_template"."api_tokens" t set last_used = $6::timestamptz from token where t.id = token.id
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
    severity_before,
    regressed_at,
    regressed_before,
    reason,
    assignee_id,
    due_at,
    accepted_until,
    created_by,
    missing_since,
    change_id,
    due_dates,
    due_before,
    resolved_at,
    proposed,
    proposed_before,
    rule_id)
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
    coalesce(i.first_status, 'open'),
    i.at,
    false,
    1,
    i.at,
    i.at,
    i.at,
    null,
    null,
    null,
    i.first_reason,
    i.first_assignee,
    case when i.proposed is null then i.due_at end,
    i.first_accepted_until,
    i.actor_id,
    null,
    i.decided_by,
    case when i.proposed is null then i.due_dates end,
    null,
    i.first_resolved_at,
    i.proposed,
    null,
    i.rule_id
  from (
    select input.*, case when not s.tracked then true end as proposed
    from input join scan s on s.scan_id = input.scan_id and s.project_id = input.project_id
  ) i
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
    regressed = f.regressed or (f.status in ('fixed', 'verified') and excluded.proposed is null),
    seen_count = f.seen_count + 1,
    last_seen_at = excluded.last_seen_at,
    updated_at = excluded.updated_at,
    severity_before = f.severity,
    regressed_at = case when f.regressed or not (f.status in ('fixed', 'verified') and excluded.proposed is null) then f.regressed_at else excluded.updated_at end,
    regressed_before = f.regressed,
    due_at = case when f.proposed and excluded.proposed is null and f.due_at is null then excluded.due_at
      when not f.regressed and (f.status in ('fixed', 'verified') and excluded.proposed is null) and (excluded.due_dates[case when excluded.severity = 'critical' then 1 when excluded.severity = 'high' then 2 when excluded.severity = 'medium' then 3 when excluded.severity = 'low' then 4 when excluded.severity = 'info' then 5 end] is not null or f.due_dates is not null) then excluded.due_dates[case when excluded.severity = 'critical' then 1 when excluded.severity = 'high' then 2 when excluded.severity = 'medium' then 3 when excluded.severity = 'low' then 4 when excluded.severity = 'info' then 5 end]
      when f.due_dates is not null and f.severity <> excluded.severity
        then f.due_dates[case when excluded.severity = 'critical' then 1 when excluded.severity = 'high' then 2 when excluded.severity = 'medium' then 3 when excluded.severity = 'low' then 4 when excluded.severity = 'info' then 5 end]
      else f.due_at end,
    missing_since = case when excluded.proposed then f.missing_since end,
    due_dates = case when (f.proposed and excluded.proposed is null and f.due_at is null) or not f.regressed and (f.status in ('fixed', 'verified') and excluded.proposed is null) and (excluded.due_dates[case when excluded.severity = 'critical' then 1 when excluded.severity = 'high' then 2 when excluded.severity = 'medium' then 3 when excluded.severity = 'low' then 4 when excluded.severity = 'info' then 5 end] is not null or f.due_dates is not null) then excluded.due_dates else f.due_dates end,
    due_before = f.due_at,
    proposed = case when f.proposed then excluded.proposed end,
    proposed_before = f.proposed,
    rule_id = coalesce(excluded.rule_id, f.rule_id)
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
    f.regressed_at,
    f.reason,
    f.assignee_id,
    f.due_at,
    f.accepted_until,
    f.missing_since,
    f.proposed,
    f.rule_id,
    f.project_id, f.fingerprint, f.severity, f.severity_before, f.regressed_before, f.due_before, f.proposed_before, f.last_scan_id, f.last_seen_at, (xmax <> 0) as deduplicated
), moved as (
  select * from written where severity is distinct from severity_before or regressed is distinct from regressed_before
    or proposed is distinct from proposed_before
), counted as (
  insert into "org_template"."finding_counts" as c (project_id, severity, status, count, regressed, proposed)
  select project_id, severity, status, sum(change), sum(regressed), sum(proposed) from (
    select project_id, severity, status, 1 as change, regressed::int as regressed, coalesce(proposed::int, 0) as proposed from moved
    union all
    select project_id, severity_before, status, -1, -(regressed_before::int), -coalesce(proposed_before::int, 0)
    from moved where severity_before is not null
  ) changes group by project_id, severity, status
  having sum(change) <> 0 or sum(regressed) <> 0 or sum(proposed) <> 0
  order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count,
    regressed = c.regressed + excluded.regressed, proposed = c.proposed + excluded.proposed
), noted as (
  insert into "org_template"."finding_events" (finding_id, at, id, kind, actor_id, "from", "to", scan_id)
  select m.id, i.at, md5(i.id || k.kind)::uuid, k.kind, i.actor_id, k."from", k."to", i.scan_id
  from moved m join input i on i.project_id = m.project_id and i.fingerprint = m.fingerprint
  cross join lateral (values
    ('severity', m.severity_before, m.severity, m.severity <> m.severity_before),
    ('regressed', m.status, null, m.regressed and not m.regressed_before),
    ('merged', null, null, m.proposed_before and m.proposed is null),
    ('due_at', to_json(m.due_before) #>> '{}', to_json(m.due_at) #>> '{}', m.due_at is distinct from m.due_before)
  ) k(kind, "from", "to", is_changed)
  where m.severity_before is not null and k.is_changed
), ruled as (
  select w.id, i.decided_by, i.at, i.scan_id, i.first_status, i.first_reason, i.first_assignee, i.first_accepted_until, i.due_at,
    i.due_dates[case when i.severity = 'critical' then 1 when i.severity = 'high' then 2 when i.severity = 'medium' then 3 when i.severity = 'low' then 4 when i.severity = 'info' then 5 end] as due_policy
  from input i join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint
  where i.decided_by is not null and not w.deduplicated
), noted_rule as (
  insert into "org_template"."finding_events" (finding_id, at, id, kind, actor_id, "from", "to", reason, note, scan_id)
  select r.id, r.at, md5(r.id || k.kind)::uuid, k.kind, r.decided_by, k."from", k."to", k.reason,
    case when k.kind = 'status' then (select actions ->> 'note' from "org_template"."rules" where id = r.decided_by) end, r.scan_id
  from ruled r cross join lateral (values
    ('status', 'open', r.first_status, r.first_reason, r.first_status is not null),
    ('assignee', null, r.first_assignee::text, null, r.first_assignee is not null),
    ('accepted_until', null, to_json(r.first_accepted_until) #>> '{}', null, r.first_accepted_until is not null),
    ('due_at', to_json(r.due_policy) #>> '{}', to_json(r.due_at) #>> '{}', null, r.due_at is distinct from r.due_policy)
  ) k(kind, "from", "to", reason, is_changed)
  where k.is_changed
), told as (
  insert into "org_template"."events" (id, at, type, actor_id, finding_ids)
  select md5(t.type || min(r.id::text))::uuid, min(r.at), t.type, r.decided_by, array_agg(r.id order by r.id)
  from ruled r cross join lateral (values
    ('finding.status_changed', r.first_status is not null), ('finding.assigned', r.first_assignee is not null)) t(type, applies)
  where t.applies group by t.type, r.decided_by
), changed_by_rule as (
  insert into "org_template"."rule_changes" (rule_id, finding_id) select decided_by, id from ruled
), sighted as (
  insert into "org_template"."sightings" (scan_id, finding_id)
  select last_scan_id, id from written where last_scan_id <> scan_id
  on conflict do nothing
), present as (
  insert into "org_template"."finding_refs" as r (finding_id, series_id, first_seen_at, last_seen_at, last_scan_id)
  select w.id, s.series_id, w.last_seen_at, w.last_seen_at, s.scan_id from written w
  join scan s on s.scan_id = w.last_scan_id where s.series_id is not null
  on conflict (finding_id, series_id) do update set
    last_seen_at = excluded.last_seen_at, last_scan_id = excluded.last_scan_id, missing_since = null
  where r.last_scan_id <> excluded.last_scan_id or r.missing_since is not null
)
select i.ord, s.status as scan_status, not s.tracked as proposed, w.deduplicated,
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
    'created_at', w.created_at,
    'regressed_at', w.regressed_at,
    'reason', w.reason,
    'assignee_id', w.assignee_id,
    'due_at', w.due_at,
    'accepted_until', w.accepted_until,
    'missing_since', w.missing_since,
    'proposed', w.proposed,
    'rule_id', w.rule_id) end as known
from input i
left join scan s on s.scan_id = i.scan_id
left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id
