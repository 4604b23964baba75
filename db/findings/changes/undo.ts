import { sql } from 'drizzle-orm';
import { retried } from '../../errors.ts';
import type { Sql } from '../../pool/query.ts';
import { limitedStatement, type Projects } from '../../projects/reach.ts';
import type { OrgTables } from '../../schema/org.ts';
import { orgStatement, type SqlClient } from '../../statements.ts';
import type { AcceptedRisk } from '../triage/accepted-risks.ts';
import type { ChangedFinding } from '../triage/triage.ts';
import { ofReached } from './list.ts';
import { CHANGED_COLUMNS, WAS, type Written, writeChanges } from './write.ts';

/*
 * A finding knows the latest change that was not undone. Undo restores the findings of a change that still know it, together
 * with the change that they knew before, so that changes can be undone one after another.
 */

/** A change that users may undo. */
export interface UndoableChange {
  /** Null: the service. */
  actor_id: string | null;
  undone_at: string | null;
  /** The risks that were accepted until a time before the change. */
  risks: AcceptedRisk[];
}

const findStatement = limitedStatement<{ id: string; since: string }, UndoableChange>(
  (tables, $, limit) => sql`
select actor_id, undone_at, coalesce((
  select json_agg(json_build_object('id', f.id, 'accepted_until', f.accepted_until))
  from json_to_recordset(c.fields) as f(id uuid, accepted_until text) where f.accepted_until is not null
), '[]') as risks
from ${tables.changes} c where id = ${$.id}::uuid and at >= ${$.since}::timestamptz${ofReached(tables, limit)}`,
);

/** Finds a change that was made since a time and is of some projects only. */
export async function findChange(
  client: SqlClient,
  tables: OrgTables,
  id: string,
  since: Date,
  projects: Projects,
): Promise<UndoableChange | undefined> {
  const [change] = await findStatement(tables, projects).run(client, { id, since: since.toISOString() });
  return change;
}

/** A finding of a change that was undone, as it is now. */
export interface RestoredFinding extends ChangedFinding {
  regressed: boolean;
}

/** Locks the change first, so that requests that undo it run one after another and the later ones find it undone. */
const undoStatement = orgStatement<Written & { id: string }, RestoredFinding>(
  (tables, $) => sql`
with change as materialized (
  select finding_ids, fields from ${tables.changes} where id = ${$.id}::uuid and undone_at is null for update
), wanted as materialized (
  select w.* from change cross join lateral json_to_recordset(change.fields) as w(
    id uuid, status text, status_changed_at timestamptz, regressed boolean, regressed_at timestamptz, reason text,
    assignee_id uuid, due_at timestamptz, due_dates timestamptz[], accepted_until timestamptz, resolved_at timestamptz,
    change_id uuid, to_status text,
    to_regressed boolean, to_reason text, to_assignee_id uuid, to_due_at timestamptz, to_accepted_until timestamptz)
), before as materialized (
  select ${CHANGED_COLUMNS} from ${tables.findings}
  where id = any (array(select unnest(finding_ids) from change))
  order by project_id, fingerprint for no key update
), after as materialized (
  select b.id, b.project_id, b.severity, b.proposed, null::text as note, w.status, w.status_changed_at, w.regressed, w.regressed_at,
    w.reason, w.assignee_id, w.due_at, w.due_dates, w.accepted_until, w.resolved_at, w.change_id, ${WAS}
  from before b join wanted w on w.id = b.id
  where (b.change_id, b.status, b.regressed, b.reason, b.assignee_id, b.due_at, b.accepted_until) is not distinct from
    (${$.id}::uuid, w.to_status, w.to_regressed, w.to_reason, w.to_assignee_id, w.to_due_at, w.to_accepted_until)
), ${writeChanges(tables, $)}, undone as (
  update ${tables.changes} set undone_at = ${$.now}::timestamptz
  where id = ${$.id}::uuid and undone_at is null and exists (select from after)
)
select before.id, coalesce(changed.status, before.status) as status, before.status as previous_status,
  coalesce(changed.regressed, before.regressed) as regressed, changed.id is null as conflicts
from change cross join lateral unnest(change.finding_ids) with ordinality as o(id, position)
join before on before.id = o.id left join changed on changed.id = before.id order by o.position`,
);

/**
 * Undoes a change of the findings that nobody has changed since.
 * @returns its findings in their order; none if the change is undone already or does not exist
 */
export async function undoChange(
  client: Sql,
  tables: OrgTables,
  undo: Written & { id: string },
): Promise<RestoredFinding[]> {
  return await retried(() => undoStatement(tables).run(client, undo));
}
