import { type SQL, sql } from 'drizzle-orm';
import { onItsWorker } from '../../citus.ts';
import { retried } from '../../errors.ts';
import type { Sql } from '../../pool/query.ts';
import { type FindingRow, findingFields, json, type Resource, withCte } from '../../resources.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { ChangedFields, FindingStatus, TriageReason } from '../../schema/values.ts';
import { orgStatement, type SqlClient } from '../../statements.ts';
import { CHANGED_COLUMNS, isResolved, WAS, type Written, writeChanges } from '../changes/write.ts';

/** A finding with one of these statuses no longer counts as regressed. */
const SETTLED: ReadonlySet<FindingStatus> = new Set(['fixed', 'verified', 'false_positive', 'wontfix']);

/** A change of a finding. A field that is left out stays. */
export interface FindingChange {
  id: string;
  status?: FindingStatus | undefined;
  /** Why it has its status. A new status without a reason has none. */
  reason?: TriageReason | null | undefined;
  /** A remark about the change. */
  note?: string | undefined;
  /** A user id. */
  assignee_id?: string | null | undefined;
  /** RFC 3339. */
  due_at?: string | null | undefined;
  /** RFC 3339. Another status removes it. */
  accepted_until?: string | null | undefined;
  /** A finding with another status is not changed. */
  if_status?: FindingStatus | undefined;
  /** A finding that was changed last by another change is not changed; null: by any. */
  if_change_id?: string | null | undefined;
  /** RFC 3339. A finding whose `accepted_until` is later is not changed. */
  if_accepted_until?: string | undefined;
  /** A finding that was seen again is not changed. */
  if_missing?: boolean | undefined;
  /** An assignee stays, and so does a due date that someone has set. A finding of which nothing changes is not changed. */
  only_unset?: boolean | undefined;
}

interface Change extends Written {
  /** JSON, each finding once. */
  changes: string;
  /** The project that the findings must belong to; null for any. */
  projectId: string | null;
  /** JSON of {@link ChangedFields}; null if the change cannot be undone. */
  what: string | null;
  /** The rule that the actor applies; null if there is none. */
  ruleId: string | null;
  /** The scan that caused the change. */
  scanId: string | null;
  /** See {@link Changer}. */
  unlessMoving: boolean;
  endsRisk: boolean;
}

/**
 * Locks findings in the order in which pushes write them, all of them before the first count, and counts in the order of
 * their key, so that transactions cannot deadlock. The counts and events before the change come from the locked rows.
 */
const changeStatement = <Row extends object>(answer: (tables: OrgTables) => SQL) =>
  orgStatement<Change, Row>(
    (tables, $) => sql`
with change as materialized (
  select * from json_to_recordset(${$.changes}::text::json) as c(
    id uuid, position int, status text, settled boolean, if_status text, if_change_id uuid, checks_change_id boolean,
    if_accepted_until timestamptz, if_missing boolean, only_unset boolean, note text, reason text, sets_reason boolean,
    assignee_id uuid, sets_assignee_id boolean,
    due_at timestamptz, sets_due_at boolean, accepted_until timestamptz, sets_accepted_until boolean)
), moving as materialized (
  select id from ${tables.projects} where transfer = 'out' and ${$.unlessMoving}::boolean
), before as materialized (
  select ${CHANGED_COLUMNS} from ${tables.findings}
  where id = any (array(select id from change)) and (${$.projectId}::uuid is null or project_id = ${$.projectId}::uuid)
    and (not exists (select from moving) or not exists (
      select from ${tables.findings} m where m.id = any (array(select id from change))
        and m.project_id = any (array(select id from moving))))
  order by project_id, fingerprint for no key update
), after as materialized (
  select b.id, b.project_id, b.severity, b.proposed, c.position, c.note, coalesce(c.status, b.status) as status,
    case when k.decides then ${$.now}::timestamptz else b.status_changed_at end as status_changed_at,
    b.regressed and c.settled is not true as regressed,
    case when c.settled is not true then b.regressed_at end as regressed_at,
    case when c.sets_reason then c.reason when c.status <> b.status then null else b.reason end as reason,
    case when k.assigns then c.assignee_id else b.assignee_id end as assignee_id,
    case when k.dates then c.due_at else b.due_at end as due_at,
    case when c.sets_accepted_until then c.accepted_until when c.status <> b.status then null
      else b.accepted_until end as accepted_until,
    case when ${isResolved(sql`coalesce(c.status, b.status)`, sql`b.regressed and c.settled is not true`)}
      then coalesce(b.resolved_at, ${$.now}::timestamptz) end as resolved_at,
    case when k.dates and c.only_unset is not true then null else b.due_dates end as due_dates,
    ${$.changeId}::uuid as change_id, ${WAS}
  from before b join change c on c.id = b.id cross join lateral (values (
    c.status <> b.status or (c.settled is true and b.regressed),
    c.sets_assignee_id and not (c.only_unset is true and b.assignee_id is not null),
    c.sets_due_at and not (c.only_unset is true and b.due_at is not null and b.due_dates is null)
  )) k(decides, assigns, dates)
  where (c.if_status is null or c.if_status = b.status)
    and (c.checks_change_id is not true or c.if_change_id is not distinct from b.change_id)
    and (c.if_accepted_until is null or b.accepted_until <= c.if_accepted_until)
    and (c.if_missing is not true or b.missing_since is not null)
    and (c.only_unset is not true or k.decides or k.assigns or (k.dates and c.due_at is distinct from b.due_at))
), ${writeChanges(tables, $, {
      actor: sql`coalesce(${$.ruleId}::uuid, ${$.actorId}::uuid)`,
      scanId: sql`${$.scanId}::text`,
      endsRisk: sql`${$.endsRisk}::boolean`,
    })}, fields as materialized (
  select array_agg(r.id) as ids, ${$.what}::text::json as what, json_strip_nulls(json_agg(r)) as fields from (
    select id, was_status as status, was_status_changed_at as status_changed_at, was_regressed as regressed,
      was_regressed_at as regressed_at, was_reason as reason, was_assignee_id as assignee_id, was_due_at as due_at,
      was_accepted_until as accepted_until, was_resolved_at as resolved_at, was_due_dates as due_dates,
      was_change_id as change_id, status as to_status, regressed as to_regressed, reason as to_reason, assignee_id as to_assignee_id, due_at as to_due_at, accepted_until as to_accepted_until
    from after where ${$.what}::text is not null order by position
  ) r having count(*) > 0
), recorded as (
  insert into ${tables.changes} (id, at, actor_id, finding_ids, what, fields, rule_id)
  select ${$.changeId}::uuid, ${$.now}::timestamptz, ${$.actorId}::uuid, ids, what, fields, ${$.ruleId}::uuid
  from fields ${onItsWorker(tables)}
)
${answer(tables)}`,
  );

