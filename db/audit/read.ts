import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { csvText } from '../findings/lists/csv.ts';
import type { Window } from '../findings/lists/pages.ts';
import { runSearch, type SearchLimits } from '../findings/lists/search.ts';
import { lowestIdAt } from '../ids.ts';
import type { Transactions } from '../pool/query.ts';
import { type Fields, json, jsonText, timeText } from '../resources.ts';
import type { OrgTables } from '../schema/org.ts';
import { toQuery } from '../statements.ts';
import type { TextQuery } from '../stream.ts';

/** Entries of the audit log. A field that is left out may be any. */
export interface AuditFilter {
  actor?: string | undefined;
  actions?: readonly string[] | undefined;
  target?: string | undefined;
  /** At this time or later. */
  from?: string | undefined;
  /** Before this time. */
  to?: string | undefined;
}

/** The entries behind a page that are counted, so that the count costs no more than the page. */
const COUNTED_AHEAD = 10_000;

/** An id carries the time of its entry, so every filter reads a range of one index. */
function matching(filter: AuditFilter): SQL {
  const { actor, actions, target, from, to } = filter;
  const conditions = [
    ...(actor === undefined ? [] : [sql`e.actor_id = ${actor}::uuid`]),
    ...(actions === undefined
      ? []
      : [
          sql`e.action in (${sql.join(
            actions.map((action) => sql`${action}`),
            sql`, `,
          )})`,
        ]),
    ...(target === undefined ? [] : [sql`e.target_id = ${target}`]),
    ...(from === undefined ? [] : [sql`e.id >= ${lowestIdAt(Date.parse(from))}::uuid`]),
    ...(to === undefined ? [] : [sql`e.id < ${lowestIdAt(Date.parse(to))}::uuid`]),
  ];
  return conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
}

const text = (value: SQL, name: string) => sql<string>`${value}`.as(name);

/** An entry `e` with its names, as the API shows it. A name that was erased is absent. */
function shownFields({ auditEntries, auditNames }: OrgTables): Fields {
  const [e, a] = [alias(auditEntries, 'e'), alias(auditNames, 'a')];
  const target = { type: e.targetType, id: text(sql`nullif(e.target_id, '')`, 'id') };
  return {
    id: e.id,
    at: e.at,
    action: e.action,
    actor: text(json({ type: e.actorType, id: e.actorId, name: text(sql`a.name`, 'name') }), 'actor'),
    target: text(json({ ...target, name: text(sql`nullif(t.name, '')`, 'name') }), 'target'),
    changes: text(sql`json_strip_nulls(e.changes)`, 'changes'),
    ip: text(sql`nullif(${a.ip}, '')`, 'ip'),
    user_agent: text(sql`nullif(${a.userAgent}, '')`, 'user_agent'),
    request_id: e.requestId,
  };
}

const namesOf = ({ auditNames }: OrgTables) => sql`
left join ${auditNames} a on a.seq = e.seq and a.side = 'actor'
left join ${auditNames} t on t.seq = e.seq and t.side = 'target'`;

/** A page, newest first. `total` counts at most 10,000 entries behind the page. */
export async function readAudit(
  client: Transactions,
  tables: OrgTables,
  filter: AuditFilter,
  { limit, offset }: Window,
  limits: SearchLimits,
): Promise<{ total: number; entries: unknown[] }> {
  const rows = await runSearch<{ total: number; entry: unknown }>(
    client,
    sql`
with found as materialized (
  select e.id from ${tables.auditEntries} e ${matching(filter)}
  order by e.id desc limit ${offset + limit + COUNTED_AHEAD}::bigint
), page as materialized (
  select id from found order by id desc limit ${limit}::bigint offset ${offset}::bigint
), entries as (
  select e.id, ${json(shownFields(tables))} as entry from page
  cross join lateral (select * from ${tables.auditEntries} where ${tables.auditEntries.id} = page.id limit 1) e ${namesOf(tables)}
)
select counted.total, entries.entry from (select count(*)::int as total from found) counted left join entries on true
order by entries.id desc`,
    limits,
  );
  return { total: rows[0]?.total ?? 0, entries: rows.flatMap(({ entry }) => (entry ? [entry] : [])) };
}

const newestFirst = (tables: OrgTables, filter: AuditFilter): SQL => sql`
from ${tables.auditEntries} e ${namesOf(tables)} ${matching(filter)} order by e.id desc`;

/** All entries that match, newest first, a line of JSON each. */
export const auditLines = (tables: OrgTables, filter: AuditFilter): TextQuery =>
  toQuery(sql`select ${jsonText(shownFields(tables))} || E'\n' as text ${newestFirst(tables, filter)}`);

/** The columns of the file. */
export const auditCsvFields: Fields = {
  id: text(sql`e.id::text`, 'id'),
  at: text(timeText(sql`e.at`), 'at'),
  action: text(sql`e.action`, 'action'),
  actor_type: text(sql`e.actor_type`, 'actor_type'),
  actor_id: text(sql`e.actor_id::text`, 'actor_id'),
  actor_name: text(sql`a.name`, 'actor_name'),
  target_type: text(sql`e.target_type`, 'target_type'),
  target_id: text(sql`e.target_id`, 'target_id'),
  target_name: text(sql`t.name`, 'target_name'),
  changes: text(sql`e.changes::text`, 'changes'),
  ip: text(sql`a.ip`, 'ip'),
  user_agent: text(sql`a.user_agent`, 'user_agent'),
  request_id: text(sql`e.request_id`, 'request_id'),
};

/** The same as lines of CSV. */
export const auditCsv = (tables: OrgTables, filter: AuditFilter): TextQuery =>
  toQuery(sql`select ${csvText(auditCsvFields)} as text ${newestFirst(tables, filter)}`);
