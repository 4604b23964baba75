import { z } from '@hono/zod-openapi';

/** Whether PostgreSQL can store a text: it rejects NUL and unpaired surrogates. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

const UNSTORABLE = 'must not contain NUL or unpaired surrogates';

/** Whether a text has from `min` to `max` code points, the unit of JSON Schema. */
export function hasLength(text: string, min: number, max: number): boolean {
  // A code point is one or two UTF-16 units.
  if (text.length < min || text.length > 2 * max) return false;
  if (text.length >= 2 * min && text.length <= max) return true;
  let count = 0;
  for (const _ of text) count++;
  return count >= min && count <= max;
}

const encoder = new TextEncoder();

/** The pattern of `isStorable` for the OpenAPI document. */
export const STORABLE = '^[^\\u0000]*$';
/** The characters that `trim` removes. Written out, because `\s` differs between programming languages. */
const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
/** {@link STORABLE} with at least one character that is not white space. */
const NOT_BLANK = `^[${SPACE}]*[^\\u0000${SPACE}][^\\u0000]*$`;

export interface TextLimits {
  /** Code points. */
  min?: number;
  /** Code points. */
  max: number;
  /** Removes surrounding white space, which counts for `max`, but not for `min`. */
  trim?: boolean;
  example?: string;
}

/** A storable text within its limits. */
export function text({ min = 0, max, trim = false, example }: TextLimits) {
  const tooShort = min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  const base = z
    .string()
    .refine(isStorable, UNSTORABLE)
    .refine((value) => hasLength(value, 0, max), `must have at most ${max} characters`);
  return (trim ? base.trim() : base)
    .refine((value) => hasLength(value, min, Number.POSITIVE_INFINITY), tooShort)
    .openapi({
      ...(min > 0 && { minLength: min }),
      maxLength: max,
      pattern: trim && min > 0 ? NOT_BLANK : STORABLE,
      example,
    });
}

/** A storable text whose limit is in UTF-8 bytes. */
export function textBytes({ min = 0, max, example }: Omit<TextLimits, 'trim'>) {
  return (
    z
      .string()
      .refine(isStorable, UNSTORABLE)
      .refine((value) => value.length >= min, 'must not be empty')
      // A UTF-16 unit has 1 to 3 bytes in UTF-8.
      .refine(
        (value) => value.length * 3 <= max || (value.length <= max && encoder.encode(value).length <= max),
        `must have at most ${max} bytes in UTF-8`,
      )
      .openapi({
        ...(min > 0 && { minLength: min }),
        maxLength: max,
        pattern: STORABLE,
        description: `At most ${max} bytes in UTF-8.`,
        example,
      })
  );
}

/** An optional field. Null is the same as a missing field. */
export const optional = <S extends z.ZodType>(schema: S) =>
  schema.nullish().transform((value) => value ?? undefined);

export const EXAMPLE_ID = '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07';

/** A UUID in a request, lower-cased as PostgreSQL returns it. */
export const uuid = () =>
  z.guid('must be a UUID').toLowerCase().openapi({ type: 'string', format: 'uuid', example: EXAMPLE_ID });

/** A UUID in a response. */
export const id = () => z.string().openapi({ format: 'uuid', example: EXAMPLE_ID });

/** A count in a response. */
export const count = (example: number) => z.int().min(0).openapi({ example });

/** A text in a response. */
export const shown = (example: string, description?: string) =>
  z.string().openapi({ example, ...(description !== undefined && { description }) });

/** A time in a request (RFC 3339), from 1970 to 9999, as PostgreSQL stores it. */
export const time = () =>
  z.iso
    .datetime({ offset: true, message: 'must be a time as 2026-01-01T00:00:00Z' })
    .refine((text) => Date.parse(text) >= 0 && Date.parse(text) < MAX_TIME, 'must be from 1970 to 9999')
    .transform((text) => new Date(text).toISOString())
    .openapi({ type: 'string', format: 'date-time', example: '2026-01-31T00:00:00Z' });

const MAX_TIME = Date.parse('+010000-01-01T00:00:00Z');

/** A query parameter that is a whole number. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)
    .openapi({ type: 'integer', minimum: min, maximum: max, example: min });

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

/** An optional text of which null removes the stored value. */
export const removable = <S extends z.ZodType>(schema: S) =>
  schema.nullable().optional().openapi(NULLABLE_TEXT);

// As OpenAPI 3.0 writes it; the types of the library are those of 3.1.
const NULLABLE_TEXT = { type: 'string', nullable: true } as { type: 'string' };

/** A time in a response. */
export const timestamp = () =>
  z.string().openapi({
    format: 'date-time',
    example: '2026-01-01T00:00:00.000Z',
  });

export { z };
