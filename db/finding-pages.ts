import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { FindingKind } from './counts.ts';
import { type FindingStatus, type OrgTables, SEVERITIES, type Severity } from './org.ts';
import { toQuery } from './prepared.ts';
import { findingFields, jsonText } from './resources.ts';
import type { TextQuery } from './stream.ts';

/** A part of a list. */
export interface Window {
  limit: number;
  offset: number;
}

/** Orders that indexes serve. */
export interface IndexedOrder {
  by: 'created_at' | 'severity';
  descending: boolean;
}

/** How many findings of a severity and status there are. */
interface Kind {
  severity: Severity;
  status: FindingStatus;
  count: number;
}

/**
 * A page of findings of some kinds, and how many there are in all, at a cost that does not depend on it: which
 * severities and statuses there are is kept in counts, and of each the page's share is read from an index that has it
 * in order. (Left to itself, PostgreSQL sorts all of them, or searches the newest ones for the few that match.)
 */
export async function findingPage(
  client: Sql,
  tables: OrgTables,
  kind: FindingKind,
  order: IndexedOrder,
  window: Window,
): Promise<{ total: number; rows: TextQuery }> {
  const { projectId, severities, statuses } = kind;
  const query = kindsQuery(tables, projectId);
  const kinds = await client.unsafe<Kind[]>(query.sql, query.params as never[], { prepare: true });
  const wanted = kinds.filter(
    ({ severity, status }) =>
      (severities?.includes(severity) ?? true) && (statuses?.includes(status) ?? true),
  );
  const total = wanted.reduce((sum, { count }) => sum + count, 0);
  if (order.by === 'created_at' && projectId === undefined && !severities && !statuses) {
    return { total, rows: pageOfIds(tables, newest(tables, order.descending, window)) };
  }
  const { bands, offset } = skipBands(wanted, order, window.offset);
  const ids = ofKinds(tables, { projectId, bands, order, window: { ...window, offset } });
  return { total, rows: pageOfIds(tables, ids) };
}

/** The query for the kinds there are, in all or in a project. */
export function kindsQuery({ findingCounts: c }: OrgTables, projectId: string | undefined): TextQuery {
  const ofProject = projectId === undefined ? sql`` : sql`where project_id = ${projectId}::uuid`;
  return toQuery(
    sql`select severity, status, sum(count)::int as count from ${c} ${ofProject} group by severity, status
      having sum(count) > 0`,
  );
}

/** Kinds of one band follow each other by id, bands one after the other. */
type Band = Pick<Kind, 'severity' | 'status'> & { band: number };

/** Leaves out the severities that lie before the page as a whole. */
function skipBands(
  kinds: readonly Kind[],
  { by, descending }: IndexedOrder,
  offset: number,
): { bands: Band[]; offset: number } {
  if (by === 'created_at') return { bands: kinds.map((kind) => ({ ...kind, band: 0 })), offset };
  const bands: Band[] = [];
  let left = offset;
  // The most severe are the greatest.
  for (const [band, severity] of (descending ? SEVERITIES : SEVERITIES.toReversed()).entries()) {
    const ofBand = kinds.filter((kind) => kind.severity === severity);
    const count = ofBand.reduce((sum, kind) => sum + kind.count, 0);
    if (bands.length === 0 && count <= left) left -= count;
    else bands.push(...ofBand.map((kind) => ({ ...kind, band })));
  }
  return { bands, offset: left };
}

const newest = ({ findings }: OrgTables, descending: boolean, { limit, offset }: Window): SQL =>
  sql`select id from ${findings} order by id ${sql.raw(descending ? 'desc' : 'asc')}
    limit ${limit}::bigint offset ${offset}::bigint`;

function ofKinds(
  { findings }: OrgTables,
  given: { projectId: string | undefined; bands: readonly Band[]; order: IndexedOrder; window: Window },
): SQL {
  const { projectId, bands, order, window } = given;
  // Within a severity the newest come first, however severities are ordered.
  const direction = sql.raw(order.by === 'created_at' && !order.descending ? 'asc' : 'desc');
  const ofProject = projectId === undefined ? sql`` : sql`project_id = ${projectId}::uuid and`;
  return sql`select f.id from json_to_recordset(${JSON.stringify(bands)}::text::json) as k(severity text, status text, band int)
    cross join lateral (
      select id from ${findings} where ${ofProject} severity = k.severity and status = k.status
      order by id ${direction} limit ${window.limit + window.offset}::bigint
    ) f
    order by k.band, f.id ${direction} limit ${window.limit}::bigint offset ${window.offset}::bigint`;
}

/** The rows of ids, in their order. Found first and made into JSON afterwards: what is skipped costs no more than its id. */
export function pageOfIds(tables: OrgTables, ids: SQL): TextQuery {
  const { findings } = tables;
  return toQuery(sql`
    with page as materialized (select id, row_number() over () as place from (${ids}) ordered)
    select ${jsonText(findingFields(tables))} as json from page join ${findings} on ${findings.id} = page.id
    order by page.place`);
}
