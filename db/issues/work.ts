import { sql } from 'drizzle-orm';
import { onItsWorker } from '../citus.ts';
import { joinProject } from '../events/details.ts';
import { timeText } from '../resources.ts';
import { severityRank } from '../scans/scans.ts';
import type { OrgTables } from '../schema/org.ts';
import {
  type FindingStatus,
  ISSUE_REQUESTED,
  type IssueState,
  type Severity,
  type ToldState,
} from '../schema/values.ts';
import { arrayText, orgStatement, type Placeholders, type SqlClient } from '../statements.ts';
import { hasRegressed, hasUnresolved, inProjects, RESOLVED } from './conditions.ts';

/** A finding of an issue. */
export interface IssueFindingRow {
  id: string;
  status: FindingStatus;
  /** Whether nobody needs to act on it. */
  resolved: boolean;
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
  told: ToldState;
  /** The latest regression, which is told with the next state. */
  told_at: string;
  /** When the service tried last to create it. */
  tried_at: string | null;
  /** Whether all its findings are resolved. */
  resolved: boolean;
  /** Whether one of its findings was resolved without a fix. */
  dismissed: boolean;
  /** Whether a scan has reported one of them again since the tracker was told. */
  regressed: boolean;
  /** The most severe first. */
  findings: IssueFindingRow[];
}

/** An integration, as far as it chooses findings. */
interface Chooser {
  id: string;
  projectIds: readonly string[] | null;
}

/** The longest text of an issue has as many. */
const MAX_DESCRIPTION = sql.raw('30000');

const read = orgStatement<{ id: string; destinationId: string; projects: string | null }, IssueWork>(
  (tables, $) => {
    const { findingIssues, findings, issues } = tables;
    return sql`
select i.id, i.key, i.url, i.state, i.told, ${timeText(sql`greatest(i.told_at, s.regressed_at)`)} as told_at,
  ${timeText(sql`i.tried_at`)} as tried_at, s.resolved, s.dismissed, coalesce(s.regressed_at > i.told_at, false) as regressed, s.findings
from ${issues} i cross join lateral (
  select coalesce(bool_and(${RESOLVED}), false) as resolved,
    coalesce(bool_or(f.status in ('false_positive', 'wontfix')), false) as dismissed,
    max(f.regressed_at) filter (where f.regressed) as regressed_at,
    coalesce(json_agg(json_build_object('id', f.id, 'status', f.status, 'resolved', ${RESOLVED}, 'title', f.title, 'severity', f.severity,
      'project', f.project, 'description', case when f.place = 1 then left(f.description, ${MAX_DESCRIPTION}) else '' end, 'file', f.file,
      'line', f.line, 'rule_id', f.rule_id, 'cve', f.cve, 'cwe', f.cwe) order by f.place), '[]') as findings
  from (
    select f.*, p.name as project, row_number() over (order by ${severityRank(sql`f.severity`)}, f.id) as place
    from ${findingIssues} l join ${findings} f on f.id = l.finding_id ${joinProject(tables, 'f')}
    where l.issue_id = i.id and ${inProjects($.projects)}
  ) f
) s
where i.id = ${$.id}::uuid and i.destination_id = ${$.destinationId}::uuid
  and exists (select 1 from ${findingIssues} l join ${findings} f on f.id = l.finding_id where l.issue_id = i.id)`;
  },
);

const projectsOf = ({ projectIds }: Chooser) => projectIds && arrayText(projectIds);

/**
 * Reads an issue of an integration with its findings.
 * @returns undefined if the integration does not have it, or its findings were deleted
 */
export async function readWork(
  client: SqlClient,
  tables: OrgTables,
  id: string,
  integration: Chooser,
): Promise<IssueWork | undefined> {
  const values = { id, destinationId: integration.id, projects: projectsOf(integration) };
  return (await read(tables).run(client, values))[0];
}

const begin = orgStatement<{ id: string; before: string | null; now: string }, object>(
  ({ issues }, $) => sql`
update ${issues} set tried_at = ${$.now}::timestamptz
where id = ${$.id}::uuid and tried_at is not distinct from ${$.before}::timestamptz returning 1`,
);

/**
 * Records that an issue is being created.
 * @returns false if another process has begun it since it was read, or it was unlinked
 */
