import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import { fetchEarly } from '../app/early.ts';
import { type FindingFilter, matchingOf } from '../app/search.ts';
import type { OrgSession } from '../app/session.ts';

export type ListedFinding = Schemas['ListedFinding'];
export type { FindingFilter };

/** A page of the list. Unknown rows are undefined. */
export interface FindingsPage {
  rows: (ListedFinding | undefined)[];
  total: number;
  /** Whether more findings match than the total, which the service limits for searches by words. */
  isCapped: boolean;
}

/** The number of rows of a page. */
export const PAGE_ROWS = 100;
/** The rows that are read first when a list is opened for the first time: as many as most windows show. */
const FIRST_ROWS = 25;

/** The prefix of the keys of all pages of lists. */
export const rowsKey = ({ slug }: OrgSession) => ['org', slug, 'findings', 'rows'] as const;

/** The prefix of the keys of the numbers of findings in lists. */
export const totalsKey = ({ slug }: OrgSession) => ['org', slug, 'findings', 'totals'] as const;

/** The number of findings that match a filter. */
export const totalQuery = (org: OrgSession, filter: FindingFilter) => {
  const matching = matchingOf(filter);
  return queryOptions({
    queryKey: [...totalsKey(org), matching],
    queryFn: async ({ signal }) => (await readFindings(org, matching, 1, 1, signal, { isExact: true })).total,
  });
};

/** Filters for which the service searches rows instead of reading stored counts. */
const SEARCHED = [
  ...(['q', 'cwe', 'cve', 'rule', 'file', 'path', 'not_path', 'source', 'not_source', 'scan_id'] as const),
  ...(['ref', 'missing', 'proposed', 'has_exploit'] as const),
  ...(['found_after', 'found_before', 'seen_after', 'seen_before'] as const),
  ...(['resolved_after', 'resolved_before', 'resolved_in_time'] as const),
  ...(['unresolved_after', 'unresolved_before'] as const),
  ...(['changed_after', 'changed_before', 'changed_by'] as const),
] as const;

/** Whether another number of findings costs a search. */
export const isSearch = (filter: FindingFilter): boolean =>
  SEARCHED.some((name) => filter[name] !== undefined);

interface ReadOptions {
  fetch?: typeof fetchEarly;
  /** Whether all findings that match are counted, also those of a search by words, which may take seconds. */
  isExact?: boolean;
}

/** Reads a part of the findings that match a filter, without descriptions, and how many match. */
export async function readFindings(
  { api }: Pick<OrgSession, 'api'>,
  filter: FindingFilter,
  page: number,
  per_page: number,
  signal?: AbortSignal,
  { fetch, isExact = false }: ReadOptions = {},
): Promise<Omit<FindingsPage, 'rows'> & { rows: ListedFinding[] }> {
  const limited = filter.q !== undefined && !isExact && { total: 'limited' as const };
  const query = { ...filter, omit: 'description' as const, page, per_page, ...limited };
  const { result, resultInfo } = await api.get('/findings', {
    params: { query },
    ...(signal && { signal }),
    ...(fetch && { fetch }),
  });
  const { total = result.length, total_is_exact = true } = resultInfo ?? {};
  return { rows: result, total, isCapped: !total_is_exact };
}

/** Reads a page of the list. */
export const readPage = (org: OrgSession, filter: FindingFilter, page: number, signal: AbortSignal) =>
  readFindings(org, filter, page, PAGE_ROWS, signal);

/** A page of the list, without descriptions. */
export const findingsPageQuery = (org: OrgSession, filter: FindingFilter, page: number) =>
  queryOptions({
    queryKey: [...rowsKey(org), filter, page],
    queryFn: async ({ client, queryKey, signal }): Promise<FindingsPage> => {
      const known = client.getQueriesData({ queryKey: rowsKey(org) });
      if (known.every(([, data]) => data === undefined)) {
        const start = (page - 1) * (PAGE_ROWS / FIRST_ROWS) + 1;
        const isEarly = globalThis.early !== undefined;
        const first = await readFindings(org, filter, start, FIRST_ROWS, signal, { fetch: fetchEarly });
        const length = Math.min(PAGE_ROWS, first.total - (page - 1) * PAGE_ROWS);
        // Early rows may be older than the revision that the list starts from.
        if (first.rows.length >= length && !isEarly) return first;
        const rows = Array.from({ length }, (_, i) => first.rows[i]);
        // Shown until all rows are there. Outdated, so that nothing takes it for the complete page.
        client.setQueryData<FindingsPage>(queryKey, { ...first, rows }, { updatedAt: 1 });
      }
      return readPage(org, filter, page, signal);
    },
    // Rows do not move because the window gets the focus. The list notices changes by the revision.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Few of 100,000 rows are shown again.
    gcTime: 120_000,
  });

/** A finding as a list has it, and its position there, counted from 1; undefined if it is not loaded. */
export function listedFinding(queries: QueryClient, org: OrgSession, filter: FindingFilter, id: string) {
  const pages = queries.getQueriesData<FindingsPage>({ queryKey: [...rowsKey(org), filter] });
  for (const [key, data] of pages) {
    const i = data?.rows.findIndex((row) => row?.id === id) ?? -1;
    const row = data?.rows[i];
    if (row) return { row, at: (Number(key.at(-1)) - 1) * PAGE_ROWS + i + 1 };
  }
  return undefined;
}

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
