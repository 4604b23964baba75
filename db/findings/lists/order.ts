import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { OrgTables } from '../../schema/org.ts';
import { toQuery } from '../../statements.ts';
import type { TextQuery } from '../../stream.ts';
import { type FindingView, findingText } from './text.ts';

/** Orders of pages that indexes serve. */
export interface IndexedOrder {
  /** `priority`: those that have regressed come first, then the most severe. */
  by: 'created_at' | 'severity' | 'priority';
  descending: boolean;
}

/** How findings follow each other. */
export interface FindingOrder {
  /** The sort keys, in addition to `id`. */
  keys: Record<string, SQLWrapper>;
  /** `order by` of the names of the keys and `id`. */
  by: SQL;
}

/** Ids of findings, and the keys that they are sorted by. */
export const sortable = ({ findings: f }: OrgTables, { keys }: FindingOrder, where: SQL | undefined): SQL => {
  const columns = Object.entries(keys).map(([name, key]) => sql`, ${key} as ${sql.identifier(name)}`);
  return sql`select ${f.id} as id${sql.join(columns)} from ${f} ${where && sql`where ${where}`}`;
};

/**
 * All findings that match, in an order, to be read through a cursor.
 *
 * Only ids and keys are sorted, and each finding is looked up when it is its turn (`limit` makes PostgreSQL do so). Sorting
 * whole findings wrote ten times as much into temporary files, which delayed the commits of others.
 */
export function wholeList(
  tables: OrgTables,
  view: FindingView,
  { where, order }: { where: SQL | undefined; order: FindingOrder },
): TextQuery {
  const { findings: f } = tables;
  const text = sql`${findingText(tables, view)} as text`;
  // An index has the ids in order, or few findings match.
  if (Object.keys(order.keys).length === 0)
    return toQuery(sql`select ${text} from ${f} ${where && sql`where ${where}`} order by ${order.by}`);
  return toQuery(sql`
select found.text from (${sortable(tables, order, where)} order by ${order.by}) sorted
cross join lateral (select ${text} from ${f} where ${f.id} = sorted.id limit 1) found
order by ${order.by}`);
}
