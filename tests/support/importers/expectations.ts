import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importReport } from '../../../lib/importers/index.ts';
import { parseReport } from '../../../lib/importers/read/parse.ts';
import { anyText } from '../any-text.ts';
import { context, expectFindings, findingsOfMangled, fingerprints, imported, own } from './importers.ts';
import { mangled } from './mangle.ts';

export type Edit = [from: string, to: string];

/** The expected import of a report of fixtures/. */
export interface Expectation {
  file: string;
  format: string;
  /** Severity and title. */
  findings: string[];
  skipped?: Record<string, number>;
  errors?: string[];
  warnings?: string[];
  /** Edits that leave every problem the same, such as another severity or a new build of an image. */
  same?: Edit[];
  /** Edits that make the first finding, which has the text, another problem. */
  other?: Edit[];
}

const SECRETS = ['Winter-2026!', 'AKIAIOSFODNN7EXAMPLE'];

function edited(report: string, [from, to]: Edit, all: boolean): string {
  expect(report).toContain(from);
  return all ? report.replaceAll(from, to) : report.replace(from, to);
}

export function describeReport({ file, format, findings, same = [], other = [], ...rest }: Expectation) {
  describe(`${format}: fixtures/${file}`, () => {
    const report = own(file);

    it('gives findings, and counts what it skips', () => {
      const found = expectFindings(report, format, findings.length);
      expect(found.map(({ severity, title }) => `${severity} ${title}`)).toEqual(findings);
      const { skipped, errors, warnings } = importReport(report, context);
      expect({ skipped, errors, warnings }).toEqual({
        skipped: rest.skipped ?? {},
        errors: rest.errors ?? [],
        warnings: rest.warnings ?? [],
      });
    });

    it('contains no secrets', () => {
      const sent = JSON.stringify(importReport(report, context));
      for (const secret of SECRETS) expect(sent).not.toContain(secret);
    });

    it.skipIf(same.length === 0).each(same)('keeps the identities when %j becomes %j', (...edit) => {
      expect(fingerprints(imported(edited(report, edit, true), format))).toEqual(
        fingerprints(imported(report)),
      );
    });

    it.skipIf(other.length === 0).each(other)('tells problems apart: %j and %j', (...edit) => {
      const [before, after] = [imported(report), imported(edited(report, edit, false), format)];
      expect(after[0]?.fingerprint).toBeDefined();
      expect(fingerprints(before)).not.toContain(after[0]?.fingerprint);
    });

    it('handles damaged reports', () => {
      const parsed = parseReport(report);
      const reports = parsed.kind === 'json' ? mangled(parsed.documents) : mangledCsv(report);
      expect(findingsOfMangled(reports, format)).toBeGreaterThan(findings.length > 0 ? 30 : -1);
    });
  });
}

/** Damages a table: drops, replaces, swaps or truncates its cells. */
function mangledCsv(report: string): fc.Arbitrary<string> {
  const tokens = report.split(/([,;"\n])/);
  const change = fc.record({
    at: fc.nat(tokens.length - 1),
    other: fc.nat(tokens.length - 1),
    how: fc.constantFrom('drop', 'replace', 'exchange'),
    text: fc.oneof(anyText, fc.constantFrom('\0', '../..', '1e999', '"', 'x'.repeat(2000))),
  });
  return fc
    .tuple(fc.array(change, { minLength: 1, maxLength: 4 }), fc.option(fc.nat(), { freq: 8 }))
    .map(([changes, end]) => {
      const parts = [...tokens];
      for (const { at, other, how, text } of changes) {
        if (how === 'drop') parts[at] = '';
        if (how === 'replace') parts[at] = text;
        if (how === 'exchange') parts[at] = parts[other] ?? '';
      }
      const text = parts.join('');
      return end === null ? text : text.slice(0, end % (text.length + 1));
    });
}
