import { type SQL, sql } from 'drizzle-orm';
import { retried } from '../errors.ts';
import type { Sql } from '../pool/query.ts';
import { type FindingRow, findingFields, json, type Resource, withCte } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import type { FindingStatus } from '../schema/values.ts';
import { orgStatement } from '../statements.ts';

/** These statuses say that the matter is settled: a regression noted before is settled with it. */
const SETTLED: ReadonlySet<FindingStatus> = new Set(['fixed', 'verified', 'false_positive', 'wontfix']);

interface SetStatuses {
  /** JSON, each finding once. */
  changes: string;
  /** The project that the findings must belong to; null for any. */
  projectId: string | null;
  now: string;
}

/**
 * Findings are locked in the order in which pushes write them, all of them before the first count, and counts in the
 * order of their key: so nobody waits in a circle. What was counted before is read from the locked rows.
 */
const setStatuses = <Row extends object>(answer: (tables: OrgTables) => SQL) =>
  orgStatement<SetStatuses, Row>(
    (tables, $) => sql`
with change as materialized (
  select * from json_to_recordset(${$.changes}::text::json) as c(id uuid, status text, settled boolean)
), before as materialized (
  select id, project_id, severity, status, status_changed_at from ${tables.findings}
  where id = any (array(select id from change)) and (${$.projectId}::uuid is null or project_id = ${$.projectId}::uuid)
  order by project_id, fingerprint for no key update
), changed as (
  update ${tables.findings} f set status = change.status, updated_at = ${$.now}::timestamptz,
    status_changed_at = case when before.status = change.status then before.status_changed_at
      else ${$.now}::timestamptz end,
    regressed = f.regressed and not change.settled
  from before join change on change.id = before.id where f.id = before.id returning f.*
), moved as (
  select project_id, severity, before.status as "from", change.status as "to"
  from before join change on change.id = before.id where before.status <> change.status
), counted as (
  insert into ${tables.findingCounts} as c (project_id, severity, status, count)
  select project_id, severity, status, sum(change) from (
    select project_id, severity, "from" as status, -1 as change from moved
    union all
    select project_id, severity, "to", 1 from moved
  ) changes group by project_id, severity, status having sum(change) <> 0 order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count
)
${answer(tables)}`,
  );

const setOne = setStatuses<{ finding: Resource<FindingRow> }>(
  (tables) =>
    sql`select ${json(findingFields(withCte(tables, 'findings', 'changed')))} as finding from changed`,
);

const setMany = setStatuses<ChangedStatus>(
  () =>
    sql`select changed.id, changed.status, before.status as previous_status
from changed join before on before.id = changed.id`,
);

/** A finding's new status. */
export interface StatusChange {
  id: string;
  status: FindingStatus;
}

const parametersOf = (
  changes: readonly StatusChange[],
  now: Date,
  projectId: string | null = null,
): SetStatuses => ({
  changes: JSON.stringify(changes.map(({ id, status }) => ({ id, status, settled: SETTLED.has(status) }))),
  projectId,
  now: now.toISOString(),
});

/**
 * Sets a finding's status, and keeps the counts. Changes at the same time follow each other.
 * @param change.projectId the project that the finding must belong to; null or unset: any
 * @returns the finding after the change, or undefined when there is none such
 */
export async function setFindingStatus(
  client: Sql,
  tables: OrgTables,
  { now, projectId, ...change }: StatusChange & { now: Date; projectId?: string | null },
): Promise<Resource<FindingRow> | undefined> {
  const parameters = parametersOf([change], now, projectId);
  const [row] = await retried(() => setOne(tables).run(client, parameters));
  return row?.finding;
}

/** A finding whose status was set. */
export interface ChangedStatus extends StatusChange {
  previous_status: FindingStatus;
}

/**
 * Sets the statuses of findings, all in one statement, and keeps the counts.
 * @param changes each finding once
 * @returns those there are, in any order
 */
export async function setFindingStatuses(
  client: Sql,
  tables: OrgTables,
  changes: readonly StatusChange[],
  now: Date,
): Promise<ChangedStatus[]> {
  return await retried(() => setMany(tables).run(client, parametersOf(changes, now)));
}
