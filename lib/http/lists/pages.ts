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

export function resultInfo({ page, perPage }: Page, total: number): ResultInfo {
  const totalPages = Math.ceil(total / perPage);
  return {
    page,
    per_page: perPage,
    total,
    total_pages: totalPages,
    has_next: page < totalPages,
    has_prev: page > 1 && totalPages > 0,
  };
}
