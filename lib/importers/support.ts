import { posix } from 'node:path';
import { CVSS20, CVSS30, CVSS31, CVSS40 } from '@pandatix/js-cvss';
import { type Rating, SEVERITIES, type Severity } from './finding.ts';
import type { Workspace } from './importer.ts';

/** Collapses white space, so that moved or reformatted code stays the same. */
export const collapseWhitespace = (context: string): string =>
  // Most white space is a single space, which stays.
  context.replace(/ \s+|[^\S ]\s*/g, ' ').trim();

export const severityFor = (rating: Rating): Severity =>
  typeof rating === 'string' ? rating : rating.severity;

/** The most severe of some ratings. */
export const mostSevere = <R extends Rating>(ratings: readonly R[]): R | undefined =>
  SEVERITIES.map((severity) => ratings.find((rating) => severityFor(rating) === severity)).find(Boolean);

/** The words of tools by severity. */
const WORDS: Record<Severity, string> = {
  critical:
    'critical crit blocker blocking urgent emergency emerg fatal disaster catastrophic extreme highest alert',
  high: 'high important error major severe serious danger',
  medium: 'medium moderate warning warn average normal',
  low: 'low minor note notice lowest trivial',
  info: 'info informational information none negligible minimal unimportant debug trace',
};

/** A map instead of an object, because a report may contain the word `constructor`. */
const SEVERITY_WORDS = new Map<string, Severity>([
  ...SEVERITIES.flatMap((severity) => WORDS[severity].split(' ').map((word) => [word, severity] as const)),
  ['very high', 'critical'],
]);

/** Priorities and incident levels, of which 1 is the most severe: `P1`, `Sev 2`. */
const PRIORITY = /^(?:p|s|sev|severity|prio|priority)[ :_-]*([0-5])(?![\w.,])/;
const PRIORITIES: readonly Severity[] = ['critical', 'critical', 'high', 'medium', 'low', 'info'];

/** A score. A whole number below 5 may also be a level, of which some tools count from the top and others from the bottom. */
const SCORE = /^(?:cvss\S* +)?(\d{1,2}[.,]\d+|[5-9]|10)(?: *\/ *10)?$/;

/** The words of tools for a severity that nobody has set. */
const UNRATED =
  /^(?:unknown|untriaged|unspecified|undefined|unassigned|undetermined|unrated|unscored|n\/?a|nil|null|-+|tbd|pending|0(?:[.,]0+)?|not[ _-](?:set|rated|defined|available|assigned|yet[ _-]assigned))?$/;

const normalizeWord = (word: string | undefined | null) => word?.trim().toLowerCase() ?? '';

/** Whether a word rates something: not `unknown` or `UNTRIAGED`. */
export const isRated = (word: string | undefined | null) => !UNRATED.test(normalizeWord(word));

/** The first of some words that rates something, otherwise the first that is there. */
export const firstRated = (...words: readonly (string | undefined | null)[]): string | undefined =>
  words.find(isRated) ?? words.find((word) => word?.trim()) ?? undefined;

/**
 * The severity of a tool's word, score or CVSS vector.
 * @param otherwise the severity without a word, such as the one of the CVSS score; medium by default. An unknown word is not
 *   rated below medium.
 */
export function severityOf(word: string | undefined | null, otherwise?: Rating): Rating {
  const plain = normalizeWord(word);
  const known = knownSeverity(plain);
  if (known) return known;
  if (plain === '' || (otherwise && !isRated(plain))) return otherwise ?? 'medium';
  const severity = mostSevere([severityFor(otherwise ?? 'medium'), 'medium']) ?? 'medium';
  return { word: collapseWhitespace(word ?? '').slice(0, MAX_WORD), severity };
}

const MAX_WORD = 60;

function knownSeverity(plain: string): Severity | undefined {
  const exact = SEVERITY_WORDS.get(plain);
  if (exact || plain.length > MAX_VECTOR) return exact;
  // `3 - High`, `Very Low`, `High (7.5)`; not `not critical`.
  const words = plain.match(/\p{L}+/gu) ?? [];
  const named = words.flatMap((one) => SEVERITY_WORDS.get(one) ?? []);
  if (named.length > 0) return words.some((one) => /^no[nt]?$/.test(one)) ? undefined : mostSevere(named);
  const [, priority] = PRIORITY.exec(plain) ?? [];
  if (priority) return PRIORITIES[Number(priority)];
  const [, stated] = SCORE.exec(plain) ?? [];
  const vector = plain.includes('av:') ? cvssOf(plain.toUpperCase().replace('/AU:', '/Au:')) : undefined;
  return severityOfScore(stated ? Number(stated.replace(',', '.')) : vector?.score);
}

