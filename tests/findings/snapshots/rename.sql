with input as materialized (
  select * from json_to_recordset($1::text::json) as r(
    ord int,
    id uuid,
    at timestamptz,
    actor_id uuid,
    scan_id text,
    project_id uuid,
    fingerprint text,
    previous_fingerprints text[],
    file text,
    line int)
), scan as materialized (
  select scan_id, project_id, series_id, tracked from "org_template"."scans"
  where scan_id = any (array(select scan_id from input))
), unknown as materialized (
  select i.*, s.series_id, s.tracked from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  where (
    select f.project_id = i.project_id and f.fingerprint = i.fingerprint from "org_template"."findings" f
    where (f.project_id, f.fingerprint) >= (i.project_id, i.fingerprint)
    order by f.project_id, f.fingerprint limit 1
  ) is not true
), found as materialized (
  select first.id, first.fingerprint, u.fingerprint as new_fingerprint, u.id as push_id, u.at, u.actor_id, u.scan_id, u.file, u.line,
    u.ord, not u.tracked and first.proposed is null as is_kept, first.file as old_file, first.line as old_line,
    u.file <> first.file as moves
  from unknown u cross join lateral (
    select next.id, next.proposed, next.file, next.line, p.fingerprint
    from unnest(u.previous_fingerprints) with ordinality as p(fingerprint, position)
    cross join lateral (
      select f.id, f.project_id, f.fingerprint, f.proposed, f.file, f.line from "org_template"."findings" f
      where (f.project_id, f.fingerprint) >= (u.project_id, p.fingerprint)
      order by f.project_id, f.fingerprint limit 1
    ) next
    where next.project_id = u.project_id and next.fingerprint = p.fingerprint
      and (u.tracked or next.proposed or not exists (
        select from "org_template"."finding_refs" r where r.finding_id = next.id and r.series_id = u.series_id and r.last_scan_id = u.scan_id))
    order by p.position limit 1
  ) first
  order by u.project_id, first.fingerprint
), renamed as (
  update "org_template"."findings" f set fingerprint = r.new_fingerprint from found r
  where f.id = r.id and f.fingerprint = r.fingerprint and not r.is_kept
  returning r.*
), events as materialized (
  select id as finding_id, at, md5(push_id::text || 'renamed')::uuid as id, actor_id, scan_id,
    case when moves then 'moved' else 'matched' end as kind,
    case when moves then concat_ws(':', old_file, old_line) else fingerprint end as "from",
    case when moves then concat_ws(':', coalesce(file, old_file), coalesce(line, old_line)) else new_fingerprint end as "to"
  from renamed
), noted as (
  insert into "org_template"."finding_events" (finding_id, at, id, kind, actor_id, scan_id, "from", "to")
  select e.finding_id, e.at, e.id, e.kind, e.actor_id, e.scan_id, e."from", e."to" from events e cross join (select count(*) from "org_template"."policy_versions") on_its_worker
)
select (select count(*) from found where not is_kept)::int as found, (select count(*) from renamed)::int as renamed,
  (select json_agg(json_build_object('ord', ord, 'fingerprint', fingerprint)) from found where is_kept) as kept
