import {
  type FindingFilter,
  type FindingSearch,
  filterOf,
  matchingOf,
  withoutUndefined,
} from '../app/search.ts';
import type { Filters, QueryContext } from './query/key.ts';
import { formatQuery, parseQuery, type QueryProblem } from './query/query.ts';
import { addressOf, VIEWS, type View } from './views.ts';

/**
 * A list of findings. Everything on its page is derived from this value: rows, numbers and bulk changes from `filter`, query and chips
 * from the filters that the view does not set, and the address from both.
 */
export interface ListState {
  /** All filters, also those of the view, and the order. */
  filter: FindingFilter;
  view: View;
}

/** A change of the filters. Undefined removes one. */
export type FilterChange = { [K in keyof FindingFilter]?: FindingFilter[K] | undefined };

const isSame = (a: unknown, b: unknown): boolean => String(a) === String(b);

/** Whether every filter of a view is in the filter. */
const isIn = (filter: FindingFilter, { filter: own }: View): boolean =>
  Object.entries(own).every(([name, value]) => isSame(value, filter[name as keyof FindingFilter]));

const sizeOf = ({ filter }: View): number => Object.keys(filter).length;

/** The view that says most about a filter. The one of all findings contains every filter. */
export const viewOf = (filter: FindingFilter): View =>
  VIEWS.filter((view) => isIn(filter, view)).reduce((best, view) =>
    sizeOf(view) > sizeOf(best) ? view : best,
  );

/** The filter in the view, if it has the filters of the view. */
const stateIn = (filter: FindingFilter, view: View | undefined): ListState => ({
  filter: addressOf(filter),
  view: view && isIn(filter, view) ? view : viewOf(filter),
});

/** The list of an address. */
export const stateOf = (search: FindingSearch): ListState =>
  stateIn(
    filterOf(search),
    VIEWS.find(({ id }) => id === search.view),
  );

/** The address of a list. It names the view only if the filters select another one. */
export const searchOf = ({ filter, view }: ListState): FindingSearch => ({
  ...filter,
  ...(view !== viewOf(filter) && { view: view.id }),
});

/** The filters that the view does not set. */
export const filtersBeside = ({ filter, view }: ListState): FindingFilter =>
  Object.fromEntries(Object.entries(matchingOf(filter)).filter(([name]) => !(name in view.filter)));

/** The list after a change of its filters or order. It leaves the view if it loses a filter of the view. */
export const withChange = ({ filter, view }: ListState, change: FilterChange): ListState =>
  stateIn(withoutUndefined<FindingFilter>({ ...filter, ...change }), view);

/** Another view with the same further filters. */
export function inView(state: ListState, view: View): ListState {
  const { sort, filter } = view;
  return { filter: { ...filtersBeside(state), ...filter, sort }, view };
}

/** The view without further filters. */
export const withoutFilters = ({ view }: ListState): ListState => inView({ filter: view.filter, view }, view);

/** Filters with several values, which an address separates by commas. */
const LISTS = [
  'project_id',
  'assignee',
  'mentions',
  'changed_by',
  'source',
  'not_source',
] as const satisfies readonly (keyof Filters)[];

/** The query of a list: the filters that the view does not set. */
export function queryOf(state: ListState, context: QueryContext): string {
  const beside = filtersBeside(state);
  const filters: Record<string, unknown> = { ...beside };
  for (const name of LISTS) if (beside[name] !== undefined) filters[name] = beside[name].split(',');
  return formatQuery(filters as Filters, context);
}

/**
 * The list after its query was edited. Filters of the view stay, unless the query names other values; then the list leaves the view.
 * A query with an invalid term changes nothing.
 */
export function withQuery(
  state: ListState,
  query: string,
  context: QueryContext,
): { state: ListState; problems: readonly QueryProblem[] } {
  const { filters, problems } = parseQuery(query, context);
  if (problems.length > 0) return { state, problems };
  const { filter, view } = state;
  // A query cannot express these.
  const { scan_id, against, change, sort } = filter;
  const said = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
  const changed = { scan_id, against, change, sort, ...view.filter, ...said };
  return { state: stateIn(filterOf(changed as FindingSearch), view), problems };
}

/** Whether two lists are the same. */
export const isSameList = (a: ListState, b: ListState): boolean => keyOf(a) === keyOf(b);

/** A text that only the same list has. */
export function keyOf({ filter, view }: ListState): string {
  const entries = Object.entries(filter).map(([name, value]) => [name, String(value)]);
  return JSON.stringify([view.id, ...entries.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))]);
}
