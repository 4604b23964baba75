import {
  type FindingSearch,
  findingSearch,
  misunderstood,
  parseSearch,
  stringifySearch,
} from '../../../app/search.ts';
import { addressOf } from '../../views.ts';

/** The filters, order and grouping of a list, as the service stores them: without the view, and the position in it. */
const withoutPage = (search: FindingSearch): FindingSearch => {
  const { page: _, view: __, ...list } = findingSearch({ ...search });
  return list;
};

/** Parameters of `GET /findings` that select no findings. */
const NO_FILTERS: ReadonlySet<string> = new Set(['format', 'omit', 'page', 'per_page']);

/** The list that a view shows. A filter that the web UI does not know stays, so that the list says so instead of showing more. */
export function searchOfView({ query }: { query: string }): FindingSearch {
  const given = parseSearch(query);
  const unknown = misunderstood(given, findingSearch).filter((name) => !NO_FILTERS.has(name));
  const kept = Object.fromEntries(unknown.map((name) => [name, given[name]]));
  return addressOf({ ...withoutPage(given), ...kept });
}

/** The query of a view that shows a list. */
export const queryOfSearch = (search: FindingSearch): string =>
  stringifySearch({ ...withoutPage(search) }).slice(1);

/** Whether a view shows exactly this list. */
export const showsView = (search: FindingSearch, view: { query: string }): boolean =>
  queryOfSearch(searchOfView(view)) === queryOfSearch(search);
