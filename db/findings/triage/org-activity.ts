import { and, eq, gte, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Transactions } from '../../pool/query.ts';
import { type Fields, timeText } from '../../resources.ts';
import { users } from '../../schema/accounts.ts';
import type { OrgTables } from '../../schema/org.ts';
import type { EventKind, Severity } from '../../schema/values.ts';
import { arrayText, run, type SqlClient, toQuery } from '../../statements.ts';
import type { TextQuery } from '../../stream.ts';
import { csvText } from '../lists/csv.ts';
import type { Window } from '../lists/pages.ts';
import { runSearch, type SearchLimits } from '../lists/search.ts';
import type { Sheet } from '../lists/text.ts';
import { type ActivityEntry, type ActivityRow, toEntry } from './activity.ts';

/** Entries of the activity of all findings; what is left out may be any. */
export interface ActivityFilter {
  /** A user, a token or a rule; null for the service. */
  actorId?: string | null | undefined;
  projectIds?: readonly string[] | undefined;
  kinds?: readonly EventKind[] | undefined;
  /** At this time or later, as ISO 8601. */
  from?: string | undefined;
  /** Before this time. */
  to?: string | undefined;
}

/** An entry with the finding that it is about. */
export interface OrgActivityEntry extends ActivityEntry {
  finding: { id: string; title: string; severity: Severity; project_id: string };
}

/**
 * The entries behind a page that are counted. An organization may have millions, whose count would take longer than the page.
 */
const COUNTED_AHEAD = 10_000;

/** The entries before a page, which are all read. A page with more of them is a search. */
const MAX_INDEXED_OFFSET = 10_000;

/**
 * Whether an index has exactly the entries that match, in their order, and the page is near the first one. PostgreSQL does not use the
 * order of an index for `is null`.
 */
export const isIndexed = ({ actorId, projectIds, kinds }: ActivityFilter, offset = 0): boolean =>
  actorId !== null && !projectIds && !kinds && offset <= MAX_INDEXED_OFFSET;

function matching({ findingEvents: e, findings: f }: OrgTables, filter: ActivityFilter): SQL | undefined {
  const { actorId, projectIds, kinds, from, to } = filter;
  return and(
    actorId === undefined ? undefined : actorId === null ? isNull(e.actorId) : eq(e.actorId, actorId),
    projectIds &&
      sql`${e.findingId} in (select ${f.id} from ${f} where ${f.projectId} = any (${arrayText(projectIds)}::uuid[]))`,
    kinds && inArray(e.kind, [...kinds]),
    from === undefined ? undefined : gte(e.at, sql`${from}::timestamptz`),
    to === undefined ? undefined : lt(e.at, sql`${to}::timestamptz`),
  );
}

const where = (condition: SQL | undefined): SQL | undefined => condition && sql`where ${condition}`;

interface Row extends ActivityRow {
  /** Null behind the last entry. */
  finding_id: string | null;
  finding_title: string;
  finding_severity: Severity;
  finding_project_id: string;
}

/** The statement for a page. An index has what is counted, and each entry of the page is looked up: `limit` makes PostgreSQL do so. */
export const activityPage = (tables: OrgTables, filter: ActivityFilter, { limit, offset }: Window): SQL => {
  const { apiTokens, findingEvents: e, findings, rules, scans } = tables;
  return sql`
with found as materialized (
  select ${e.at} as at, ${e.id} as id from ${e} ${where(matching(tables, filter))}
  order by ${e.at} desc, ${e.id} desc limit ${offset + limit + COUNTED_AHEAD}::bigint
), page as materialized (
  select * from found order by at desc, id desc limit ${limit}::bigint offset ${offset}::bigint
), entries as (
  select v.id, v.at, v.kind, v.actor_id, v."from", v."to", v.reason, v.note, v.edited_at, array_to_json(v.mentions) as mentions, v.scan_id,
    t.name as token_name, r.name as rule_name, u.name as user_name, s.name as scan_name, s.target ->> 'ref' as scan_ref,
    f.id as finding_id, f.title as finding_title, f.severity as finding_severity, f.project_id as finding_project_id
  from page
  cross join lateral (select * from ${e} where ${e.at} = page.at and ${e.id} = page.id limit 1) v
  cross join lateral (select * from ${findings} where ${findings.id} = v.finding_id limit 1) f
  left join ${apiTokens} t on t.id = v.actor_id
  left join ${rules} r on r.id = v.actor_id
  left join ${users} u on u.id = v.actor_id
  left join ${scans} s on s.scan_id = v.scan_id
)
select counted.total, entries.* from (select count(*)::int as total from found) counted left join entries on true
order by entries.at desc, entries.id desc`;
};

