import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import { type FindingSearch, findingSearch } from '../app/search.ts';
import type { OrgSession } from '../app/session.ts';

export type ListedFinding = Schemas['ListedFinding'];
/** What the list is narrowed to, and its order. */
export type FindingFilter = Omit<FindingSearch, 'page'>;

/** A page of the list; what is not known of it for the moment is undefined. */
export interface FindingsPage {
  rows: (ListedFinding | undefined)[];
  total: number;
}

/** Rows of a page of the list, as its address counts them. */
export const PAGE_ROWS = 100;

/**
 * The filter and order that an address of the list, or of one of its findings, holds. Routes hand on what they do not
 * understand, too.
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
    // Of 100,000 rows, few are looked at again.
    gcTime: 120_000,
  });

/** Where somebody was in the list, counted from 0: the row on top, and the one that keys act on. */
export interface Place {
  top: number;
  active: number;
}

/** With what the address of the list said then. */
type Remembered = Place & { of: string; page: number };

const placeKey = (slug: string) => ['org', slug, 'findings', 'place'] as const;

const lastPlace = (queries: QueryClient, slug: string, filter: FindingFilter) => {
  const last = queries.getQueryData<Remembered>(placeKey(slug));
  return last?.of === JSON.stringify(filter) ? last : undefined;
};

/** Remembers where somebody is in the list, so that they come back to it. */
export function rememberPlace(
  queries: QueryClient,
  { slug }: OrgSession,
  filter: FindingFilter,
  place: Place & { page: number },
): void {
  queries.setQueryDefaults(placeKey(slug), { gcTime: Number.POSITIVE_INFINITY });
  queries.setQueryData(placeKey(slug), { of: JSON.stringify(filter), ...place });
}

/** The finding at this place of the list, counted from 1, is looked at: the list comes back to it. */
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

/** Where somebody was in the list, if its address leads there; `back` tells whether they were there before. */
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
