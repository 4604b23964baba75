import { whole } from '../../schema.ts';
import type { ResultInfo } from '../respond.ts';

const MAX_PAGE = 1_000_000;

const DEFAULT_PER_PAGE = 50;

/** The query parameters that select a page. Without them a list returns all rows. */
export const pageParameters = { page: whole(1, MAX_PAGE).optional(), per_page: whole(1, 500).optional() };

export interface Page {
  page: number;
  perPage: number;
  offset: number;
}

interface PageQuery {
  page?: number | undefined;
  per_page?: number | undefined;
}

/** The requested page, of a list that is always paged. */
export function requiredPage({ page = 1, per_page: perPage = DEFAULT_PER_PAGE }: PageQuery): Page {
  return { page, perPage, offset: (page - 1) * perPage };
}

/** The requested page; undefined when all rows are requested. */
export function pageOf(query: PageQuery): Page | undefined {
  return query.page === undefined && query.per_page === undefined ? undefined : requiredPage(query);
}

/** @param counted the most that are counted, and whether the page is full. A greater `total` stands for more than that */
export function resultInfo(
  { page, perPage }: Page,
  found: number,
  { upTo, isFull }: { upTo: number; isFull: boolean } = { upTo: found, isFull: false },
): ResultInfo {
  const total = Math.min(found, upTo);
  const isExact = found <= upTo;
  const totalPages = Math.ceil(total / perPage);
  return {
    page,
    per_page: perPage,
    total,
    ...(!isExact && { total_is_exact: false }),
    total_pages: totalPages,
    has_next: isExact ? page < totalPages : isFull,
    has_prev: page > 1 && totalPages > 0,
  };
}
