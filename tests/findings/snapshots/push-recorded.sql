rule_id text,
    key uuid,
    position int,
    claimed_at timestamptz)
), recorded as (
  insert into "org_template"."idempotency_keys" (key, position, created_at, has_scan, finding_id, deduplicated, regressed, status)
  select i.key, i.position, i.claimed_at, s.scan_id is not null, w.id, w.deduplicated, w.regressed, w.status
  from input i
  left join scan s on s.scan_id = i.scan_id
  left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id
  where i.key is not null and (s.scan_id is not null or (
    select p.transfer from "org_template"."scans" k join "org_template"."projects" p on p.id = k.project_id where k.scan_id = i.scan_id
  ) is null)
  order by i.key, i.position
