import { z } from 'zod';
import { fields, list, number, optional, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';

/*
 * JSON and XML have the same names, except that lists in XML are elements in an element, and attributes start with `@_`. The
 * schemas read both.
 */

/** A list in JSON, or the members of an XML element. */
const listOf = <S extends z.ZodType>(name: string, member: S) =>
  z.preprocess((value) => {
    const [wrapper, ...others] = [value].flat();
    const members = others.length === 0 ? property(wrapper, name) : undefined;
    return Array.isArray(members) ? members : value;
  }, list(member));

/** An object in JSON, or the first XML element. */
const objectOf = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (Array.isArray(value) ? value[0] : value), optional(schema));

const Source = objectOf(z.object({ name: text, '@_name': text, url: text }));

const Rating = z.object({
  source: Source,
  // The extension for XML 1.0 to 1.3 has `<score><base>`.
  score: z.preprocess((value) => property([value].flat()[0], 'base') ?? value, number),
  ...fields(text, 'severity', 'method', 'vector'),
});

const Affected = z.object({
  ref: requiredText,
  versions: listOf('version', z.object({ version: text, range: text, status: text })),
});

export const Vulnerability = z.object({
  ...fields(text, 'id', '@_ref', 'description', 'detail', 'recommendation', 'workaround', 'rejected'),
  source: Source,
  references: listOf('reference', z.object({ id: text })),
  ratings: listOf('rating', Rating),
  cwes: listOf('cwe', requiredText),
  recommendations: listOf('recommendation', requiredText),
  advisories: listOf(
    'advisory',
    z.union([z.object({ title: text, url: requiredText }), requiredText.transform((url) => ({ url }))]),
  ),
  analysis: objectOf(z.object({ state: text, justification: text, detail: text })),
  affects: listOf('target', Affected),
});

export type Vulnerability = z.output<typeof Vulnerability>;
export type Rating = z.output<typeof Rating>;

const Property = z.preprocess(
  (value) => (isObject(value) ? { name: value['@_name'], value: value['#text'], ...value } : value),
  z.object({ name: requiredText, value: requiredText }),
);

export const Component = z.object({
  ...fields(text, 'bom-ref', '@_bom-ref', 'type', '@_type', 'group', 'name', 'version', 'purl'),
  properties: listOf('property', Property),
  evidence: objectOf(z.object({ occurrences: listOf('occurrence', z.object({ location: text })) })),
});

export type Component = z.output<typeof Component>;

export const SpecVersion = z.object({ specVersion: text, '@_xmlns': texts });
