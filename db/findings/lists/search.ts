import { and, desc, lt, type SQL, sql } from 'drizzle-orm';
import type { QueryOptions, TransactionSql, Transactions } from '../../pool/query.ts';
import type { OrgTables } from '../../schema/org.ts';
import { SEVERITIES } from '../../schema/values.ts';
import { toQuery } from '../../statements.ts';
import { LARGE_READ, type TextQuery } from '../../stream.ts';
import { type FindingOrder, type IndexedOrder, sortable } from './order.ts';
import type { Window } from './pages.ts';

/** Findings that no index has in order: what they are, and how they follow each other. */
export interface FindingSearch {
  where: SQL | undefined;
  order: FindingOrder;
  window: Window;
  /** Set if no more than `upTo` findings are counted. `order` is the same order, which indexes serve. */
  counted?: { order: IndexedOrder; upTo: number } | undefined;
}

export interface FoundFindings {
  /** How many there are in all; above `upTo` if there are more than are counted. */
  total: number;
  /** Ids of the window's, in order, as a PostgreSQL array. */
  ids: string;
}

/** The number of ids of such an array. */
export const countIds = (ids: string): number => (ids === '{}' ? 0 : ids.split(',').length);

/** A search that took longer fails with `57014`. */
export interface SearchLimits {
  statementMs: number;
  /** Aborted when nobody wants the answer any more, which ends the statement. */
  signal?: AbortSignal | undefined;
}

/** Limits of one search within its transaction. */
const searchSettings = (statementMs: number): string =>
  `set local statement_timeout = ${statementMs}; ${LARGE_READ}`;

/** Sets the limits of a search for a transaction. */
export const limitSearch = async (tx: TransactionSql, { statementMs }: SearchLimits): Promise<void> => {
  await tx.unsafe(searchSettings(statementMs)).simple();
};

/** Runs a statement within the limits of a search. @throws an error with the code 57014 if it takes longer */
export async function runSearch<Row extends object>(
  client: Transactions,
  query: SQL | TextQuery,
  { statementMs, signal }: SearchLimits,
): Promise<Row[]> {
  const { sql: text, params } = 'params' in query ? query : toQuery(query);
  return await client.begin(async (tx) => {
    const set = tx.unsafe(searchSettings(statementMs)).simple().execute();
    const options: QueryOptions = { planEachTime: true, signal };
    const found = tx.unsafe<Row[]>(text, params as never[], options as never);
    const [, rows] = await Promise.all([set, found]);
    return rows;
  });
}

/**
 * Searches once, for the total and the window. The matches are materialized first: with a limit in the same query PostgreSQL
 * would rather go through all findings in order, in the hope of finding enough of them soon.
 */
export async function searchFindings(
  client: Transactions,
  tables: OrgTables,
  { where, order, window, counted }: FindingSearch,
  limits: SearchLimits,
): Promise<FoundFindings> {
  const found = sortable(tables, order, where);
  const part = sql`limit ${window.limit}::bigint offset ${window.offset}::bigint`;
  const sorted = sql`array(select id from found order by ${order.by} ${part})`;
  const [row] = await runSearch<FoundFindings>(
    client,
    counted
      ? sql`
    with found as materialized (${found} limit ${sql.raw(`${counted.upTo + 1}`)}),
    counted as materialized (select count(*)::int as total from found)
    select total, (case when total <= ${sql.raw(`${counted.upTo}`)} then ${sorted}
      else array(${firstMatches(tables, where, counted.order, window)} ${part}) end)::text as ids
    from counted`
      : sql`
    with found as materialized (${found})
    select (select count(*)::int from found) as total, ${sorted}::text as ids`,
    limits,
  );
  return row ?? { total: 0, ids: '{}' };
}

/** Reads the ids of a page of many matches, without their number. @returns a PostgreSQL array */
export async function firstFindings(
  client: Transactions,
  tables: OrgTables,
  { where, order, window }: { where: SQL | undefined; order: IndexedOrder; window: Window },
  limits: SearchLimits,
): Promise<string> {
  const ids = firstMatches(tables, where, order, window);
  const part = sql`limit ${window.limit}::bigint offset ${window.offset}::bigint`;
  const [row] = await runSearch<{ ids: string }>(
    client,
    sql`select array(${ids} ${part})::text as ids`,
    limits,
  );
  return row?.ids ?? '{}';
}

/**
 * Ids of many matches in the order of indexes. Bands are read one after the other, until the window is full: PostgreSQL runs the
 * parts of UNION ALL in turn, and the inner limit ends that.
 */
function firstMatches(
  { findings: f }: OrgTables,
  where: SQL | undefined,
  { by, descending }: IndexedOrder,
  { limit, offset }: Window,
): SQL {
  const upTo = sql`limit ${limit}::bigint + ${offset}::bigint`;
  const direction = by !== 'created_at' || descending ? sql.raw('desc') : sql.raw('asc');
  const bands = bandsOf(f, by).map(
    (band, i, { length }) => sql`(
      select ${sql.raw(`${descending ? i : length - i}`)} as band, ${f.id} as id from ${f}
      where ${and(band, where) ?? sql`true`} order by ${f.id} ${direction} ${upTo})`,
  );
  const inTurn = sql.join(descending ? bands : bands.toReversed(), sql` union all `);
  return sql`select id from (select band, id from (${inTurn}) bands ${upTo}) read order by band, id ${direction}`;
}

/** The conditions of the bands of an order, the greatest first. */
function bandsOf(
  { severity, regressed }: OrgTables['findings'],
  by: IndexedOrder['by'],
): (SQL | undefined)[] {
  if (by === 'created_at') return [undefined];
  const bySeverity = SEVERITIES.map((name) => sql`${severity} = ${sql.raw(`'${name}'`)}`);
  if (by === 'severity') return bySeverity;
  return [sql`${regressed}`, sql`not ${regressed}`].flatMap((part) =>
    bySeverity.map((band) => sql`${part} and ${band}`),
  );
}

/** A finding, and the change that was made to it last. */
export interface SelectedFinding {
  id: string;
  project_id: string;
  change_id: string | null;
}

/**
 * Selects the newest findings, or the newest of those behind `after`.
 * @returns `total` only without `after`: how many findings match
 */
export async function selectFindings(
  client: Transactions,
  { findings: f }: OrgTables,
  { where, after, limit }: { where: SQL | undefined; after?: string | undefined; limit: number },
  limits: SearchLimits,
): Promise<{ total: number | undefined; findings: SelectedFinding[] }> {
  const columns = sql`${f.id} as id, ${f.projectId} as project_id, ${f.changeId} as change_id`;
  const matching = (condition: SQL | undefined) => condition && sql`where ${condition}`;
  const rows = await runSearch<SelectedFinding & { total?: number }>(
    client,
    after === undefined
      ? sql`with found as materialized (select ${columns} from ${f} ${matching(where)})
        select id, project_id, change_id, (select count(*)::int from found) as total
        from found order by id desc limit ${limit}::bigint`
      : sql`select ${columns} from ${f} ${matching(and(lt(f.id, after), where))}
        order by ${desc(f.id)} limit ${limit}::bigint`,
    limits,
  );
  return { total: after === undefined ? (rows[0]?.total ?? 0) : undefined, findings: rows };
}
