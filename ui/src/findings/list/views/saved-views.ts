import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../../app/api.ts';
import { type FindingSearch, findingSearch, stringifySearch } from '../../../app/search.ts';
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

/** The list that a view shows. Parameters without a meaning for the web UI, such as a format, are left out. */
export function searchOfView({ query }: Pick<SavedView, 'query'>): FindingSearch {
  const given: Record<string, string> = {};
  // Other clients may repeat a parameter instead of separating values by commas.
  for (const [name, value] of new URLSearchParams(query))
    given[name] = given[name] === undefined ? value : `${given[name]},${value}`;
  return addressOf(withoutPage(given as FindingSearch));
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
