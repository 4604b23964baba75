import { z } from 'zod';
import { readFrom } from '../identity/entries.ts';
import { elementAt, property } from './values.ts';

/*
 * Schemas for reports of many versions and vendors. A field that an importer can do without is read leniently: a value of
 * another type is ignored instead of refusing the report.
 */

/** A schema that accepts every value and converts it. `z.preprocess` costs three times as much. */
const converted = <T>(convert: (value: unknown) => T) =>
  z.unknown().overwrite(convert) as unknown as z.ZodType<T>;

/** Text, or a number or flag as text; undefined for anything else. XML elements are read too ({@link elementText}). */
export const text = converted(asText).optional();

/** The text of an element or attribute at a path of names in an XML element: `textAt(host, 'status', '@_state')`. */
export const textAt = (element: unknown, ...path: string[]): string | undefined =>
  text.parse(property(elementAt(element, ...path.slice(0, -1)), path.at(-1) ?? ''));

/** Text that is required and not empty. */
export const requiredText = z.preprocess((value) => asText(value), z.string().min(1));

/** A number, or text with a number; undefined for anything else. */
export const number = converted((value) => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  const found = asText(value)?.trim();
  return found && Number.isFinite(Number(found)) ? Number(found) : undefined;
}).optional();

/** A flag, or text that says true or false; undefined for anything else. */
export const flag = converted((value): boolean | undefined => {
  const found = asText(value)?.trim().toLowerCase();
  if (found === undefined) return undefined;
  return ['true', 'yes', '1'].includes(found)
    ? true
    : ['false', 'no', '0'].includes(found)
      ? false
      : undefined;
}).optional();

/** A list; a single value is a list of one. Members that do not match are left out. */
export const list = <S extends z.ZodType>(member: S) =>
  converted((value) => {
    const members: z.output<S>[] = [];
    if (value === null || value === '') return members;
    for (const candidate of Array.isArray(value) ? value : [value]) {
      const parsed = member.safeParse(candidate);
      if (parsed.success) members.push(readFrom(parsed.data, candidate));
    }
    return members;
  }).default([]);

/** Texts in a list or a single text. */
export const texts = list(requiredText);

/** A value of a schema; undefined for anything else. */
export const optional = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);

/** An object with these fields; undefined for anything else. */
export const object = <Fields extends z.ZodRawShape>(fields: Fields) => optional(z.object(fields));

/** A list of objects with these fields. Members that do not match are left out. */
export const objects = <Fields extends z.ZodRawShape>(fields: Fields) => list(z.object(fields));

/** Several fields of one schema: `z.object({ id: requiredText, ...fields(text, 'title', 'severity') })` */
export const fields = <S extends z.ZodType, Name extends string>(schema: S, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, S>;

/** An object whose keys are data; undefined for anything else. */
export const record = optional(z.record(z.string(), z.unknown()));

/** A value that is read later, such as a list whose invalid members are reported. */
export const anything = z.unknown().optional();

function asText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return elementText(value);
  }
}

/** The text of an XML element as the parser returns it: in an array, and in `#text` if it has attributes. */
function elementText(value: unknown): string | undefined {
  const only: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof only === 'string') return only;
  const content =
    typeof only === 'object' && only !== null ? (only as { '#text'?: unknown })['#text'] : undefined;
  return typeof content === 'string' || typeof content === 'number' ? String(content) : undefined;
}