const MAX_VECTOR = 300;

/** The severity of a word in the scale of a tool. Others are read by {@link severityOf}. The scale has lower-case words. */
export const severityIn = (
  scale: Readonly<Record<string, Severity>>,
  word: string | undefined,
  otherwise?: Rating,
): Rating => {
  const key = normalizeWord(word);
  return (Object.hasOwn(scale, key) ? scale[key] : undefined) ?? severityOf(word, otherwise);
};

/** The severities of levels from 0 to 4. */
export const LEVELS: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** The severity of a level from 0 to 4, or of a word. */
export const severityOfLevel = (level: string | undefined): Rating =>
  /^[0-4]$/.test(level ?? '') ? (LEVELS[Number(level)] ?? 'medium') : severityOf(level);

/** The severity of a CVSS score (CVSS v3.1, "Qualitative Severity Rating Scale"); undefined without one. */
export function severityOfScore(score: number | undefined): Severity | undefined;
export function severityOfScore<S extends Severity>(score: number | undefined, otherwise: S): Severity;
export function severityOfScore(score: number | undefined, otherwise?: Severity): Severity | undefined {
  if (score === undefined || !(score >= 0 && score <= 10)) return otherwise;
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'info';
}

export interface Cvss {
  score: number;
  vector: string;
}

/** The score of a CVSS vector (v2, v3, v4) in a text; undefined if there is none. The prefix `CVSS:3.1/` may be missing. */
export function cvssOf(text: string | undefined | null): Cvss | undefined {
  const [, version, metrics] = VECTOR.exec(text ?? '') ?? [];
  if (!metrics) return undefined;
  const found = /\/VC:/.test(metrics)
    ? '4.0'
    : /\/PR:/.test(metrics)
      ? version === '3.0'
        ? version
        : '3.1'
      : undefined;
  const vector = found ? `CVSS:${found}/${metrics}` : metrics;
  try {
    const score = scoreOf(vector);
    // The library accepts some vectors with missing metrics and returns an invalid score.
    return score >= 0 && score <= 10 ? { score, vector } : undefined;
  } catch {
    return undefined;
  }
}

const VECTOR =
  /(?:CVSS:?([34]\.\d)\/)?\b([A-Z]{1,3}:[A-Z]{1,8}(?:\/[A-Z]{1,3}:[A-Z]{1,8}){5,40})\/?(?![\w:/])/i;

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
export function relativePath(path: string | undefined | null, workspace: Place): string | undefined {
  if (!path) return undefined;
  const plain = decodePath(path);
  const { pathPrefix = '' } = workspace;
  const found = pathInRepository(plain, workspace) ?? (isAbsolute(plain) ? undefined : plain);
  return normalizePath(found === undefined ? plain : `${pathPrefix}/${found}`);
}

type Place = Pick<Workspace, 'directory' | 'pathPrefix' | 'resolve'>;

/** Whether an absolute path with slashes is the directory of the workspace or below it, also through symbolic links. */
export function isInWorkspace(path: string | undefined, workspace: Place): boolean {
  const found = path ? pathInRepository(path, workspace) : undefined;
  return found !== undefined && found.split('/', 1)[0] !== '..';
}

/**
 * An absolute path with slashes as one relative to the directory of the workspace, which starts with `../` if it is elsewhere in the
 * repository. Undefined for other paths.
 */
export function pathInRepository(path: string, { directory, pathPrefix = '', resolve }: Place) {
  const base = directory.replaceAll('\\', '/').replace(/(?<!\/)\/+$/, '');
  const root = pathPrefix && base.endsWith(`/${pathPrefix}`) ? base.slice(0, -pathPrefix.length - 1) : '';
  const isBelow = (parent: string) => parent !== '' && `${path}/`.startsWith(`${parent}/`);
  if (isBelow(base)) return path.slice(base.length + 1);
  if (isBelow(root)) return posix.join(pathPrefix.replace(/[^/]+/g, '..'), path.slice(root.length + 1));
  return isAbsolute(path) ? resolve?.(path) : undefined;
}

const isAbsolute = (path: string): boolean => /^(?:[a-z]:)?\//i.test(path);

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
