import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { FindingStatus, OrgTables } from './org.ts';
import { runPrepared } from './prepared.ts';
import { type FindingRow, findingFields, json, type Resource, withCte } from './resources.ts';

/** These statuses say that the matter is settled: a regression noted before is settled with it. */
const SETTLED: ReadonlySet<FindingStatus> = new Set(['fixed', 'verified', 'false_positive', 'wontfix']);

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
  const { findings, findingCounts } = tables;
  const { id, projectId } = change;
  const status = sql`${change.status}::text`;
  const now = sql`${change.now.toISOString()}::timestamptz`;
  const [row] = await runPrepared<{ finding: Resource<FindingRow> }>(
    client,
    sql`
with before as materialized (
  select id, project_id, severity, status, status_changed_at from ${findings}
  where id = ${id}::uuid ${projectId === undefined ? sql`` : sql`and project_id = ${projectId}::uuid`}
  for no key update
), changed as (
  update ${findings} f set status = ${status}, updated_at = ${now},
    status_changed_at = case when before.status = ${status} then before.status_changed_at else ${now} end
    ${SETTLED.has(change.status) ? sql`, regressed = false` : sql``}
  from before where f.id = before.id returning f.*
), counted as (
  insert into ${findingCounts} as c (project_id, severity, status, count)
  select project_id, severity, status, change from (
    select project_id, severity, status, -1 as change from before where status <> ${status}
    union all
    select project_id, severity, ${status}, 1 from before where status <> ${status}
  ) changes order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count
)
select ${json(findingFields(withCte(tables, 'findings', 'changed')))} as finding from changed`,
  );
  return row?.finding;
}
