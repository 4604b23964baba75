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
    u.ord, not u.tracked and first.proposed is null as is_kept
  from unknown u cross join lateral (
    select next.id, next.proposed, p.fingerprint
    from unnest(u.previous_fingerprints) with ordinality as p(fingerprint, position)
    cross join lateral (
      select f.id, f.project_id, f.fingerprint, f.proposed from "org_template"."findings" f
      where (f.project_id, f.fingerprint) >= (u.project_id, p.fingerprint)
      order by f.project_id, f.fingerprint limit 1
    ) next
    where next.project_id = u.project_id and next.fingerprint = p.fingerprint
      and (u.tracked or next.proposed or not exists (
        select from "org_template"."finding_refs" r where r.finding_id = next.id and r.series_id = u.series_id and r.last_scan_id = u.scan_id))
    order by p.position limit 1
  ) first
), locked as materialized (
  select f.id, found.fingerprint, found.new_fingerprint, found.push_id, found.at, found.actor_id, found.scan_id,
    f.file, f.line, coalesce(found.file, f.file) as new_file, coalesce(found.line, f.line) as new_line from found
  join "org_template"."findings" f on f.id = found.id and f.fingerprint = found.fingerprint
  where not found.is_kept
  order by f.project_id, f.fingerprint for update
), renamed as (
  update "org_template"."findings" f set fingerprint = locked.new_fingerprint
  from locked where f.id = locked.id
  returning locked.*
), events as materialized (
  select r.id as finding_id, r.at, md5(r.push_id::text || k.kind)::uuid as id, k.kind, r.actor_id, r.scan_id, k."from", k."to"
  from renamed r cross join lateral (values
    ('moved', concat_ws(':', r.file, r.line), concat_ws(':', r.new_file, r.new_line), r.file <> r.new_file),
    ('matched', r.fingerprint, r.new_fingerprint, r.file is not distinct from r.new_file)
  ) k(kind, "from", "to", applies)
  where k.applies
), noted as (
  insert into "org_template"."finding_events" (finding_id, at, id, kind, actor_id, scan_id, "from", "to")
  select e.finding_id, e.at, e.id, e.kind, e.actor_id, e.scan_id, e."from", e."to" from events e cross join (select count(*) from "org_template"."policy_versions") on_its_worker
)
select (select count(*) from found where not is_kept)::int as found, (select count(*) from renamed)::int as renamed,
  (select json_agg(json_build_object('ord', ord, 'fingerprint', fingerprint)) from found where is_kept) as kept
