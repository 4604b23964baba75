import { z } from 'zod';
import { type Report, ReportError } from '../importer.ts';
import { fields, list, number, optional, requiredText, text, texts } from '../read/schema.ts';
import { elementAt, isObject, property } from '../read/values.ts';

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

/** The parts of a bill of materials that are needed, still to be validated. */
export interface Bom {
  /** The component that the bill of materials describes. */
  subject: Component | undefined;
  components: Component[];
  vulnerabilities: { vulnerability: unknown; component: Component | undefined }[];
}

/** Whether a report is a bill of materials in CycloneDX. */
export function isBom(report: Report): boolean {
  if (report.kind === 'json') return property(report.documents[0], 'bomFormat') === 'CycloneDX';
  if (report.kind !== 'xml' || !/(?:^|:)bom$/.test(report.root)) return false;
  const root = elementAt(report.document, report.root) ?? {};
  return Object.entries(root).some(
    ([name, value]) => name.startsWith('@_xmlns') && /cyclonedx/i.test(String(value)),
  );
}

export function bomOf(report: Report): Bom {
  if (!isBom(report)) throw new ReportError('The report is not in the CycloneDX format');
  const root =
    report.kind === 'xml'
      ? elementAt(withoutPrefixes(report.document), 'bom')
      : report.kind === 'json'
        ? (report.documents[0] as Record<string, unknown>)
        : undefined;
  const version = property(root, 'specVersion');
  if (version !== undefined && !/^1\b/.test(String(version)))
    throw new ReportError(`CycloneDX ${version} is not supported: write 1.6 or earlier`, 'specVersion');
  const subject = members(property(first(property(root, 'metadata')), 'component'), 'component')[0];
  const vulnerabilities = members(property(root, 'vulnerabilities'), 'vulnerability').map(
    (vulnerability): Bom['vulnerabilities'][number] => ({ vulnerability, component: undefined }),
  );
  const components: Component[] = [];
  const waiting = [subject, ...members(property(root, 'components'), 'component')].reverse();
  while (waiting.length > 0) {
    const next = waiting.pop();
    const parsed = Component.safeParse(next);
    if (!isObject(next) || !parsed.success) continue;
    const component = parsed.data;
    components.push(component);
    for (const inner of members(next.components, 'component').reverse()) waiting.push(inner);
    // The extension for XML 1.0 to 1.3 puts vulnerabilities into components.
    for (const vulnerability of members(next.vulnerabilities, 'vulnerability'))
      vulnerabilities.push({ vulnerability, component });
  }
  const named = Component.safeParse(subject);
  return { subject: named.success ? named.data : undefined, components, vulnerabilities };
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** The members of a list in JSON, or of an XML element. */
function members(value: unknown, name: string): unknown[] {
  if (value === undefined || value === null) return [];
  const inner = property(first(value), name);
  return Array.isArray(inner) ? inner : [value].flat().filter((one) => one !== '');
}

/** Removes namespace prefixes from element names: `v:vulnerability` is `vulnerability`. */
function withoutPrefixes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrefixes);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name.startsWith('@_') ? name : name.replace(/^[^:]*:/, ''),
    withoutPrefixes(member),
  ]);
  return Object.fromEntries(entries);
}
