import { type SQL, sql } from 'drizzle-orm';
import type { OrgTables } from '../../schema/org.ts';
import { arrayText, orgStatement, type Placeholders, type SqlClient } from '../../statements.ts';
import { policyDueAt } from '../fields.ts';
import type { Batch, WrittenRow } from './push.ts';
import {
  definitionsOf,
  insertedColumns,
  insertedValues,
  policyInput,
  pushedInput,
  returnedColumns,
  storedPairs,
  takesNoPushes,
  updates,
} from './push-sql.ts';

interface Params {
  /** JSON array of the pushes, each with `ord`, `id` and `at`. */
  pushes: string;
  /** PostgreSQL array of the ids of the tokens and users whose pushes these are. */
  actorIds: string;
  now: string;
  version: number | null;
}

/** Writes a batch for PostgreSQL, in one statement. @returns no rows if another version of the policies is stored */
export function writeAtOnce(client: SqlClient, tables: OrgTables, batch: Batch): Promise<WrittenRow[]> {
  const { rows, actorIds, now, version } = batch;
  const statement = rows.some(({ key }) => key) ? recordingStatement : ingestStatement;
  const pushes = JSON.stringify(rows);
  return statement(tables).run(client, { pushes, actorIds: arrayText(actorIds), now, version });
}

/**
 * The statement that writes a batch.
 * tests/findings/snapshots/push.sql shows its text.
 *
 * - Scans are looked up through an array. For a join with the recordset, PostgreSQL expects so many rows that it would
 *   read all scans.
 * - Rows are written in the order of their key, so that the batches of two processes cannot deadlock.
 * - `for share` makes the end of a scan wait for pushes in progress.
 * - A deleted project has no scans for pushes, although they are still being removed. Neither has one that moves to another organization.
 * - A locked token is skipped: the transaction that holds the lock sets `last_used` to the same time.
 * - Ids, due dates and what rules decide come with the pushes. The version of the policies is read in this statement, so that
 *   a change of them by any process counts for the next push without another round trip.
 * - DO UPDATE uses columns and operators only, which Citus requires.
 * - Counts change by `severity_before` and `regressed_before` of the written rows, which also reflect a concurrent change that
 *   this statement's snapshot does not show. They are written after the last finding is locked, in the order of their key.
 */
export const ingestStatement = orgStatement<Params, WrittenRow>((tables, $) => writePushes(tables, $));

/**
 * The same, and records the outcome of each push under its idempotency key. tests/findings/snapshots/push-recorded.sql
 * shows its text.
 */
export const recordingStatement = orgStatement<Params, WrittenRow>((tables, $) =>
  writePushes(tables, $, {
    columns: sql`,
    key uuid,
    position int,
    claimed_at timestamptz`,
    cte: recorded(tables),
  }),
);

/** Leaves out pushes to a project that moves to another organization: if that is cancelled, a repeated request writes them. */
const recorded = ({ idempotencyKeys, projects, scans }: OrgTables) => sql`, recorded as (
  insert into ${idempotencyKeys} (key, position, created_at, has_scan, finding_id, deduplicated, regressed, status)
  select i.key, i.position, i.claimed_at, s.scan_id is not null, w.id, w.deduplicated, w.regressed, w.status
  from input i
  left join scan s on s.scan_id = i.scan_id
  left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id
  where i.key is not null and (s.scan_id is not null or (
    select p.transfer from ${scans} k join ${projects} p on p.id = k.project_id where k.scan_id = i.scan_id
  ) is null)
  order by i.key, i.position
)`;

const NOTHING = { columns: sql.raw(''), cte: sql.raw('') };

