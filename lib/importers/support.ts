import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { CVSS20, CVSS30, CVSS31, CVSS40 } from '@pandatix/js-cvss';
import type { Severity } from './finding.ts';
import type { ImportContext } from './importer.ts';

/** A stable fingerprint of what identifies a finding; the first part is the tool's name and stays readable. */
export function fingerprintOf(tool: string, ...parts: (string | number | undefined | null)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts.map((part) => part ?? null)));
  return `${tool}:${digest.digest('hex')}`;
}

/** Source text without what changes when code is only moved or reformatted. */
export const normalized = (context: string): string => context.replace(/\s+/g, ' ').trim();

/** A map: a report's word may be `constructor`. */
const WORDS = new Map<string, Severity>(
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

/** The severity a tool's word stands for. */
export const severityOf = (word: string | undefined | null, otherwise: Severity = 'info'): Severity =>
  WORDS.get(word?.trim().toLowerCase() ?? '') ?? otherwise;

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

/** What a CVSS vector (v2, v3, v4) stands for; undefined when it is none. */
export function cvssOf(vector: string | undefined | null): Cvss | undefined {
  const plain = vector?.trim().replace(/^\((.*)\)$/, '$1');
  if (!plain) return undefined;
  try {
    const score = scoreOf(plain);
    // The library does not miss every metric that is missing.
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

/** The first weakness named in texts or numbers, as `CWE-89`. */
export function cweOf(...candidates: (string | number | undefined | null)[]): string | undefined {
  for (const candidate of candidates) {
    const [, digits] = /^(?:.*?\bCWE[-_:/ ]*)?0*([1-9]\d{0,8})\b/is.exec(String(candidate ?? '')) ?? [];
    if (digits) return `CWE-${digits}`;
  }
  return undefined;
}

/** The first vulnerability named in texts, as `CVE-2026-12345`. */
export function cveOf(...candidates: (string | undefined | null)[]): string | undefined {
  for (const candidate of candidates) {
    const [found] = /\bCVE-\d{4}-\d{4,19}\b/i.exec(candidate ?? '') ?? [];
    if (found) return found.toUpperCase();
  }
  return undefined;
}

/**
 * A path or file URL of a report relative to the workspace, with slashes. What lies outside keeps its name without a
 * way up; undefined when nothing is left.
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
      // Then it was no URL's escape.
    }
  }
  const base = workspace.replaceAll('\\', '/').replace(/\/+$/, '');
  if (base !== '' && `${plain}/`.startsWith(`${base}/`)) plain = plain.slice(base.length + 1);
  // `/../x` is `/x`: nothing climbs out.
  const inside = posix.normalize(`/${plain.replace(/^[a-z]:(?=\/)/i, '')}`).slice(1);
  return inside === '' || inside === '.' ? undefined : inside;
}
