import { describe, expect, it } from 'vitest';
import { importReport } from '../../../lib/importers/index.ts';
import { damaged } from './formats.ts';
import { context, expectFindings, findingsOfMangled, fingerprints, imported, own } from './importers.ts';

export type Edit = [from: string, to: string];

/** The expected import of a report of fixtures/. */
export interface Expectation {
  file: string;
  format: string;
  /** Severity and title, or only how many. */
  findings: string[] | number;
  skipped?: Record<string, number>;
  errors?: string[];
  warnings?: string[];
  /** Edits that leave every problem the same, such as another severity or a new build of an image. */
  same?: Edit[];
  /** Edits that make the first finding, which has the text, another problem. */
  other?: Edit[];
}

/** The secrets in the reports of fixtures/, encoded ones, and hashes that would allow guessing them. */
const SECRETS = [
  ...['Winter-2026!', 'Winter-2026-abcdefgh!', 'Winter26!', 'Summer-2026!', 'YWRtaW46V2ludGVyMjYh'],
  ...['AKIAIOSFODNN7EXAMPLE', 'QUtJQUlPU0ZPRE5ON0VYQU1QTEU', 'AKIA****MPLE', 'Tr0ub4dor', 'correct-horse'],
  ...['d41d8cd98f00b204e9800998ecf8427e', 'd41d0000000000000000000000000001', 'pa55', "'pass'"],
  ...['Tm90IGEgcHJpdmF0ZSBrZXk', 'sk_example_4eC39HqLyjWDarjtT1zdp7dc', '90af3b3f9792ec373da1611de12e09a8'],
  ...['bm90IGEgcmVhbCB0b2tlbiwganVzdCBhIHRlc3Q', '8a4f2c1d9e7b6a5f4c3d2e1f0a9b8c7d', '378282246310005'],
  ...['25910f981e85ca04baf359199dd0bd4a3ae738b6', 'ext_0123456789abcdefWinter', '0123456789abcdef'],
  ...['06b15f1d8c0095386c7bbc4f423f5ec30b41b22b1565a836e55b978202ba569b'],
  ...['request-cookie', 'response-cookie', 'curl-cookie', 'curl-key'],
];

function edited(report: string, [from, to]: Edit, all: boolean): string {
  expect(report).toContain(from);
  return all ? report.replaceAll(from, to) : report.replace(from, to);
}

export function describeReport({ file, format, findings, same = [], other = [], ...rest }: Expectation) {
  describe(`${format}: fixtures/${file}`, () => {
    const report = own(file);
    const count = typeof findings === 'number' ? findings : findings.length;

    it('gives findings that the service accepts, with distinct fingerprints', () => {
      const found = expectFindings(report, format, count);
      if (typeof findings === 'number') return;
      expect(found.map(({ severity, title }) => `${severity} ${title}`)).toEqual(findings);
      const { skipped, errors, warnings } = importReport(report, context);
      expect({ skipped, errors, warnings }).toEqual({
        skipped: rest.skipped ?? {},
        errors: rest.errors ?? [],
        warnings: rest.warnings ?? [],
      });
    });

    it('contains no secrets and no HTML', () => {
      const content = importReport(report, context);
      const sent = JSON.stringify(content);
      for (const secret of SECRETS) expect(sent).not.toContain(secret);
      for (const { description } of content.findings)
        expect(description.replace(/`[^`]*`/g, '').replace(/<https?:[^>]*>/g, '')).not.toMatch(/(?<!\\)<\w/);
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
      // Some damaged reports must still be importable.
      expect(findingsOfMangled(damaged(report), format)).toBeGreaterThan(count > 0 ? 0 : -1);
    });
  });
}
