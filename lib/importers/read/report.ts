import { type Report, ReportError } from '../importer.ts';
import { isObject } from './values.ts';

/* The content of a report by its kind. */

/** The JSON documents of a report: one, or several in a row. */
export const documentsOf = (report: Report): unknown[] => (report.kind === 'json' ? report.documents : []);

/** The first JSON document of a report. */
export const documentOf = (report: Report): unknown => documentsOf(report)[0];

/** The first JSON document of a report; undefined if it is not an object. */
export function firstDocument(report: Report): Record<string, unknown> | undefined {
  const document = documentOf(report);
  return typeof document === 'object' && document !== null
    ? (document as Record<string, unknown>)
    : undefined;
}

/** The kind of value that a field has: `value` is any value, also null. An object of kinds stands for an object with these fields. */
export type Kind = 'list' | 'object' | 'text' | 'value' | { readonly [name: string]: Kind };

/** Whether a value is of a kind, for recognizing the format of a report: `{ results: 'list', version: 'text' }`. */
export function hasKind(value: unknown, kind: Kind): boolean {
  if (kind === 'list') return Array.isArray(value);
  if (kind === 'object') return isObject(value);
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'value') return value !== undefined;
  return isObject(value) && Object.entries(kind).every(([name, inner]) => hasKind(value[name], inner));
}

export const rowsOf = (report: Report): Record<string, string>[] =>
  report.kind === 'csv' ? report.rows : [];

/** The rows of a table with columns. @param name of its file in an archive @throws ReportError if a column is missing */
export function rowsWith(
  report: Report,
  columns: readonly string[],
  name?: string,
): Record<string, string>[] {
  if (hasColumns(report, ...columns)) return rowsOf(report);
  throw new ReportError(`The columns ${columns.join(', ')} are missing`, name);
}

/** Reads the first cell that is not empty, because the names of the columns depend on the version. */
export type Cell = (...names: readonly string[]) => string | undefined;

export const cellOf =
  (row: Record<string, string>): Cell =>
  (...names) =>
    names.map((name) => row[name]?.trim()).find(Boolean);

/** Whether a report is a table with all these columns. */
export const hasColumns = (report: Report, ...names: readonly string[]): boolean =>
  report.kind === 'csv' && names.every((name) => report.columns.includes(name));

/** The root element of an XML report. @throws ReportError if the report has another one */
export function rootOf(report: Report, ...names: readonly string[]): Record<string, unknown> {
  if (report.kind !== 'xml' || !names.includes(report.root))
    throw new ReportError(`expected XML with the element ${names.join(' or ')}`);
  const root: unknown = [(report.document as Record<string, unknown>)[report.root]].flat()[0];
  return isObject(root) ? root : {};
}

/** Whether a report is XML with one of these root elements. */
export const hasRoot = (report: Report, ...names: readonly string[]): boolean =>
  report.kind === 'xml' && names.includes(report.root);
