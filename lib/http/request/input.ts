import type { Context } from 'hono';
import type { z } from 'zod';
import { ApiError, type FieldError } from '../../errors.ts';
import { type HeldBody, holdBody, NO_BODY, type Share } from './held-body.ts';

/** The input of an endpoint; each part is an object schema. */
export interface RequestSchemas {
  params?: z.ZodType<object>;
  query?: z.ZodType<object>;
  /** By lower-case names. */
  headers?: z.ZodType<object>;
  body?: z.ZodType<object>;
}

/** The most bytes of a body, unless its endpoint declares another limit. */
export const BODY_LIMIT = 1024 * 1024;

/** Keeps the first error of each field. */
export function firstPerField(details: FieldError[]): FieldError[] {
  const first = new Map<string, FieldError>();
  for (const detail of details) if (!first.has(detail.field)) first.set(detail.field, detail);
  return [...first.values()];
}

/** Input from the JSON object of a body, whose bytes stay in memory until they are freed. */
export interface ReadBody extends HeldBody {
  value: unknown;
}

/** Reads the JSON object of the body. Throws ApiError `invalid_body`, OverShareError, or what {@link fieldErrors} returns. */
export type BodyReader = (c: Context, shareOf: () => Share) => Promise<ReadBody>;

/**
 * @param maxBytes the limit of the body
 * @param types the media types
 */
export function bodyReader(
  schema: z.ZodType,
  maxBytes = BODY_LIMIT,
  types = ['application/json'],
): BodyReader {
  const isOptional = isOptionalBody(schema);
  const limits = { maxBytes, smallIsFree: true, nouns: NOUNS };
  return async (c, shareOf) => {
    if (isOptional && hasNoBody(c)) return { ...NO_BODY, value: valid(schema, {}) };
    requirePlainJson(c, types);
    const held = await holdBody(c, limits, shareOf);
    try {
      return { bytes: held.bytes, free: held.free, value: valid(schema, await parseObject(held.bytes)) };
    } catch (error) {
      held.free();
      throw error;
    }
  };
}

const NOUNS = { one: 'body', many: 'large bodies' };

function valid(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw fieldErrors(parsed.error, value);
}

/** Whether a request may leave out the body, because it requires no field. */
export const isOptionalBody = (schema: z.ZodType): boolean => schema.safeParse({}).success;

/** Whether no header announces a body. */
export const hasNoBody = (c: Context): boolean =>
  ['content-type', 'transfer-encoding'].every((name) => c.req.header(name) === undefined) &&
  (c.req.header('content-length') ?? '0') === '0';

/** The most unknown fields that an error names. */
const MAX_UNKNOWN = 10;

/** The error of input that a schema refused: `field_required` or `field_invalid`, with every bad field. */
export function fieldErrors(error: z.ZodError, value: unknown): ApiError {
  let missing = false;
  const details = error.issues.flatMap((issue): FieldError[] => {
    // The message about an inner object names its unknown fields.
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0)
      return issue.keys.slice(0, MAX_UNKNOWN).map((field) => ({ field, message: 'is not a field' }));
    const absent = valueAt(value, issue.path) === undefined;
    missing ||= absent;
    return [{ field: issue.path.join('.'), message: absent ? 'is required' : issue.message }];
  });
  return new ApiError(missing ? 'validation_error/field_required' : 'validation_error/field_invalid', {
    details: firstPerField(details),
  });
}

/**
 * Reads headers, by their names in lower case.
 * @throws ApiError `invalid_request` with every bad header
 */
export function readHeaders(c: Context, schema: z.ZodType): unknown {
  const parsed = schema.safeParse(c.req.header());
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(({ path, message }) => ({ field: String(path[0] ?? ''), message }));
  throw new ApiError('validation_error/invalid_request', { details: firstPerField(details) });
}

/**
 * Reads the path's parameters.
 * @throws ApiError `resource_error/not_found` when a parameter is invalid, because no resource can have that id
 */
export function readParams(c: Context, schema: z.ZodType): unknown {
  const parsed = schema.safeParse(c.req.param());
  if (!parsed.success) throw new ApiError('resource_error/not_found');
  return parsed.data;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

// Requests can share a decoder because each body is decoded in one call.
const decoder = new TextDecoder('utf-8', { fatal: true });

const invalidBody = (message: string) => new ApiError('validation_error/invalid_body', { message });

/** Accepted values of the encoding headers. Encoded bodies are refused because they are not decoded. */
const ENCODINGS = [
  ['content-encoding', ['identity', '']],
  ['transfer-encoding', ['chunked']],
] as const;

function requirePlainJson(c: Context, types: readonly string[]): void {
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined || !types.includes(type))
    throw invalidBody(`The content type must be ${types.join(' or ')}.`);
  for (const [header, accepted] of ENCODINGS) {
    const encoding = c.req.header(header)?.trim().toLowerCase();
    if (encoding !== undefined && !(accepted as readonly string[]).includes(encoding))
      throw invalidBody('The body must not be encoded.');
  }
}

/** Other requests get a turn after each step of reading a large body, which takes up to 30 ms for the largest. */
async function parseObject(bytes: Uint8Array): Promise<object> {
  const turn = () => bytes.length > BODY_LIMIT && new Promise((done) => setImmediate(done));
  let value: unknown;
  try {
    const text = decoder.decode(bytes);
    await turn();
    if (hasMoreValues(text, MAX_VALUES))
      throw invalidBody(`The body must have at most ${MAX_VALUES} values.`);
    await turn();
    value = JSON.parse(text);
    await turn();
  } catch (error) {
    throw error instanceof ApiError ? error : invalidBody('The body is not JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidBody('The body must be a JSON object.');
  }
  return value;
}

const MAX_VALUES = 50_000;

/**
 * Limits the parse time: 1 MiB holds half a million arrays, and other requests wait while `JSON.parse` creates them. Real
 * bodies have a few dozen values.
 */
function hasMoreValues(json: string, max: number): boolean {
  if (json.length <= max) return false;
  let values = 0;
  for (let i = 0; i < json.length; i++) {
    switch (json.charCodeAt(i)) {
      case 0x22: // A string: skip to the closing quote.
        for (i++; i < json.length && json.charCodeAt(i) !== 0x22; i++) if (json.charCodeAt(i) === 0x5c) i++;
        break;
      case 0x2c: // ,
      case 0x5b: // [
      case 0x7b: // {
        if (++values > max) return true;
    }
  }
  return false;
}