/** @param records what a statement has in addition that records outcomes */
const writePushes = (
  tables: OrgTables,
  $: Placeholders<Params>,
  records: { columns: SQL; cte: SQL } = NOTHING,
) => sql`
with input as materialized (
  select r.*, (${$.actorIds}::uuid[])[r.actor] as actor_id from json_to_recordset(${$.pushes}::text::json) as r(
    ord int,
    id uuid,
    at timestamptz,
    actor int,
    ${sql.raw(definitionsOf(policyInput))},
    ${sql.raw(definitionsOf(pushedInput))}${records.columns})
  where ${$.version}::int is null
    or ${$.version}::int = coalesce((select version from ${tables.policyVersions}), 0)
), scan as materialized (
  select scan_id, project_id, status, series_id, tracked from ${tables.scans} s
  where scan_id = any (array(select scan_id from input))
    and not exists (select from ${tables.projects} p where p.id = s.project_id and ${sql.raw(takesNoPushes)}) for share
), token as materialized (
  select id from ${tables.apiTokens}
  where id = any (${$.actorIds}::uuid[]) for no key update skip locked
), touched as (
  update ${tables.apiTokens} t set last_used = ${$.now}::timestamptz from token where t.id = token.id
), written as (
  insert into ${tables.findings} as f (
    ${sql.raw(insertedColumns)})
  select
    ${sql.raw(insertedValues('i'))}
  from (
    select input.*, case when not s.tracked then true end as proposed
    from input join scan s on s.scan_id = input.scan_id and s.project_id = input.project_id
  ) i
  order by i.project_id, i.fingerprint
  on conflict (project_id, fingerprint) do update set
    ${sql.raw(updates('f'))}
  returning
    ${sql.raw(returnedColumns('f'))}
), moved as (
  select * from written where severity is distinct from severity_before or regressed is distinct from regressed_before
    or proposed is distinct from proposed_before
), counted as (
  insert into ${tables.findingCounts} as c (project_id, severity, status, count, regressed, proposed)
  select project_id, severity, status, sum(change), sum(regressed), sum(proposed) from (
    select project_id, severity, status, 1 as change, regressed::int as regressed, coalesce(proposed::int, 0) as proposed from moved
    union all
    select project_id, severity_before, status, -1, -(regressed_before::int), -coalesce(proposed_before::int, 0)
    from moved where severity_before is not null
  ) changes group by project_id, severity, status
  having sum(change) <> 0 or sum(regressed) <> 0 or sum(proposed) <> 0
  order by project_id, severity, status
  on conflict (project_id, severity, status) do update set count = c.count + excluded.count,
    regressed = c.regressed + excluded.regressed, proposed = c.proposed + excluded.proposed
), noted as (
  insert into ${tables.findingEvents} (finding_id, at, id, kind, actor_id, "from", "to", scan_id)
  select m.id, i.at, md5(i.id || k.kind)::uuid, k.kind, i.actor_id, k."from", k."to", i.scan_id
  from moved m join input i on i.project_id = m.project_id and i.fingerprint = m.fingerprint
  cross join lateral (values
    ('severity', m.severity_before, m.severity, m.severity <> m.severity_before),
    ('regressed', m.status, null, m.regressed and not m.regressed_before),
    ('merged', null, null, m.proposed_before and m.proposed is null),
    ('due_at', to_json(m.due_before) #>> '{}', to_json(m.due_at) #>> '{}', m.due_at is distinct from m.due_before)
  ) k(kind, "from", "to", is_changed)
  where m.severity_before is not null and k.is_changed
), ruled as (
  select w.id, i.decided_by, i.at, i.scan_id, i.first_status, i.first_reason, i.first_assignee, i.first_accepted_until, i.due_at,
    ${sql.raw(policyDueAt('i'))} as due_policy
  from input i join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint
  where i.decided_by is not null and not w.deduplicated
), noted_rule as (
  insert into ${tables.findingEvents} (finding_id, at, id, kind, actor_id, "from", "to", reason, note, scan_id)
  select r.id, r.at, md5(r.id || k.kind)::uuid, k.kind, r.decided_by, k."from", k."to", k.reason,
    case when k.kind = 'status' then (select actions ->> 'note' from ${tables.rules} where id = r.decided_by) end, r.scan_id
  from ruled r cross join lateral (values
    ('status', 'open', r.first_status, r.first_reason, r.first_status is not null),
    ('assignee', null, r.first_assignee::text, null, r.first_assignee is not null),
    ('accepted_until', null, to_json(r.first_accepted_until) #>> '{}', null, r.first_accepted_until is not null),
    ('due_at', to_json(r.due_policy) #>> '{}', to_json(r.due_at) #>> '{}', null, r.due_at is distinct from r.due_policy)
  ) k(kind, "from", "to", reason, is_changed)
  where k.is_changed
), told as (
  insert into ${tables.events} (id, at, type, actor_id, finding_ids)
  select md5(t.type || min(r.id::text))::uuid, min(r.at), t.type, r.decided_by, array_agg(r.id order by r.id)
  from ruled r cross join lateral (values
    ('finding.status_changed', r.first_status is not null), ('finding.assigned', r.first_assignee is not null)) t(type, applies)
  where t.applies group by t.type, r.decided_by
), changed_by_rule as (
  insert into ${tables.ruleChanges} (rule_id, finding_id) select decided_by, id from ruled
), sighted as (
  insert into ${tables.sightings} (scan_id, finding_id)
  select last_scan_id, id from written where last_scan_id <> scan_id
  on conflict do nothing
), present as (
  insert into ${tables.findingRefs} as r (finding_id, series_id, first_seen_at, last_seen_at, last_scan_id)
  select w.id, s.series_id, w.last_seen_at, w.last_seen_at, s.scan_id from written w
  join scan s on s.scan_id = w.last_scan_id where s.series_id is not null
  on conflict (finding_id, series_id) do update set
    last_seen_at = excluded.last_seen_at, last_scan_id = excluded.last_scan_id, missing_since = null
  where r.last_scan_id <> excluded.last_scan_id or r.missing_since is not null
)${records.cte}
select i.ord, s.status as scan_status, not s.tracked as proposed, w.deduplicated,
  case when w.deduplicated then json_build_object(
    ${sql.raw(storedPairs('w'))}) end as known
from input i
left join scan s on s.scan_id = i.scan_id
left join written w on w.project_id = i.project_id and w.fingerprint = i.fingerprint and s.project_id = i.project_id`;
