import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import { type FindingSearch, findingSearch } from '../app/search.ts';
import type { OrgSession } from '../app/session.ts';

export type ListedFinding = Schemas['ListedFinding'];
/** The filters and the order of the list. */
export type FindingFilter = Omit<FindingSearch, 'page'>;

/** A page of the list. Unknown rows are undefined. */
export interface FindingsPage {
  rows: (ListedFinding | undefined)[];
  total: number;
}

/** The number of rows of a page. */
export const PAGE_ROWS = 100;

/**
 * The filter in an address of the list or of one of its findings. Routes also pass on unknown parameters.
 */
export function filterOf(search: FindingSearch): FindingFilter {
  const { page: _, ...filter } = findingSearch({ ...search });
  return filter;
}

/** The prefix of the keys of all pages of lists. */
export const rowsKey = ({ slug }: OrgSession) => ['org', slug, 'findings', 'rows'] as const;

/** A page of the list, without descriptions. */
export const findingsPageQuery = (org: OrgSession, filter: FindingFilter, page: number) =>
  queryOptions({
    queryKey: [...rowsKey(org), filter, page],
    queryFn: async ({ signal }): Promise<FindingsPage> => {
      const query = { ...filter, omit: 'description' as const, page, per_page: PAGE_ROWS };
      const { result, resultInfo } = await org.api.get('/findings', { params: { query }, signal });
      return { rows: result, total: resultInfo?.total ?? result.length };
    },
    // Few of 100,000 rows are shown again.
    gcTime: 120_000,
  });

/** A position in the list, counted from 0: the first visible row and the active row. */
export interface Place {
  top: number;
  active: number;
}

/** A position with the address of the list. */
type Remembered = Place & { of: string; page: number };

const placeKey = (slug: string) => ['org', slug, 'findings', 'place'] as const;

const lastPlace = (queries: QueryClient, slug: string, filter: FindingFilter) => {
  const last = queries.getQueryData<Remembered>(placeKey(slug));
  return last?.of === JSON.stringify(filter) ? last : undefined;
};

/** Remembers the position in the list for the return to it. */
export function rememberPlace(
  queries: QueryClient,
  { slug }: OrgSession,
  filter: FindingFilter,
  place: Place & { page: number },
): void {
  queries.setQueryDefaults(placeKey(slug), { gcTime: Number.POSITIVE_INFINITY });
  queries.setQueryData(placeKey(slug), { of: JSON.stringify(filter), ...place });
}

/** Remembers the finding at a position, counted from 1, as the position in the list. */
export function rememberFinding(
  queries: QueryClient,
  session: OrgSession,
  filter: FindingFilter,
  at: number,
): void {
  const { top, page } = lastPlace(queries, session.slug, filter) ?? { top: at - 1, page: pageOf(at - 1) };
  rememberPlace(queries, session, filter, { top, page, active: at - 1 });
}

/** The page of the list that a row is on. */
export const pageOf = (index: number): number => Math.floor(index / PAGE_ROWS) + 1;

/** The remembered position, if it matches the address. `back` is false for a list that is opened for the first time. */
export function placeIn(
  queries: QueryClient,
  { slug }: OrgSession,
  filter: FindingFilter,
  page: number,
): Place & { back: boolean } {
  const last = lastPlace(queries, slug, filter);
  if (last && [last.page, pageOf(last.top), pageOf(last.active)].includes(page)) {
    return { top: last.top, active: last.active, back: true };
  }
  const start = (page - 1) * PAGE_ROWS;
  return { top: start, active: start, back: false };
}
