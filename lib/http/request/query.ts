import type { Context } from 'hono';
import { z } from 'zod';
import { ApiError, type FieldError } from '../../errors.ts';
import type { AppEnv } from '../call.ts';
import { firstPerField } from './input.ts';

/** Whether query parameters that an endpoint does not have are ignored with a warning, refused, or ignored. */
export type UnknownParameters = 'warn' | 'refuse' | 'ignore';

/** A request can have thousands. */
const MAX_NAMED = 10;
const MAX_NAME = 100;

const NO_PARAMETERS = z.object();

/** The names of a query's parameters, as its schema has them. */
const namesOf = (schema: z.ZodType): string[] => Object.keys((schema as z.ZodObject).shape);

/**
 * Reads the query. A repeated parameter becomes an array.
 * @param schema unset: the endpoint has no parameters
 * @throws ApiError `invalid_request` with every bad parameter
 */
export function queryReader(schema: z.ZodType | undefined, unknownParameters: UnknownParameters) {
  const known = new Set(schema && namesOf(schema));
  return (c: Context<AppEnv>): unknown => {
    const { url } = c.req;
    const start = url.indexOf('?');
    if (start < 0 && !schema) return undefined;
    const parameters: Record<string, string | string[]> = Object.create(null);
    const unknown = new Set<string>();
    for (const [name, value] of start < 0 ? [] : new URLSearchParams(url.slice(start))) {
      const before = parameters[name];
      if (Array.isArray(before)) before.push(value);
      else parameters[name] = before === undefined ? value : [before, value];
      if (!known.has(name) && unknown.size < MAX_NAMED) unknown.add(shortened(name));
    }
    const isRefused = unknown.size > 0 && unknownParameters === 'refuse';
    if (unknown.size > 0 && unknownParameters === 'warn') c.get('request').unknownParameters = [...unknown];
    const parsed = (schema ?? NO_PARAMETERS).safeParse(parameters);
    if (parsed.success && !isRefused) return parsed.data;
    const details = (parsed.error?.issues ?? []).map(({ path, message }): FieldError => {
      const field = String(path[0] ?? '');
      return { field, message: field in parameters ? message : 'is required' };
    });
    throw invalidQuery(isRefused ? [...details, ...unknownDetails([...unknown])] : details);
  };
}

const shortened = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);

const unknownDetails = (names: readonly string[]): FieldError[] =>
  names.map((field) => ({ field, message: 'is not a parameter of this endpoint' }));

const invalidQuery = (details: FieldError[]) =>
  new ApiError('validation_error/invalid_request', { details: firstPerField(details) });

/**
 * For answers that have no place for a warning.
 * @throws ApiError `invalid_request` if the request has parameters that the endpoint does not have
 */
export function requireKnownParameters(c: Context<AppEnv>): void {
  const request = c.get('request');
  const { unknownParameters } = request;
  if (!unknownParameters) return;
  // They are not ignored after all.
  request.unknownParameters = undefined;
  throw invalidQuery(unknownDetails(unknownParameters));
}