const changeOne = changeStatement<{ finding: Resource<FindingRow> | null }>(
  (tables) => sql`
select ${json(findingFields(withCte(tables, 'findings', 'changed')))} as finding
from before left join changed on changed.id = before.id`,
);

const changeMany = changeStatement<ChangedFinding>(
  () => sql`
select before.id, coalesce(changed.status, before.status) as status, before.status as previous_status,
  changed.id is null as conflicts
from before left join changed on changed.id = before.id`,
);

/** The author and the time of a change. */
export interface Changer {
  now: Date;
  /** A token or a user; null for the service. */
  actorId: string | null;
  /** A new UUID. */
  changeId: string;
  /** The project that the findings must belong to; null or unset: any. */
  projectId?: string | null;
  /** Set if the change can be undone: the new values that all findings have in common. */
  what?: ChangedFields;
  /** The rule that the actor applies. The activity shows it as the actor. */
  ruleId?: string;
  /** The scan that caused the change. */
  scanId?: string;
  /** Finds nothing if one of the findings is of a project that moves to another organization, instead of waiting for its move. */
  unlessMoving?: boolean;
  /** The time has come until which their risk was accepted. */
  endsRisk?: boolean;
}

function parametersOf(changes: readonly FindingChange[], changer: Changer): Change {
  const { now, actorId, changeId, projectId = null, ruleId = null, scanId = null } = changer;
  const { unlessMoving = false, endsRisk = false } = changer;
  const what = changer.what ? JSON.stringify(changer.what) : null;
  const rows = changes.map(({ reason, assignee_id, due_at, accepted_until, ...change }, position) => ({
    ...change,
    position,
    settled: change.status && SETTLED.has(change.status),
    ...(change.if_change_id !== undefined && { checks_change_id: true }),
    ...(reason !== undefined && { reason, sets_reason: true }),
    ...(assignee_id !== undefined && { assignee_id, sets_assignee_id: true }),
    ...(due_at !== undefined && { due_at, sets_due_at: true }),
    ...(accepted_until !== undefined && { accepted_until, sets_accepted_until: true }),
  }));
  return {
    changes: JSON.stringify(rows),
    projectId,
    actorId,
    changeId,
    what,
    ruleId,
    scanId,
    unlessMoving,
    endsRisk,
    now: now.toISOString(),
  };
}

/** The finding after a change. `conflict`: it has another status than `if_status`. `missing`: it does not exist. */
export type ChangeOutcome =
  | { kind: 'changed'; finding: Resource<FindingRow> }
  | { kind: 'conflict' }
  | { kind: 'missing' };

/** Changes a finding, its counts and its activity. Concurrent changes run one after another. */
export async function changeFinding(
  client: Sql,
  tables: OrgTables,
  change: FindingChange,
  changer: Changer,
): Promise<ChangeOutcome> {
  const [row] = await retried(() => changeOne(tables).run(client, parametersOf([change], changer)));
  if (!row) return { kind: 'missing' };
  return row.finding ? { kind: 'changed', finding: row.finding } : { kind: 'conflict' };
}

/** A finding that was to be changed. */
export interface ChangedFinding {
  id: string;
  status: FindingStatus;
  previous_status: FindingStatus;
  /** Whether it was not changed, because a condition of the change is not met. */
  conflicts: boolean;
}

/**
 * Changes findings, their counts and their activity in one statement.
 * @param changes each finding once
 * @returns the findings that exist, in any order
 */
export async function changeFindings(
  client: Sql,
  tables: OrgTables,
  changes: readonly FindingChange[],
  changer: Changer,
): Promise<ChangedFinding[]> {
  return await retried(() => changeFindingsIn(client, tables, changes, changer));
}

/** The same in a transaction, which is to be {@link retried}. */
export const changeFindingsIn = (
  tx: SqlClient,
  tables: OrgTables,
  changes: readonly FindingChange[],
  changer: Changer,
): Promise<ChangedFinding[]> => changeMany(tables).run(tx, parametersOf(changes, changer));
