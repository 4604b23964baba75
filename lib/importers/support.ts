import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { CVSS20, CVSS30, CVSS31, CVSS40 } from '@pandatix/js-cvss';
import type { Severity } from './finding.ts';
import type { ImportContext } from './importer.ts';

/** A stable fingerprint: the name of the tool and the SHA-256 of the parts that identify a finding. */
export function fingerprintOf(tool: string, ...parts: (string | number | undefined | null)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts.map((part) => part ?? null)));
  return `${tool}:${digest.digest('hex')}`;
}

/** Collapses white space, so that moved or reformatted code stays the same. */
export const collapseWhitespace = (context: string): string => context.replace(/\s+/g, ' ').trim();

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

/** The severity of a CVSS score (CVSS v3.1, "Qualitative Severity Rating Scale"). */
export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'medium';
  return score > 0 ? 'low' : 'info';
}

export interface Cvss {
  score: number;
  vector: string;
}

/** The score of a CVSS vector (v2, v3, v4); undefined if the vector is invalid. */
export function cvssOf(vector: string | undefined | null): Cvss | undefined {
  const plain = vector?.trim().replace(/^\((.*)\)$/, '$1');
  if (!plain) return undefined;
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
 * Makes a path or file URL relative to the workspace, with slashes. Paths outside the workspace lose leading `..`
 * segments. Undefined if nothing is left.
 */
export function relativePath(
  path: string | undefined | null,
  { workspace }: ImportContext,
): string | undefined {
  if (!path) return undefined;
  let plain = path.replace(/^file:\/\/(?:localhost)?(?=\/)/i, '').replaceAll('\\', '/');
  if (plain !== path && /%[0-9a-f]{2}/i.test(plain)) {
    try {
      plain = decodeURIComponent(plain);
    } catch {
      // The percent sign is not a URL escape.
    }
  }
  const base = workspace.replaceAll('\\', '/').replace(/\/+$/, '');
  if (base !== '' && `${plain}/`.startsWith(`${base}/`)) plain = plain.slice(base.length + 1);
  // Normalizing `/../x` gives `/x`, so the result has no `..` segments.
  const normalizedPath = posix.normalize(`/${plain.replace(/^[a-z]:(?=\/)/i, '')}`).slice(1);
  return normalizedPath === '' || normalizedPath === '.' ? undefined : normalizedPath;
}
