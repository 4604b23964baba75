import { findingSearch } from '../../app/search.ts';
import { type FindingFilter, filterOf } from '../list-queries.ts';
import { filtersBesideView, viewOf } from '../views.ts';
import type { Filters, QueryContext } from './key.ts';
import { formatQuery, parseQuery } from './query.ts';

/** Parameters that are lists in a query, and text with commas in an address. */
const LISTS = ['project_id', 'assignee', 'mentions', 'source', 'not_source'] as const;

/** All filters that a query can express. */
const NAMES = [
  ...LISTS,
  ...(['severity', 'status', 'attention', 'regressed', 'overdue', 'missing', 'has_exploit'] as const),
  ...(['cwe', 'cve', 'rule', 'file', 'path', 'not_path', 'q'] as const),
  ...(['found_after', 'found_before', 'seen_after', 'seen_before'] as const),
] satisfies readonly (keyof Filters & keyof FindingFilter)[];

/** The query for a filter, without what the view says already. */
export function queryOf(filter: FindingFilter, context: QueryContext): string {
  const beside = filtersBesideView(filter);
  const filters: Record<string, unknown> = { ...beside };
  for (const name of LISTS) if (beside[name] !== undefined) filters[name] = beside[name].split(',');
  return formatQuery(filters as Filters, context);
}

/** A filter after its query was edited. Filters of the view stay, unless the query says otherwise. */
export function withQuery(filter: FindingFilter, query: string, context: QueryContext): FindingFilter {
  const { filters } = parseQuery(query, context);
  const own = viewOf(filter)?.filter ?? {};
  const changed: Record<string, unknown> = { ...filter };
  for (const name of NAMES) changed[name] = filters[name] === undefined ? own[name] : String(filters[name]);
  return filterOf(findingSearch(changed));
}
