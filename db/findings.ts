import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { FindingStatus, OrgTables } from './org.ts';
import { type FindingRow, findingFields, json, type Resource, withCte } from './resources.ts';
import { orgStatement } from './statements.ts';

/** These statuses say that the matter is settled: a regression noted before is settled with it. */
const SETTLED: ReadonlySet<FindingStatus> = new Set(['fixed', 'verified', 'false_positive', 'wontfix']);

/** $1 the finding, $2 its project or null for any, $3 the status, $4 whether that settles it, $5 now. */
const setStatus = orgStatement(
  (tables) => sql`
with before as materialized (
  select id, project_id, severity, status, status_changed_at from ${tables.findings}
  where id = $1::uuid and ($2::uuid is null or project_id = $2::uuid) for no key update
), changed as (
  update ${tables.findings} f set status = $3::text, updated_at = $5::timestamptz,
    status_changed_at = case when before.status = $3::text then before.status_changed_at else $5::timestamptz end,
    regressed = f.regressed and not $4::boolean
  from before where f.id = before.id returning f.*
), counted as (
  insert into ${tables.findingCounts} as c (project_id, severity, status, count)
  select project_id, severity, status, change from (
    select project_id, severity, status, -1 as change from before where status <> $3::text
    union all
    select project_id, severity, $3::text, 1 from before where status <> $3::text
  ) changes order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count
)
select ${json(findingFields(withCte(tables, 'findings', 'changed')))} as finding from changed`,
);

/**
 * Sets a finding's status, and keeps the counts. What was counted before is read from the locked row, so that changes
 * at the same time follow each other.
 * @param change.projectId the project it has to be of
 * @returns the finding after the change, or undefined when there is none such
 */
export async function setFindingStatus(
  client: Sql,
  tables: OrgTables,
  change: { id: string; status: FindingStatus; now: Date; projectId?: string | undefined },
): Promise<Resource<FindingRow> | undefined> {
  const { id, status, now, projectId = null } = change;
  const parameters = [id, projectId, status, SETTLED.has(status), now.toISOString()];
  const [row] = await client.unsafe<{ finding: Resource<FindingRow> }[]>(setStatus(tables), parameters);
  return row?.finding;
}
