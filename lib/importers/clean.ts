import type { Finding } from './finding.ts';
import { limitFingerprint } from './identity/fingerprints.ts';
import { collapseWhitespace, plainPath } from './support.ts';

// Limits of the service (docs/api.md).
const MAX_TITLE = 500;
const MAX_DESCRIPTION_BYTES = 102_400;
const MAX_FILE = 1_024;
const MAX_VECTOR = 256;
const MAX_SOURCE = 255;
const MAX_RULE_ID = 255;
const MAX_LINE = 2_147_483_647;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Removes characters that PostgreSQL cannot store: NUL and unpaired surrogates. */
export const removeUnstorable = (text: string) => text.replaceAll('\0', '').toWellFormed();

/** Truncates to `max` code points, with an ellipsis at the end. */
function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** The most bytes of a UTF-16 code unit in UTF-8. */
const MAX_UTF8 = 3;

function truncateBytes(text: string, max: number): string {
  if (text.length * MAX_UTF8 <= max) return text;
  const bytes = encoder.encode(text);
  if (bytes.byteLength <= max) return text;
  const MARK = '\n\n… (cut)';
  return (
    decoder.decode(bytes.subarray(0, max - encoder.encode(MARK).byteLength)).replace(/\uFFFD$/, '') + MARK
  );
}

const ifMatching = (text: string | undefined, pattern: RegExp) =>
  text !== undefined && pattern.test(text) ? text : undefined;

export const fitSource = (source: string): string => truncate(removeUnstorable(source), MAX_SOURCE);

/** Fits a finding to the limits of the service: truncates texts and drops invalid fields. */
export function fitToLimits(finding: Finding): Finding {
  const title =
    truncate(collapseWhitespace(removeUnstorable(finding.title)), MAX_TITLE) || 'Untitled finding';
  const { cvss_score: score, line } = finding;
  const ruleId = collapseWhitespace(removeUnstorable(finding.rule_id ?? ''));
  const file = finding.file && plainPath(removeUnstorable(finding.file));
  return {
    fingerprint: limitFingerprint(finding.fingerprint),
    previous_fingerprints: finding.previous_fingerprints?.map(limitFingerprint),
    title,
    severity: finding.severity,
    description: truncateBytes(removeUnstorable(finding.description).trim(), MAX_DESCRIPTION_BYTES) || title,
    cwe: ifMatching(finding.cwe, /^CWE-[0-9]{1,9}$/),
    cve: ifMatching(finding.cve, /^CVE-[0-9]{4}-[0-9]{4,19}$/),
    cvss_score: typeof score === 'number' && score >= 0 && score <= 10 ? score : undefined,
    cvss_vector: finding.cvss_vector && truncate(removeUnstorable(finding.cvss_vector).trim(), MAX_VECTOR),
    // The service refuses paths that contain `..`, also within a name.
    file: file && truncate(file.replace(/\.{2,}/g, '.'), MAX_FILE),
    line: Number.isInteger(line) && line !== undefined && line >= 1 && line <= MAX_LINE ? line : undefined,
    source: finding.source && fitSource(finding.source),
    rule_id: ruleId === '' ? undefined : truncate(ruleId, MAX_RULE_ID),
  };
}
