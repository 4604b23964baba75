import { type SQL, sql } from 'drizzle-orm';
import { timeText } from '../resources.ts';
import { severityRank } from '../scans/scans.ts';
import { users } from '../schema/accounts.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgs } from '../schema/orgs.ts';
import type { Severity, TriageReason } from '../schema/values.ts';
import { arrayText, orgStatement, type SqlClient, statement } from '../statements.ts';

/*
 * The content of events, as it is now. Each function reads that of many events with one statement. Everything that was deleted, or is
 * of a project that is not shown, is missing.
 */

/** A finding in an event. */
export interface FindingRow {
  id: string;
  title: string;
  severity: Severity;
  project_id: string;
  source: string | null;
  file: string | null;
  line: number | null;
}

/** A finding that an event is about, with what happened to it. */
export interface ChangedFindingRow extends FindingRow {
  event_id: string;
  due_at: string | null;
  assignee_id: string | null;
  /** Whether the activity has the change, or the comment. The fields below are of it. */
  is_recorded: boolean;
  from: string | null;
  to: string | null;
  reason: TriageReason | null;
  /** The beginning of the remark, or the text of a comment. */
  note: string | null;
  mentions: string[] | null;
}

/** The fields of {@link FindingRow} of a table `f`. */
export const findingColumns: SQL = sql.raw(
  'f.id, f.title, f.severity, f.project_id, f.source, f.file, f.line',
);

/** Whether a project `p` is shown. */
const isShown: SQL = sql.raw("p.deleted_at is null and p.transfer is distinct from 'in'");

/** Joins the project of `f` or `s`, as `p`, if it is shown. */
export const joinProject = ({ projects }: OrgTables, of: 'f' | 's'): SQL =>
  sql`join ${projects} p on p.id = ${sql.raw(of)}.project_id and ${isShown}`;

/** The id of the row of `finding_events` that tells what an event `e` is about. */
const recordId = (findingId: SQL): SQL => sql`case e.type when 'finding.commented' then e.subject::uuid
    else md5(coalesce(e.subject, '') || ${findingId} || case e.type when 'finding.assigned' then 'assignee' else 'status' end)::uuid end`;

/** The characters of a note that an event of a change has. That of a comment has all. */
export const MAX_NOTE = 1_000;

const findingsStatement = orgStatement<{ ids: string }, ChangedFindingRow>(
  (tables, $) => sql`
select e.id as event_id, ${findingColumns}, ${timeText(sql`f.due_at`)} as due_at, f.assignee_id, v.id is not null as is_recorded, v."from", v."to", v.reason,
  case when e.type = 'finding.commented' then v.note else left(v.note, ${sql.raw(String(MAX_NOTE))}) end as note, array_to_json(v.mentions) as mentions
from ${tables.events} e cross join unnest(e.finding_ids) k(id)
join ${tables.findings} f on f.id = k.id ${joinProject(tables, 'f')}
left join lateral (
  select * from ${tables.findingEvents} v where v.finding_id = f.id and v.id = ${recordId(sql`f.id`)} limit 1
) v on true
where e.id = any (${$.ids}::uuid[])
order by e.id, ${severityRank(sql`f.severity`)}, f.id`,
);

/** Reads the findings of events, the most severe first. */
export async function readFindings(
  client: SqlClient,
  tables: OrgTables,
  eventIds: readonly string[],
): Promise<ChangedFindingRow[]> {
  return eventIds.length > 0 ? findingsStatement(tables).run(client, { ids: arrayText(eventIds) }) : [];
}

const namesStatement = orgStatement<{ ids: string }, { id: string; name: string }>(
  ({ projects }, $) =>
    sql`select id, name from ${projects} p where id = any (${$.ids}::uuid[]) and ${isShown}`,
);

/** Reads the names of those projects that are shown. */
export async function readProjectNames(
  client: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = ids.length > 0 ? await namesStatement(tables).run(client, { ids: arrayText(ids) }) : [];
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** An actor of events. One without a name is a user who no longer exists. */
export interface ActorRow {
  id: string;
  token_name: string | null;
  rule_name: string | null;
  user_name: string | null;
}

const actorsStatement = orgStatement<{ ids: string }, ActorRow>(
  ({ apiTokens, rules }, $) => sql`
select a.id, t.name as token_name, r.name as rule_name, u.name as user_name
from unnest(${$.ids}::uuid[]) a(id) left join ${apiTokens} t on t.id = a.id left join ${rules} r on r.id = a.id
left join ${users} u on u.id = a.id`,
);

/** Reads the names of actors. */
export async function readActors(
  client: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
): Promise<ActorRow[]> {
  return ids.length > 0 ? actorsStatement(tables).run(client, { ids: arrayText(ids) }) : [];
}

/** An entry of the audit log. */
export interface AuditRow {
  id: string;
  actor_type: 'user' | 'token';
  actor_id: string;
  /** Null if it was erased, as that of the target. */
  actor_name: string | null;
  target_type: string;
  target_id: string | null;
  target_name: string | null;
  changes: Record<string, { from?: unknown; to?: unknown }>;
  /** Null if it was erased, as the user agent. */
  ip: string | null;
  user_agent: string | null;
  request_id: string;
}

const auditStatement = orgStatement<{ ids: string }, AuditRow>(
  ({ auditEntries, auditNames }, $) => sql`
select e.id, e.actor_type, e.actor_id, nullif(a.name, '') as actor_name, e.target_type, nullif(e.target_id, '') as target_id,
  nullif(t.name, '') as target_name, e.changes, nullif(a.ip, '') as ip, nullif(a.user_agent, '') as user_agent, e.request_id
from ${auditEntries} e
left join ${auditNames} a on a.seq = e.seq and a.side = 'actor'
left join ${auditNames} t on t.seq = e.seq and t.side = 'target'
where e.id = any (${$.ids}::uuid[])`,
);

/** Reads entries of the audit log. */
export async function readEntries(
  client: SqlClient,
  tables: OrgTables,
  ids: readonly string[],
): Promise<AuditRow[]> {
  return ids.length > 0 ? auditStatement(tables).run(client, { ids: arrayText(ids) }) : [];
}

const orgNameStatement = statement<{ id: string }, { slug: string; name: string }>(
  ($) => sql`select slug, name from ${orgs} where id = ${$.id}::uuid`,
);

/** Reads the present name and slug of an organization. */
export async function readOrgName(
  client: SqlClient,
  id: string,
): Promise<{ slug: string; name: string } | undefined> {
  const [row] = await orgNameStatement.run(client, { id });
  return row;
}
