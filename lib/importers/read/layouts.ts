import type { Importer, Report } from '../importer.ts';
import { isObject, property } from './values.ts';

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
 * The documents of a stream say more together, or are no reports on their own.
 * @param count the number of results of the report
 */
export function unreadDocuments(report: Report, importer: Importer, count: number): Report[] {
  if (report.kind !== 'json' || report.documents.length < 2) return [];
  const [first, ...others] = report.documents.map((each): Report => ({ kind: 'json', documents: [each] }));
  const names = Object.keys(report.documents[0] ?? {});
  // The messages of govulncheck have different names.
  const isAlike = (document: unknown) => names.some((name) => property(document, name) !== undefined);
  if (!first || !report.documents.every(isAlike) || !others.every(importer.detects)) return [];
  try {
    const alone = contentOf(first, importer);
    // Most reports end here, and are not imported again.
    if (alone.count !== count) return [];
    return alone.text === contentOf(report, importer).text ? others : [];
  } catch {
    // It is a part of a stream.
    return [];
  }
}

/** The results and the remarks of the importer. Results may be merged, so their number is not enough. */
function contentOf(report: Report, importer: Importer): { count: number; text: string } {
  const remarks: unknown[] = [];
  const record = (...remark: unknown[]) => void remarks.push(remark);
  const context = { directory: '/', error: record, warn: record, skip: record };
  const results = importer.results(report, context);
  return { count: results.length, text: JSON.stringify([results, remarks]) };
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
