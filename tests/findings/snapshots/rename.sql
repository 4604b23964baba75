with input as materialized (
  select * from json_to_recordset($1::text::json) as r(
    scan_id text,
    project_id uuid,
    fingerprint text,
    previous_fingerprints text[])
), scan as materialized (
  select scan_id, project_id from "org_template"."scans"
  where scan_id = any (array(select scan_id from input))
), unknown as materialized (
  select i.* from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
  where (
    select f.project_id = i.project_id and f.fingerprint = i.fingerprint from "org_template"."findings" f
    where (f.project_id, f.fingerprint) >= (i.project_id, i.fingerprint)
    order by f.project_id, f.fingerprint limit 1
  ) is not true
), found as materialized (
  select first.id, first.fingerprint, u.fingerprint as new_fingerprint
  from unknown u cross join lateral (
    select next.id, p.fingerprint
    from unnest(u.previous_fingerprints) with ordinality as p(fingerprint, position)
    cross join lateral (
      select f.id, f.project_id, f.fingerprint from "org_template"."findings" f
      where (f.project_id, f.fingerprint) >= (u.project_id, p.fingerprint)
      order by f.project_id, f.fingerprint limit 1
    ) next
    where next.project_id = u.project_id and next.fingerprint = p.fingerprint
    order by p.position limit 1
  ) first
), locked as materialized (
  select f.id, found.new_fingerprint from found
  join "org_template"."findings" f on f.id = found.id and f.fingerprint = found.fingerprint
  order by f.project_id, f.fingerprint for update
), renamed as (
  update "org_template"."findings" f set fingerprint = locked.new_fingerprint
  from locked where f.id = locked.id
  returning f.id
)
select (select count(*) from found)::int as found, (select count(*) from renamed)::int as renamed
