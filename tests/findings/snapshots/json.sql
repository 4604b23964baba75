select '{"id":' || '"' || "org_template"."findings"."id" || '"'
  || ',"scan_id":' || to_json("org_template"."findings"."scan_id")
  || ',"last_scan_id":' || to_json("org_template"."findings"."last_scan_id")
  || ',"project_id":' || '"' || "org_template"."findings"."project_id" || '"'
  || ',"fingerprint":' || to_json("org_template"."findings"."fingerprint")
  || ',"title":' || to_json("org_template"."findings"."title")
  || ',"severity":' || to_json("org_template"."findings"."severity")
  || ',"description":' || to_json("org_template"."findings"."description")
  || coalesce(',"cwe":' || to_json("org_template"."findings"."cwe"), '')
  || coalesce(',"cve":' || to_json("org_template"."findings"."cve"), '')
  || coalesce(',"cvss_score":' || "org_template"."findings"."cvss_score", '')
  || coalesce(',"cvss_vector":' || to_json("org_template"."findings"."cvss_vector"), '')
  || coalesce(',"file":' || to_json("org_template"."findings"."file"), '')
  || coalesce(',"line":' || "org_template"."findings"."line", '')
  || coalesce(',"source":' || to_json("org_template"."findings"."source"), '')
  || ',"status":' || to_json("org_template"."findings"."status")
  || ',"status_changed_at":' || to_char("org_template"."findings"."status_changed_at" at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""')
  || ',"regressed":' || "org_template"."findings"."regressed"
  || ',"seen_count":' || "org_template"."findings"."seen_count"
  || ',"last_seen_at":' || to_char("org_template"."findings"."last_seen_at" at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""')
  || ',"created_at":' || to_char("org_template"."findings"."created_at" at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""')
  || ',"updated_at":' || to_char("org_template"."findings"."updated_at" at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""')
  || coalesce(',"regressed_at":' || to_char("org_template"."findings"."regressed_at" at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), '')
  || coalesce(',"reason":' || to_json("org_template"."findings"."reason"), '')
  || coalesce(',"assignee_id":' || '"' || "org_template"."findings"."assignee_id" || '"', '')
  || coalesce(',"due_at":' || to_char("org_template"."findings"."due_at" at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), '')
  || coalesce(',"accepted_until":' || to_char("org_template"."findings"."accepted_until" at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), '')
  || coalesce(',"missing_since":' || to_char("org_template"."findings"."missing_since" at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), '')
  || coalesce(',"proposed":' || "org_template"."findings"."proposed", '')
  || coalesce(',"rule_id":' || to_json("org_template"."findings"."rule_id"), '') || '}'
from "org_template".findings
