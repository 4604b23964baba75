import { posix } from 'node:path';
import { CVSS20, CVSS30, CVSS31, CVSS40 } from '@pandatix/js-cvss';
import type { Severity } from './finding.ts';
import type { Workspace } from './importer.ts';

/** Collapses white space, so that moved or reformatted code stays the same. */
export const collapseWhitespace = (context: string): string =>
  // Most white space is a single space, which stays.
  context.replace(/ \s+|[^\S ]\s*/g, ' ').trim();

/** A map instead of an object, because a report may contain the word `constructor`. */
const SEVERITY_WORDS = new Map<string, Severity>(
  Object.entries({
    critical: 'critical',
    blocker: 'critical',
    important: 'high',
    high: 'high',
    error: 'high',
    major: 'high',
    moderate: 'medium',
    medium: 'medium',
    warning: 'medium',
    warn: 'medium',
    minor: 'low',
    low: 'low',
    negligible: 'info',
    minimal: 'info',
    unimportant: 'info',
    note: 'low',
    informational: 'info',
    information: 'info',
    info: 'info',
    none: 'info',
    unknown: 'info',
  } as const),
);

/** The severity of a tool's word, or `otherwise` if the word is unknown. */
export const severityOf = (word: string | undefined | null, otherwise: Severity = 'info'): Severity =>
  SEVERITY_WORDS.get(word?.trim().toLowerCase() ?? '') ?? otherwise;

/** The severity of a word in the scale of a tool, or `otherwise` if the scale lacks the word. The scale has lower-case words. */
export const severityIn = (
  scale: Readonly<Record<string, Severity>>,
  word: string | undefined,
  otherwise: Severity = 'info',
): Severity => {
  const key = word?.toLowerCase() ?? '';
  return (Object.hasOwn(scale, key) ? scale[key] : undefined) ?? otherwise;
};

/** The severities of levels from 0 to 4. */
export const LEVELS: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** The severity of a CVSS score (CVSS v3.1, "Qualitative Severity Rating Scale"), or `otherwise` without one. */
export function severityOfScore(score: number | undefined, otherwise: Severity = 'info'): Severity {
  if (score === undefined) return otherwise;
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'info';
}

export interface Cvss {
  score: number;
  vector: string;
}

/** The score of a CVSS vector (v2, v3, v4); undefined if the vector is invalid. The prefix `CVSS:3.1/` may be missing. */
export function cvssOf(vector: string | undefined | null): Cvss | undefined {
  const [, metrics] = /^\(?(?:\d+(?:\.\d+)?\/)?(?:CVSS:2\.0\/)?([^()]+)\)?$/.exec(vector?.trim() ?? '') ?? [];
  if (!metrics) return undefined;
  const plain = /^AV:.*\/PR:/.test(metrics) ? `CVSS:3.1/${metrics}` : metrics;
  try {
    const score = scoreOf(plain);
    // The library accepts some vectors with missing metrics and returns an invalid score.
    return score >= 0 && score <= 10 ? { score, vector: plain } : undefined;
  } catch {
    return undefined;
  }
}

function scoreOf(vector: string): number {
  if (vector.startsWith('CVSS:4.0/')) return new CVSS40(vector).Score();
  if (vector.startsWith('CVSS:3.1/')) return new CVSS31(vector).BaseScore();
  if (vector.startsWith('CVSS:3.0/')) return new CVSS30(vector).BaseScore();
  return new CVSS20(vector).BaseScore();
}

/** The first CWE id in texts or numbers, as `CWE-89`. */
export function cweOf(...candidates: (string | number | undefined | null)[]): string | undefined {
  for (const candidate of candidates) {
    const [, digits] = /^(?:.*?\bCWE[-_:/ ]*)?0*([1-9]\d{0,8})\b/is.exec(String(candidate ?? '')) ?? [];
    if (digits) return `CWE-${digits}`;
  }
  return undefined;
}

/** The first CVE id in texts, as `CVE-2026-12345`. */
export function cveOf(...candidates: (string | undefined | null)[]): string | undefined {
  for (const candidate of candidates) {
    const [found] = /\bCVE-\d{4}-\d{4,19}\b/i.exec(candidate ?? '') ?? [];
    if (found) return found.toUpperCase();
  }
  return undefined;
}

/**
 * The path of a file in the workspace, from a path or file URL of a report: relative, with slashes and with the prefix of the
 * workspace. Other paths lose leading slashes and `..` segments. Undefined if nothing is left.
 */
export function relativePath(
  path: string | undefined | null,
  { directory, pathPrefix = '' }: Pick<Workspace, 'directory' | 'pathPrefix'>,
): string | undefined {
  if (!path) return undefined;
  const plain = decodePath(path);
  const base = directory.replaceAll('\\', '/').replace(/\/+$/, '');
  const root = pathPrefix && base.endsWith(`/${pathPrefix}`) ? base.slice(0, -pathPrefix.length - 1) : '';
  for (const [parent, prefix] of [
    [base, pathPrefix],
    [root, ''],
  ] as const) {
    if (parent !== '' && `${plain}/`.startsWith(`${parent}/`))
      return normalizePath(`${prefix}/${plain.slice(parent.length)}`);
  }
  const isAbsolute = /^(?:[a-z]:)?\//i.test(plain);
  return normalizePath(isAbsolute ? plain : `${pathPrefix}/${plain}`);
}

/** A path that is not in the workspace, such as a file in an image: with slashes, without leading slashes. */
export const plainPath = (path: string | undefined | null): string | undefined =>
  path ? normalizePath(decodePath(path)) : undefined;

/** A path or file URL with slashes and without escapes. */
function decodePath(path: string): string {
  const plain = path.replace(/^file:\/\/(?:localhost)?(?=\/)/i, '').replaceAll('\\', '/');
  if (plain === path || !/%[0-9a-f]{2}/i.test(plain)) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    // The percent sign is not a URL escape.
    return plain;
  }
}

/** Composes letters and removes a drive letter, leading slashes and `..` segments. Undefined if nothing is left. */
function normalizePath(path: string): string | undefined {
  // Normalizing `/../x` gives `/x`.
  const plain = posix.normalize(`/${path.replace(/^[a-z]:(?=\/)/i, '')}`).replace(/^\/+/, '');
  // macOS decomposes the letters of file names.
  const normalized = plain.normalize('NFC');
  return normalized === '' || normalized === '.' ? undefined : normalized;
}
