import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../../app/api.ts';
import {
  type FindingSearch,
  findingSearch,
  misunderstood,
  parseSearch,
  stringifySearch,
} from '../../../app/search.ts';
import type { Me, OrgSession } from '../../../app/session.ts';
import { addressOf } from '../../views.ts';

export type SavedView = Schemas['View'];

/** The saved views that the user sees, by name. */
export const savedViewsQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'views'],
    queryFn: async ({ signal }) => (await api.get('/views', { signal })).result,
    staleTime: 60_000,
  });

/** The filters, order and grouping of a list, without the position in it. */
const withoutPage = (search: FindingSearch): FindingSearch => {
  const { page: _, ...list } = findingSearch({ ...search });
  return list;
};

/** Parameters of `GET /findings` that select no findings. */
const NO_FILTERS: ReadonlySet<string> = new Set(['format', 'omit', 'page', 'per_page']);

/** The list that a view shows. A filter that the web UI does not know stays, so that the list says so instead of showing more. */
export function searchOfView({ query }: Pick<SavedView, 'query'>): FindingSearch {
  const given = parseSearch(query);
  const unknown = misunderstood(given, findingSearch).filter((name) => !NO_FILTERS.has(name));
  const kept = Object.fromEntries(unknown.map((name) => [name, given[name]]));
  return addressOf({ ...withoutPage(given), ...kept });
}

/** The query of a view that shows a list. */
export const queryOfSearch = (search: FindingSearch): string =>
  stringifySearch({ ...withoutPage(search) }).slice(1);

/** Whether a view shows exactly this list. */
export const showsView = (search: FindingSearch, view: SavedView): boolean =>
  queryOfSearch(searchOfView(view)) === queryOfSearch(search);

/** Whether the user may change or delete a view, or make it private: it is theirs, or they are admin and it is shared. */
export const mayChangeView = (
  { role }: Pick<OrgSession, 'role'>,
  { user }: Pick<Me, 'user'>,
  view: SavedView,
): boolean => view.owner_id === user.id || (view.shared && (role === 'owner' || role === 'admin'));

/** Whether the user may also change what a view shows, or its name. Viewers cannot change what others see. */
export const mayEditView = (org: Pick<OrgSession, 'role'>, view: SavedView): boolean =>
  !view.shared || mayShare(org);

/** Whether the user may share views. */
export const mayShare = ({ role }: Pick<OrgSession, 'role'>): boolean => role !== 'viewer';
