import { createHash } from 'node:crypto';
import type { Finding } from './finding.ts';
import { relativePath } from './support.ts';

// What the service takes (API contract, "Finding").
const MAX_TITLE = 500;
const MAX_FINGERPRINT = 256;
const MAX_DESCRIPTION_BYTES = 102_400;
const MAX_FILE = 1_024;
const MAX_VECTOR = 256;
const MAX_SOURCE = 255;
const MAX_LINE = 2_147_483_647;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Text that can be stored: without NUL and unpaired surrogates. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed();

/** The first `max` characters (code points); a cut is marked. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

function cutBytes(text: string, max: number): string {
  const bytes = encoder.encode(text);
  if (bytes.byteLength <= max) return text;
  const MARK = '\n\n… (cut)';
  return (
    decoder.decode(bytes.subarray(0, max - encoder.encode(MARK).byteLength)).replace(/\uFFFD$/, '') + MARK
  );
}

const matching = (text: string | undefined, pattern: RegExp) =>
  text !== undefined && pattern.test(text) ? text : undefined;

/** A finding that the service takes, whatever its report said. */
export function clean(finding: Finding): Finding {
  const title = cut(storable(finding.title).replace(/\s+/g, ' ').trim(), MAX_TITLE) || 'Untitled finding';
  const { cvss_score: score, line } = finding;
  const file = finding.file && relativePath(storable(finding.file), { workspace: '' });
  return {
    fingerprint: shortened(storable(finding.fingerprint)),
    title,
    severity: finding.severity,
    description: cutBytes(storable(finding.description).trim(), MAX_DESCRIPTION_BYTES) || title,
    cwe: matching(finding.cwe, /^CWE-[0-9]{1,9}$/),
    cve: matching(finding.cve, /^CVE-[0-9]{4}-[0-9]{4,19}$/),
    cvss_score: score !== undefined && score >= 0 && score <= 10 ? score : undefined,
    cvss_vector: finding.cvss_vector && cut(storable(finding.cvss_vector).trim(), MAX_VECTOR),
    // A name may hold dots in a row without being a way up; the service takes none.
    file: file && cut(file.replace(/\.{2,}/g, '.'), MAX_FILE),
    line: Number.isInteger(line) && line !== undefined && line >= 1 && line <= MAX_LINE ? line : undefined,
    source: finding.source && cut(storable(finding.source), MAX_SOURCE),
  };
}

const shortened = (fingerprint: string) =>
  fingerprint !== '' && [...fingerprint].length <= MAX_FINGERPRINT ? fingerprint : sha256(fingerprint);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Gives findings that share a fingerprint within a report one each, by their order. */
export function separate(findings: Finding[]): Finding[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const count = (seen.get(finding.fingerprint) ?? 0) + 1;
    seen.set(finding.fingerprint, count);
    if (count === 1) return finding;
    return { ...finding, fingerprint: `${sha256(finding.fingerprint)}#${count}` };
  });
}
