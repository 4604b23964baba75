import type { z } from 'zod';
import type { Severity } from '../../../db/schema/values.ts';
import type { ListedFinding } from '../../resources.ts';
import type { Result, Rule } from './schema.ts';

/** A finding with the names of its project. */
export type ExportedFinding = z.output<typeof ListedFinding> & { project_slug: string; project_name: string };

const LEVELS = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
} as const satisfies Record<Severity, string>;

/** A score that stands for a severity, and what it begins with (CVSS v3.1, "Qualitative Severity Rating Scale"). */
const SCORES: Record<Severity, { usual: number; from: number; below: number }> = {
  critical: { usual: 9.5, from: 9, below: Number.POSITIVE_INFINITY },
  high: { usual: 8, from: 7, below: 9 },
  medium: { usual: 5.5, from: 4, below: 7 },
  low: { usual: 2, from: 0.1, below: 4 },
  info: { usual: 0, from: 0, below: 0.1 },
};

const JUSTIFICATIONS: { [status in ExportedFinding['status']]?: string } = {
  false_positive: 'False positive',
  wontfix: "Won't fix",
};

/** The rule of a finding: the one that the tool names, else its CVE, else its CWE, else its source. */
export const ruleIdOf = ({ rule_id, cve, cwe, source }: ExportedFinding): string =>
  rule_id || (cve ?? cwe ?? (source || 'finding'));

/** The score by which GitHub and others tell the severity: that of CVSS, unless the severity says something else. */
export function scoreOf({ severity, cvss_score: score }: ExportedFinding): number {
  const { usual, from, below } = SCORES[severity];
  return score !== undefined && score >= from && score < below ? score : usual;
}

/** The highest score of the findings of a rule, and their first CVE or CWE. */
export interface SummedRule {
  score: number;
  weakness: string | undefined;
}

export function ruleOf(id: string, { score, weakness = '' }: SummedRule): z.output<typeof Rule> {
  const [, kind, number = ''] = /^(CVE|CWE)-([0-9-]+)$/.exec(weakness) ?? [];
  const helpUri =
    kind === 'CWE'
      ? `https://cwe.mitre.org/data/definitions/${Number(number)}.html`
      : kind && `https://www.cve.org/CVERecord?id=${weakness}`;
  return {
    id,
    shortDescription: { text: withoutLinks(id) },
    ...(helpUri && { helpUri }),
    properties: {
      tags: ['security', ...(kind === 'CWE' ? [tagOf(weakness)] : [])],
      'security-severity': String(score),
    },
  };
}

/** As CodeQL writes it, and others read it. */
const tagOf = (cwe: string) => `external/cwe/cwe-${cwe.slice(4).padStart(3, '0')}`;

type Properties = z.output<typeof Result>['properties'];
/** Every property has to be written, also an optional one: omitting a new field is a compile error. */
type AllProperties = { [Name in keyof Required<Properties>]: Properties[Name] };

/**
 * A finding as a result. JSON omits the properties that are undefined. Every field is written out, because an object
 * made by a loop or by spreading takes twice the time.
 */
export function resultOf(finding: ExportedFinding): z.output<typeof Result> {
  const { severity, status, cwe, cve, created_at, last_seen_at } = finding;
  const justification = JUSTIFICATIONS[status];
  const identity = `${finding.project_id}/${finding.fingerprint}`;
  return {
    ruleId: ruleIdOf(finding),
    level: LEVELS[severity],
    message: { text: withoutLinks(finding.title), markdown: finding.description },
    locations: finding.file ? [locationOf(finding.file, finding.line)] : undefined,
    fingerprints: { 'svcFindings/v1': identity },
    // The only one that GitHub heeds.
    partialFingerprints: { primaryLocationLineHash: identity },
    baselineState: status === 'fixed' || status === 'verified' ? 'absent' : undefined,
    suppressions: justification ? [{ kind: 'external', status: 'accepted', justification }] : undefined,
    provenance: { firstDetectionTimeUtc: created_at, lastDetectionTimeUtc: last_seen_at },
    properties: {
      tags: [cwe && tagOf(cwe), cve].filter((tag) => tag !== undefined),
      'security-severity': String(scoreOf(finding)),
      id: finding.id,
      project_id: finding.project_id,
      project_slug: finding.project_slug,
      project_name: finding.project_name,
      scan_id: finding.scan_id,
      last_scan_id: finding.last_scan_id,
      severity,
      cwe,
      cve,
      cvss_score: finding.cvss_score,
      cvss_vector: finding.cvss_vector,
      source: finding.source,
      status,
      status_changed_at: finding.status_changed_at,
      regressed: finding.regressed,
      seen_count: finding.seen_count,
      last_seen_at,
      created_at,
      updated_at: finding.updated_at,
      regressed_at: finding.regressed_at,
      reason: finding.reason,
      assignee_id: finding.assignee_id,
      due_at: finding.due_at,
      accepted_until: finding.accepted_until,
      missing_since: finding.missing_since,
      proposed: finding.proposed,
      rule_id: finding.rule_id,
    } satisfies AllProperties,
  };
}

const locationOf = (file: string, line: number | undefined) => ({
  physicalLocation: {
    artifactLocation: { uri: uriOf(file) },
    region: line === undefined ? undefined : { startLine: line },
  },
});

/** A path as a relative reference (RFC 3986), in which no part can be taken for a scheme or a host. */
const uriOf = (file: string): string =>
  encodeURIComponent(file).replaceAll('%2F', '/').replace(/^\/\//, '/.//');

/** Viewers make links of `[text](target)`; no title means one. */
const withoutLinks = (text: string): string => (text.includes('](') ? text.replace(/[[\]]/g, '\\$&') : text);
