import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { FindingInput } from '../../../lib/findings/input.ts';
import type { Finding } from '../../../lib/importers/finding.ts';
import { ReportError, type Workspace } from '../../../lib/importers/importer.ts';
import { type Imported, importReport } from '../../../lib/importers/index.ts';

export const context = { directory: '/builds/team/app' };

/** A report that we have written. */
export const own = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8');

export const imported = (text: string, format?: string) => importReport(text, context, { format }).findings;

/** A workspace with these files. */
export const workspace = (files: Record<string, string>, former: Record<string, string> = {}): Workspace => ({
  ...context,
  linesOf: (path) => files[path]?.split('\n'),
  formerPathsOf: (path) => (former[path] ? [former[path]] : []),
});

/**
 * How the service handles the second of two reports: a finding is known if the first has its fingerprint, or one of its
 * previous fingerprints. A known finding keeps its decision.
 */
export function decisionsKept(before: readonly Finding[], after: readonly Finding[]): boolean[] {
  const known = new Set(fingerprints(before));
  return after.map(({ fingerprint, previous_fingerprints = [] }) =>
    [fingerprint, ...previous_fingerprints].some((each) => known.has(each)),
  );
}

export const fingerprints = (findings: readonly Finding[]) => findings.map(({ fingerprint }) => fingerprint);

/** A JSON report after lines were added above the findings. */
export const shiftLines = (report: string, lines = 10) =>
  JSON.stringify(JSON.parse(report), (key, value) => {
    if (typeof value === 'number' && /^(?:(?:start|end)?line|line_number)$/i.test(key)) return value + lines;
    if (key === 'file_line_range' || key === 'line_range') return value.map((line: number) => line + lines);
    if (key === 'code_block') return value?.map(([line, text]: [number, string]) => [line + lines, text]);
    // Bandit puts line numbers before the source lines.
    if (key === 'code') return value.replace(/^\d+/gm, (line: string) => String(Number(line) + lines));
    return value;
  });

/** The service's validation errors for findings. */
function refusals(findings: readonly Finding[]) {
  const ids = {
    scan_id: '01890a5d-ac96-774b-bcce-b302099a8057',
    project_id: '01890a5d-ac96-774b-bcce-b302099a8058',
  };
  return findings.flatMap((finding) => FindingInput.safeParse({ ...finding, ...ids }).error?.issues ?? []);
}

/** Expects that the format is recognized, and that the service accepts all findings, each with its own fingerprint. */
export function expectFindings(text: string, format: string, count: number): Finding[] {
  const first = importReport(text, context);
  expect(first.format).toBe(format);
  expect(first.findings).toHaveLength(count);
  expect(new Set(fingerprints(first.findings)).size).toBe(count);
  expect(refusals(first.findings)).toEqual([]);
  expect(importReport(text, context, { format })).toEqual(first);
  return first.findings;
}

/** Reports of each property test. `IMPORTER_RUNS=5000 npx vitest run tests/importers` hunts longer. */
export const RUNS = Number(process.env.IMPORTER_RUNS ?? 50);

/**
 * A damaged report is refused with a clear error, or gives findings that the service accepts.
 * @returns how many findings there were in all
 */
export function findingsOfMangled(reports: fc.Arbitrary<string>, format: string): number {
  let found = 0;
  fc.assert(
    fc.property(reports, (text) => {
      const detected = importedOrRefused(text);
      // The import of a report that is recognized as this format is the same when the format is named.
      const named = detected?.format === format ? detected : importedOrRefused(text, format);
      for (const { findings } of [detected, named].filter((each) => each !== undefined))
        found += findings.length;
    }),
    { numRuns: RUNS },
  );
  return found;
}

/** The import of a damaged report, or undefined if it is refused with a clear error. */
function importedOrRefused(text: string, format?: string): Imported | undefined {
  let imported: Imported;
  try {
    imported = importReport(text, context, { format });
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    expect(error.message).not.toBe('');
    return undefined;
  }
  const { findings } = imported;
  expect(refusals(findings)).toEqual([]);
  expect(new Set(fingerprints(findings)).size).toBe(findings.length);
  return imported;
}
