import { z } from '@hono/zod-openapi';

/** PostgreSQL's text takes neither NUL nor unpaired surrogates. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed();

const UNSTORABLE = 'must not contain NUL or unpaired surrogates';

/** Whether a text has from `min` to `max` characters, as JSON Schema counts them: code points. */
export function hasLength(text: string, min: number, max: number): boolean {
  // A code point is one or two UTF-16 units.
  if (text.length < min || text.length > 2 * max) return false;
  if (text.length >= 2 * min && text.length <= max) return true;
  let count = 0;
  for (const _ of text) count++;
  return count >= min && count <= max;
}

const encoder = new TextEncoder();

export interface TextLimits {
  /** Code points. */
  min?: number;
  /** Code points. */
  max: number;
  /** White space around it is cut off first. */
  trim?: boolean;
}

/** Text that can be stored, within its limits. */
export function text({ min = 0, max, trim = false }: TextLimits) {
  const base = trim ? z.string().trim() : z.string();
  const tooShort = min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
  return base
    .refine(isStorable, UNSTORABLE)
    .refine((value) => hasLength(value, min, Number.POSITIVE_INFINITY), tooShort)
    .refine((value) => hasLength(value, 0, max), `must have at most ${max} characters`)
    .openapi({ type: 'string', ...(min > 0 && { minLength: min }), maxLength: max });
}

/** Text whose limit is in UTF-8 bytes. */
export function textBytes({ min = 0, max }: { min?: number; max: number }) {
  return (
    z
      .string()
      .refine(isStorable, UNSTORABLE)
      .refine((value) => value.length >= min, 'must not be empty')
      // A UTF-16 unit is 1 to 3 bytes.
      .refine(
        (value) => value.length * 3 <= max || (value.length <= max && encoder.encode(value).length <= max),
        `must have at most ${max} bytes in UTF-8`,
      )
      .openapi({ type: 'string', ...(min > 0 && { minLength: min }), maxLength: max })
  );
}

/** A field that may be left out; null says the same. */
export const optional = <S extends z.ZodType>(schema: S) =>
  schema.nullish().transform((value) => value ?? undefined);

/** Any UUID, lower-cased as PostgreSQL shows it. */
export const uuid = () => z.guid().toLowerCase().openapi({ type: 'string', format: 'uuid' });

/** A time as the API shows it. */
export const timestamp = () =>
  z.string().openapi({
    format: 'date-time',
    example: '2026-01-01T00:00:00.000Z',
    description: 'ISO 8601, UTC, milliseconds',
  });

export { z };
