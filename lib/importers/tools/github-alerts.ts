import type { ImportContext, Report } from '../importer.ts';
import { isObject } from '../read/values.ts';

/** The alerts of a report. `gh api --paginate` writes one list per page. */
export function alertsOf(report: Report): unknown[] {
  if (report.kind !== 'json') return [];
  return report.documents.flat();
}

/** Whether the first alert has some properties. */
export function hasProperties(report: Report, ...names: string[]): boolean {
  const [first] = alertsOf(report);
  return isObject(first) && names.every((name) => first[name] !== undefined && first[name] !== null);
}

/** The repository of an alert, and its number there: GitHub identifies it by them. */
export function numberOf({
  url,
  html_url,
  number,
}: AlertUrl): [repository: string, number: number] | undefined {
  const [, api] = /\/repos\/([^/]+\/[^/]+)\//.exec(url ?? '') ?? [];
  const [, page] = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/security\//.exec(html_url ?? '') ?? [];
  const repository = api ?? page;
  return repository !== undefined && number !== undefined ? [repository, number] : undefined;
}

interface AlertUrl {
  url?: string | undefined;
  html_url?: string | undefined;
  number?: number | undefined;
}

const CLOSED = /^(?:auto_)?dismissed$|^fixed$|^resolved$|^closed$/i;

/** Whether an alert is open. A closed one is counted. */
export function isOpen(
  state: string | undefined,
  why: string | undefined | null,
  context: Pick<ImportContext, 'skip'>,
): boolean {
  if (!CLOSED.test(state ?? '')) return true;
  const reason = why && why !== 'None' ? ` as ${why.replaceAll('_', ' ')}` : '';
  context.skip(`GitHub calls them ${state}${reason}`);
  return false;
}