export const beginCreation = async (
  client: SqlClient,
  tables: OrgTables,
  { id, tried_at }: Pick<IssueWork, 'id' | 'tried_at'>,
  now: Date,
): Promise<boolean> =>
  (await begin(tables).run(client, { id, before: tried_at, now: now.toISOString() })).length > 0;

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
  toldAt: string;
  outcome: string | null;
}

const record = orgStatement<Recorded, object>(
  ({ issues }, $) => sql`
update ${issues} i set state = ${$.state}, checked_at = ${$.at}::timestamptz, key = coalesce(key, ${$.key}), url = coalesce(url, ${$.url}),
  status = coalesce(${$.status}, status), told = coalesce(${$.told}, told),
  told_at = case when ${$.told}::text is null then told_at else greatest(told_at, ${$.toldAt}::timestamptz) end, outcome = ${$.outcome}
where id = ${$.id}::uuid and not exists (
  select 1 from ${issues} o where o.destination_id = i.destination_id and md5(o.url) = md5(${$.url}::text) and o.id <> i.id)
returning 1`,
);

/** Records what is known of an issue. @returns false if it was removed, or another one has its address */
export async function recordIssue(
  client: SqlClient,
  tables: OrgTables,
  { id, told_at }: Pick<IssueWork, 'id' | 'told_at'>,
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
    toldAt: told_at,
    outcome: outcome ?? null,
  };
  return (await record(tables).run(client, values)).length > 0;
}

interface Affecting {
  destinationId: string;
  projects: string | null;
  eventId: string;
  at: string;
}

/**
 * Requests the issues of the CTE `changed` whose state the tracker was not told, and those that say why both sides differ, which may be
 * over.
 */
const request = (tables: OrgTables, $: Placeholders<Affecting>) => sql`
news as (
  select i.id from ${tables.issues} i join changed c on c.issue_id = i.id
  where i.state in ('open', 'closed') and (i.outcome is not null
    or (i.told = 'resolved') = ${hasUnresolved(tables, $.projects)} or ${hasRegressed(tables, $.projects)})
), told as (
  insert into ${tables.events} (id, at, type, subject)
  select md5(${$.eventId}::text || id::text)::uuid, ${$.at}::timestamptz, ${sql.raw(`'${ISSUE_REQUESTED}'`)}, id::text
  from news ${onItsWorker(tables)} on conflict (id) do nothing
)
select 1`;

const affectedByFindings = orgStatement<Affecting & { ids: string }, object>(
  (tables, $) => sql`
with changed as materialized (
  select distinct issue_id from ${tables.findingIssues}
  where finding_id = any (${$.ids}::uuid[]) and destination_id = ${$.destinationId}::uuid
), ${request(tables, $)}`,
);

/** Only issues with findings that have changed since they were read. Scans that are not tracked change none. */
const affectedByScan = orgStatement<Affecting & { scanId: string }, object>(
  (tables, $) => sql`
with changed as materialized (
  select distinct l.issue_id
  from ${tables.findingIssues} l join ${tables.findings} f on f.id = l.finding_id join ${tables.issues} i on i.id = l.issue_id
  where l.destination_id = ${$.destinationId}::uuid
    and f.project_id = (select s.project_id from ${tables.scans} s where s.scan_id = ${$.scanId}::text and s.tracked)
    and ${inProjects($.projects)} and (i.checked_at is null or f.status_changed_at > i.checked_at or f.regressed_at > i.checked_at)
), ${request(tables, $)}`,
);

/** Has the outbox look at the issues of an integration whose findings an event has resolved or opened again. */
export async function requestAffected(
  client: SqlClient,
  tables: OrgTables,
  integration: Chooser,
  event: { id: string; type: string; subject: string | null; finding_ids: string[] | null },
  now: Date,
): Promise<void> {
  const { id: eventId, subject, finding_ids } = event;
  const projects = projectsOf(integration);
  const common = { destinationId: integration.id, projects, eventId, at: now.toISOString() };
  if (finding_ids) await affectedByFindings(tables).run(client, { ...common, ids: arrayText(finding_ids) });
  else if (event.type.startsWith('scan.') && subject !== null)
    await affectedByScan(tables).run(client, { ...common, scanId: subject });
}
