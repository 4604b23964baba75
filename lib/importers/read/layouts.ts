import type { Importer, Report } from '../importer.ts';
import { isObject } from './values.ts';

/**
 * The layout of a JSON report that an importer recognizes. Commands such as `jq -s`, `jq -c '.[]'`, `gh api --paginate --slurp` and
 * the APIs of platforms write the results of a tool as a list, as lines, as a list of pages or in an object, so that a report may
 * have another layout than the tool writes.
 * @param named the importer to use; undefined if any may recognize the report
 * @returns the report as it is if an importer recognizes it, or none recognizes another layout
 */
export function recognizedLayout(
  report: Report,
  importers: readonly Importer[],
  named: Importer | undefined,
): Report {
  if (report.kind !== 'json') return report;
  const { documents } = report;
  const layouts = otherLayouts(documents);
  const areLists = documents.length > 1 && documents.every(Array.isArray);
  // Most importers read the first of several lists only.
  if (!areLists && importers.some(({ detects }) => detects(report))) return report;
  const candidates = named ? [named] : importers;
  return layouts.find((layout) => candidates.some(({ detects }) => detects(layout))) ?? report;
}

/**
 * The other documents of a report if its importer reads the first one only, as it does if several reports were appended to a file.
 * @param count the results of the report
 */
export function unreadDocuments(report: Report, importer: Importer, count: number): Report[] {
  if (report.kind !== 'json' || report.documents.length < 2) return [];
  const silent = { directory: '/', error() {}, warn() {}, skip() {} };
  const [first, ...others] = report.documents.map((each): Report => ({ kind: 'json', documents: [each] }));
  try {
    if (!first || importer.results(first, silent).length !== count) return [];
  } catch {
    // It is a part of a stream.
    return [];
  }
  return others.filter((each) => importer.detects(each));
}

function otherLayouts(documents: readonly unknown[]): Report[] {
  const pages = documents.flat();
  const members = pages.every(Array.isArray) ? pages.flat() : pages;
  const wrapped = members.flatMap((member) => onlyListOf(member) ?? [member]);
  // As one list, and as lines.
  return [[members], members, [wrapped], wrapped].map((each) => ({ kind: 'json', documents: each }));
}

/** The only list of an object. */
function onlyListOf(value: unknown): unknown[] | undefined {
  const lists = isObject(value) ? Object.values(value).filter(Array.isArray) : [];
  return lists.length === 1 ? lists[0] : undefined;
}
