import { type SQL, sql } from 'drizzle-orm';
import { onItsWorker } from '../../citus.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { Placeholders } from '../../statements.ts';

/** The author and the time of a change. */
export interface Written {
  /** The id of a token or a user; null for the service. */
  actorId: string | null;
  /** Identifies the change in the activity of each finding. */
  changeId: string;
  now: string;
}

/** The causes of changes, as SQL. */
type ChangedBy = Record<'actor' | 'scanId' | 'endsRisk', SQL>;

/** Whether nobody needs to act on a finding. */
export function isResolved(status: SQL, regressed: SQL): SQL {
  return sql`(${status} not in ('open', 'confirmed') and not (${regressed}))`;
}

/** The columns of a finding that a change may set, and those that it needs. The CTE `before` has them. */
export const CHANGED_COLUMNS = sql`id, project_id, severity, status, status_changed_at, regressed, regressed_at, reason,
    assignee_id, due_at, due_dates, accepted_until, missing_since, change_id, proposed,
    case when ${isResolved(sql`status`, sql`regressed`)} then coalesce(resolved_at, status_changed_at) end as resolved_at`;

/** The fields before the change. The CTE `after` has them as well, which saves joins that the planner underestimates. */
export const WAS = sql.raw(
  [
    'status',
    'status_changed_at',
    'regressed',
    'regressed_at',
    'reason',
    'assignee_id',
    'due_at',
    'due_dates',
    'accepted_until',
    'resolved_at',
    'change_id',
  ]
    .map((column) => `b.${column} as was_${column}`)
    .join(', '),
);

/** The status that an entry gives for one side of a change: `regressed` if only that tells it from the other side. */
const shownStatus = (side: '' | 'was_', other: '' | 'was_'): SQL =>
  sql.raw(
    `case when a.status = a.was_status and a.${side}regressed and not a.${other}regressed then 'regressed' else a.${side}status end`,
  );

/**
 * Writes the CTE `after` (the findings as they shall be, with `note` and {@link WAS}) and counts and notes the differences from
 * what they were. Gives the CTE `changed`: the findings after the change.
 * Counts that stay the same are written too, which changes the revision (`revision.ts`).
 * @param by the actor of the events and the scan that caused them, and whether the acceptance of risks has ended, as SQL
 */
export const writeChanges = (
  tables: OrgTables,
  $: Placeholders<Written>,
  { actor = sql`${$.actorId}::uuid`, scanId = sql`null`, endsRisk = sql`false` }: Partial<ChangedBy> = {},
): SQL => sql`
changed as (
  update ${tables.findings} f set status = a.status, updated_at = ${$.now}::timestamptz,
    status_changed_at = a.status_changed_at, regressed = a.regressed, regressed_at = a.regressed_at, reason = a.reason,
    assignee_id = a.assignee_id, due_at = a.due_at, accepted_until = a.accepted_until, change_id = a.change_id,
    due_dates = a.due_dates, resolved_at = a.resolved_at
  from after a where f.id = a.id returning f.*
), moved as (
  select a.project_id, a.severity, k.status, k.change, k.change * k.regressed::int as regressed,
    k.change * coalesce(a.proposed::int, 0) as proposed
  from after a
  cross join lateral (values (a.was_status, a.was_regressed, -1), (a.status, a.regressed, 1)) k(status, regressed, change)
), counted as (
  insert into ${tables.findingCounts} as c (project_id, severity, status, count, regressed, proposed)
  select project_id, severity, status, sum(change), sum(regressed), sum(proposed) from moved ${onItsWorker(tables)}
  group by project_id, severity, status order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count,
    regressed = c.regressed + excluded.regressed, proposed = c.proposed + excluded.proposed
), events as materialized (
  select a.id as finding_id, md5(${$.changeId}::text || a.id || k.kind)::uuid as id, k.kind,
    case when k.kind = 'due_at' then to_json(a.was_due_at) #>> '{}' when k.kind = 'accepted_until' then to_json(a.was_accepted_until) #>> '{}'
      else k."from" end as "from",
    case when k.kind = 'due_at' then to_json(a.due_at) #>> '{}' when k.kind = 'accepted_until' then to_json(a.accepted_until) #>> '{}'
      else k."to" end as "to",
    case when k.kind = 'status' then a.reason end as reason,
    case when k.kind = 'status' then a.note end as note
  from after a cross join lateral (values
    ('status', ${shownStatus('was_', '')}, ${shownStatus('', 'was_')},
      a.status <> a.was_status or a.regressed <> a.was_regressed or a.reason is distinct from a.was_reason or a.note is not null),
    ('assignee', a.was_assignee_id::text, a.assignee_id::text, a.assignee_id is distinct from a.was_assignee_id),
    ('due_at', null, null, a.due_at is distinct from a.was_due_at),
    ('accepted_until', null, null, a.accepted_until is distinct from a.was_accepted_until)
  ) k(kind, "from", "to", is_changed)
  where k.is_changed
), noted as (
  insert into ${tables.findingEvents} (finding_id, at, id, change_id, kind, actor_id, "from", "to", reason, note, scan_id)
  select e.finding_id, ${$.now}::timestamptz, e.id, ${$.changeId}::uuid, e.kind, ${actor}, e."from", e."to", e.reason, e.note, ${scanId}
  from events e ${onItsWorker(tables)}
), told as (
  insert into ${tables.events} (id, at, type, subject, actor_id, finding_ids)
  select md5(${$.changeId}::text || t.type || min(e.finding_id::text))::uuid, ${$.now}::timestamptz, t.type, ${$.changeId}::text, ${actor},
    array_agg(e.finding_id order by e.finding_id)
  from events e join (values ('status', 'finding.status_changed', true), ('assignee', 'finding.assigned', true),
    ('status', 'finding.risk_acceptance_ended', ${endsRisk})) t(kind, type, applies) on t.kind = e.kind and t.applies ${onItsWorker(tables)}
  where e."from" is distinct from e."to" group by t.type on conflict do nothing
)`;
