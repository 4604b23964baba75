import { type SQL, sql } from 'drizzle-orm';
import type { FindingOrder, IndexedOrder } from '../../db/findings/lists/order.ts';
import { severityRank } from '../../db/scans/scans.ts';
import type { OrgTables } from '../../db/schema/org.ts';

const SORT_KEYS = ['created_at', 'last_seen_at', 'severity', 'cvss_score', 'due_at', 'priority'] as const;
type SortKey = (typeof SORT_KEYS)[number];

/** The sort orders of a list of findings; a leading minus means descending. */
export const SORTS = SORT_KEYS.flatMap((key) => [key, `-${key}`] as const);
export type Sort = (typeof SORTS)[number];

/** The order of a list without `sort`: newest first. */
const NEWEST_FIRST: Sort = '-created_at';

function parse(sort: Sort = NEWEST_FIRST): { key: SortKey; descending: boolean } {
  return { key: sort.replace(/^-/, '') as SortKey, descending: sort.startsWith('-') };
}

/** The order of a page if indexes serve it. */
export function indexedOrder(sort?: Sort): IndexedOrder | undefined {
  const { key, descending } = parse(sort);
  return key === 'created_at' || key === 'severity' || key === 'priority'
    ? { by: key, descending }
    : undefined;
}

/** The order of findings; those that are equal follow each other from the newest to the oldest. */
export function orderOf({ findings: f }: OrgTables, sort?: Sort): FindingOrder {
  const { key, descending } = parse(sort);
  const direction = sql.raw(descending ? 'desc' : 'asc');
  // Rank 1 is critical: the most severe are the greatest.
  const byRank = sql.raw(descending ? 'severity_rank asc' : 'severity_rank desc');
  const severity_rank: SQL = severityRank(f.severity);
  switch (key) {
    case 'created_at':
      return { keys: {}, by: sql`id ${direction}` };
    case 'last_seen_at':
      return { keys: { last_seen_at: f.lastSeenAt }, by: sql`last_seen_at ${direction}, id desc` };
    case 'severity':
      return { keys: { severity_rank }, by: sql`${byRank}, id desc` };
    case 'priority':
      return {
        keys: { regressed: f.regressed, severity_rank },
        by: sql`regressed ${direction}, ${byRank}, id desc`,
      };
    case 'due_at':
      return { keys: { due_at: f.dueAt }, by: sql`due_at ${direction} nulls last, id desc` };
    case 'cvss_score': {
      const nulls = sql.raw(descending ? 'nulls last' : 'nulls first');
      return { keys: { cvss_score: f.cvssScore }, by: sql`cvss_score ${direction} ${nulls}, id desc` };
    }
  }
}
