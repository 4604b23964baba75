import { z } from '../../schema.ts';
import type { ResultInfo } from '../respond.ts';

/** A query parameter that is a whole number. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .openapi({ type: 'integer', minimum: min, maximum: max, example: min });

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

/** A query parameter that is `true` or `false`, or a boolean of JSON. */
export const flag = () =>
  z
    .union([z.enum(['true', 'false']), z.boolean()])
    .transform((given) => given === true || given === 'true')
    .openapi({ type: 'boolean', example: true });

/** A query parameter that takes several of `values`, repeated or separated by commas. */
export const anyOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => text.split(',')))
    .pipe(z.array(z.enum(values)))
    .openapi({
      type: 'array',
      items: { type: 'string', enum: [...values] },
      example: [values[0]],
      description: 'One or more values: repeat the parameter or separate the values by commas.',
    });
