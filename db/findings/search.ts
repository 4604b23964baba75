import { type SQL, sql } from 'drizzle-orm';
import type { QueryOptions, Sql } from '../pool/query.ts';
import type { OrgTables } from '../schema/org.ts';
import { toQuery } from '../statements.ts';
import type { Window } from './pages.ts';

/** Findings that no index has in order: what they are, and how they follow each other. */
export interface FindingSearch {
  where: SQL | undefined;
  /** Columns of {@link FOUND}. */
  order: SQL;
  window: Window;
}

export interface FoundFindings {
  /** How many there are in all. */
  total: number;
  /** Ids of the window's, in order, as a PostgreSQL array. */
  ids: string;
}

/** A search that took longer fails with `57014`. */
export interface SearchLimits {
  statementMs: number;
  /** Aborted when nobody wants the answer any more, which ends the statement. */
  signal?: AbortSignal | undefined;
}

/**
 * Limits of one search within its transaction. It has one processor, not several, and no time for a compiler; what it
 * finds, up to a million rows, is remembered row by row.
 */
export const searchSettings = (statementMs: number): string =>
  `set local statement_timeout = ${statementMs}; set local max_parallel_workers_per_gather = 0; ` +
  "set local jit = off; set local work_mem = '16MB'";

/**
 * Searches once, for the total and the window. The matches are materialized first: with a limit in the same query PostgreSQL
 * would rather go through all findings in order, in the hope of finding enough of them soon.
 */
export async function searchFindings(
  client: Sql,
  { findings: f }: OrgTables,
  { where, order, window }: FindingSearch,
  { statementMs, signal }: SearchLimits,
): Promise<FoundFindings> {
  const { sql: text, params } = toQuery(sql`
    with found as materialized (
      select ${f.id} as id, ${f.lastSeenAt} as last_seen_at, ${f.severity} as severity, ${f.cvssScore} as cvss_score
      from ${f} ${where && sql`where ${where}`}
    )
    select (select count(*)::int from found) as total,
      array(select id from found order by ${order} limit ${window.limit}::bigint offset ${window.offset}::bigint)::text as ids`);
  const [row] = await client.begin(async (tx) => {
    const set = tx.unsafe(searchSettings(statementMs)).simple().execute();
    const options: QueryOptions = { planEachTime: true, signal };
    const found = tx.unsafe<FoundFindings[]>(text, params as never[], options as never);
    const [, rows] = await Promise.all([set, found]);
    return rows;
  });
  return row ?? { total: 0, ids: '{}' };
}
