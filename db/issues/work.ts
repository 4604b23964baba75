import { type SQL, sql } from 'drizzle-orm';
import { joinProject } from '../events/details.ts';
import { severityRank } from '../scans/scans.ts';
import type { OrgTables } from '../schema/org.ts';
import {
  type FindingStatus,
  type IssueState,
  type Severity,
  type ToldState,
  UNRESOLVED,
} from '../schema/values.ts';
import { arrayText, orgStatement, type SqlClient } from '../statements.ts';
import { ISSUE_REQUESTED } from './claim.ts';

/** A finding of an issue. */
export interface IssueFindingRow {
  id: string;
  status: FindingStatus;
  title: string;
  severity: Severity;
  /** The name of its project. */
  project: string;
  /** The beginning; only of the first finding. */
  description: string;
  file: string | null;
  line: number | null;
  rule_id: string | null;
  cve: string | null;
  cwe: string | null;
}

/** An issue with the findings that its integration may have. */
export interface IssueWork {
  id: string;
  key: string | null;
  url: string | null;
  state: IssueState;
  created_at: string;
  told: ToldState;
  /** Whether all its findings are resolved, and whether a scan has reported one of them again. */
  resolved: boolean;
  /** Whether one of its findings was resolved without a fix. */
  dismissed: boolean;
  regressed: boolean;
  /** The most severe first. */
  findings: IssueFindingRow[];
}

/** The longest text of an issue has as many. */
const MAX_DESCRIPTION = sql.raw('30000');

const isUnresolved = sql.raw(`f.status in ('${UNRESOLVED.join("', '")}')`);

/** Whether one of the findings of an issue meets a condition about `f`. */
const hasFinding = ({ findingIssues, findings }: OrgTables, issueId: SQL, condition: SQL): SQL =>
  sql`exists (select 1 from ${findingIssues} l join ${findings} f on f.id = l.finding_id where l.issue_id = ${issueId} and ${condition})`;

/** Whether one of the findings of an issue is unresolved. */
export const hasUnresolved = (tables: OrgTables, issueId: SQL): SQL =>
  hasFinding(tables, issueId, isUnresolved);

const read = orgStatement<{ id: string; destinationId: string; projects: string | null }, IssueWork>(
  (tables, $) => sql`
select i.id, i.key, i.url, i.state, to_json(i.created_at) #>> '{}' as created_at, i.told,
  not ${hasUnresolved(tables, sql`i.id`)} as resolved,
  ${hasFinding(tables, sql`i.id`, sql`f.status in ('false_positive', 'wontfix')`)} as dismissed,
  ${hasFinding(tables, sql`i.id`, sql`${isUnresolved} and f.regressed`)} as regressed, coalesce((
  select json_agg(json_build_object('id', f.id, 'status', f.status, 'title', f.title, 'severity', f.severity, 'project', f.project,
    'description', case when f.place = 1 then left(f.description, ${MAX_DESCRIPTION}) else '' end, 'file', f.file, 'line', f.line,
    'rule_id', f.rule_id, 'cve', f.cve, 'cwe', f.cwe) order by f.place)
  from (
    select f.*, p.name as project, row_number() over (order by ${severityRank(sql`f.severity`)}, f.id) as place
    from ${tables.findingIssues} l join ${tables.findings} f on f.id = l.finding_id ${joinProject(tables, 'f')}
    where l.issue_id = i.id and (${$.projects}::uuid[] is null or f.project_id = any (${$.projects}::uuid[]))
  ) f
), '[]') as findings
from ${tables.issues} i where i.id = ${$.id}::uuid and i.destination_id = ${$.destinationId}::uuid`,
);

/** Reads an issue of an integration with its findings. @returns undefined if the integration does not have it */
export async function readWork(
  client: SqlClient,
  tables: OrgTables,
  id: string,
  { id: destinationId, projectIds }: { id: string; projectIds: readonly string[] | null },
): Promise<IssueWork | undefined> {
  const projects = projectIds && arrayText(projectIds);
  const [row] = await read(tables).run(client, { id, destinationId, projects });
  return row;
}

/** The state of an issue after the tracker was asked. */
export interface IssueOutcome {
  state: IssueState;
  at: Date;
  /** Set if it was created. */
  created?: { key: string; url: string } | undefined;
  /** Unset: it was not read. */
  status?: string | undefined;
  /** Unset: it stays. */
  told?: ToldState | undefined;
  /** Why nothing was done. */
  outcome?: string | undefined;
}

interface Recorded {
  id: string;
  state: string;
  at: string;
  key: string | null;
  url: string | null;
  status: string | null;
  told: string | null;
  outcome: string | null;
}

const record = orgStatement<Recorded, object>(
  ({ issues }, $) => sql`
update ${issues} i set state = ${$.state}, checked_at = ${$.at}::timestamptz, key = coalesce(key, ${$.key}), url = coalesce(url, ${$.url}),
  status = coalesce(${$.status}, status), told = coalesce(${$.told}, told), outcome = ${$.outcome}
where id = ${$.id}::uuid and not exists (
  select 1 from ${issues} o where o.destination_id = i.destination_id and md5(o.url) = md5(${$.url}::text) and o.id <> i.id)
returning 1`,
);

/** Records what is known of an issue. @returns false if it was removed, or another one has its address */
export async function recordIssue(
  client: SqlClient,
  tables: OrgTables,
  id: string,
  { state, at, created, status, told, outcome }: IssueOutcome,
): Promise<boolean> {
  const { key = null, url = null } = created ?? {};
  const values = {
    id,
    state,
    at: at.toISOString(),
    key,
    url,
    status: status ?? null,
    told: told ?? null,
    outcome: outcome ?? null,
  };
  return (await record(tables).run(client, values)).length > 0;
}

const affected = orgStatement<
  { destinationId: string; eventId: string; at: string; ids: string | null; scanId: string | null },
  object
>(
  (tables, $) => sql`
with found as materialized (
  select distinct l.issue_id from ${tables.findingIssues} l join ${tables.findings} f on f.id = l.finding_id
  where l.destination_id = ${$.destinationId}::uuid and (l.finding_id = any (${$.ids}::uuid[])
    or f.project_id = (select s.project_id from ${tables.scans} s where s.scan_id = ${$.scanId}::text))
), changed as (
  select i.id from ${tables.issues} i join found on found.issue_id = i.id
  where i.state in ('open', 'closed') and (i.told = 'open') is distinct from ${hasUnresolved(tables, sql`i.id`)}
)
insert into ${tables.events} (id, at, type, subject)
select md5(${$.eventId}::text || id::text)::uuid, ${$.at}::timestamptz, ${sql.raw(`'${ISSUE_REQUESTED}'`)}, id::text from changed
on conflict (id) do nothing`,
);

/** Has the outbox look at the issues of an integration whose findings an event has resolved or opened again. */
export async function requestAffected(
  client: SqlClient,
  tables: OrgTables,
  destinationId: string,
  event: { id: string; type: string; subject: string | null; finding_ids: string[] | null },
  now: Date,
): Promise<void> {
  await affected(tables).run(client, {
    ...{ destinationId, eventId: event.id, at: now.toISOString() },
    ids: event.finding_ids && arrayText(event.finding_ids),
    scanId: event.type.startsWith('scan.') ? event.subject : null,
  });
}