interface ActivityPage {
  /** Counts at most {@link COUNTED_AHEAD} entries behind the page. */
  total: number;
  entries: OrgActivityEntry[];
}

const toPage = (rows: readonly Row[]): ActivityPage => ({
  total: rows[0]?.total ?? 0,
  entries: rows.flatMap(toOrgEntry),
});

/** Reads a page of the activity of all findings, newest first. The filter {@link isIndexed}. */
export async function readOrgActivity(
  client: SqlClient,
  tables: OrgTables,
  filter: ActivityFilter,
  window: Window,
): Promise<ActivityPage> {
  return toPage(await run<Row>(client, activityPage(tables, filter, window)));
}

/** The same with any filter. @throws an error with the code 57014 if it takes longer than allowed */
export async function searchOrgActivity(
  client: Transactions,
  tables: OrgTables,
  filter: ActivityFilter,
  window: Window,
  limits: SearchLimits,
): Promise<ActivityPage> {
  return toPage(await runSearch<Row>(client, activityPage(tables, filter, window), limits));
}

function toOrgEntry({ finding_id, finding_title, finding_severity, finding_project_id, ...row }: Row) {
  if (finding_id === null) return [];
  const finding = {
    id: finding_id,
    title: finding_title,
    severity: finding_severity,
    project_id: finding_project_id,
  };
  return [{ ...toEntry(row), finding }];
}

const text = (value: SQL, name: string) => sql<string>`${value}`.as(name);

/**
 * The columns of the file, of the rows that {@link activityCsv} joins.
 * @param sheet the names of members by id, as JSON, and the address of findings
 */
export function activityCsvFields({ findingEvents: e }: OrgTables, { members, url }: Sheet): Fields {
  /** A member by name, a time in the format of `at`. */
  const shown = (value: SQL) => sql`case ${e.kind}
    when 'assignee' then case when ${value} is not null then coalesce(${members}::jsonb ->> ${value}, 'A former member') end
    when 'due_at' then ${timeText(sql`${value}::timestamptz`)} when 'accepted_until' then ${timeText(sql`${value}::timestamptz`)}
    else ${value} end`;
  return {
    id: e.id,
    at: e.at,
    kind: e.kind,
    actor_type: text(
      sql`case when ${e.actorId} is null then 'system' when t.id is not null then 'token' when r.id is not null then 'rule' else 'user' end`,
      'actor_type',
    ),
    actor_id: e.actorId,
    actor_name: text(sql`coalesce(t.name, r.name, u.name)`, 'actor_name'),
    from: text(shown(sql`${e.from}`), 'from'),
    to: text(shown(sql`${e.to}`), 'to'),
    reason: e.reason,
    note: e.note,
    scan_id: e.scanId,
    finding_id: e.findingId,
    finding_title: text(sql`f.title`, 'finding_title'),
    finding_severity: text(sql`f.severity`, 'finding_severity'),
    project_id: text(sql`f.project_id::text`, 'project_id'),
    project_name: text(sql`p.name`, 'project_name'),
    finding_url: text(sql`${url} || f.id`, 'finding_url'),
  };
}

/** All entries that match, newest first, as lines of CSV. The `limit`s make PostgreSQL look each one up, in the order of the index. */
export function activityCsv(tables: OrgTables, filter: ActivityFilter, sheet: Sheet): TextQuery {
  const { apiTokens, findingEvents: e, findings, projects, rules } = tables;
  const one = (table: SQL, name: string, id: SQL) =>
    sql`(select * from ${table} where id = ${id} limit 1) ${sql.raw(name)}`;
  return toQuery(sql`
select ${csvText(activityCsvFields(tables, sheet))} as text from ${e}
cross join lateral ${one(sql`${findings}`, 'f', sql`${e.findingId}`)}
left join lateral ${one(sql`${projects}`, 'p', sql`f.project_id`)} on true
left join lateral ${one(sql`${apiTokens}`, 't', sql`${e.actorId}`)} on true
left join lateral ${one(sql`${rules}`, 'r', sql`${e.actorId}`)} on true
left join lateral ${one(sql`${users}`, 'u', sql`${e.actorId}`)} on true
${where(matching(tables, filter))} order by ${e.at} desc, ${e.id} desc`);
}
