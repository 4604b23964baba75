import { describe, expect, it } from 'vitest';
import { damaged } from '../support/importers/formats.ts';
import {
  expectFindings,
  findingsOfMangled,
  fingerprints,
  imported,
  own,
  realReport,
} from '../support/importers/importers.ts';

/** A JSON report after lines were added above the findings. */
const shiftLines = (report: string, lines = 10) =>
  JSON.stringify(JSON.parse(report), (key, value) => {
    if (typeof value === 'number' && /^(?:(?:start|end)?line|line_number)$/i.test(key)) return value + lines;
    if (key === 'file_line_range' || key === 'line_range') return value.map((line: number) => line + lines);
    if (key === 'code_block') return value?.map(([line, text]: [number, string]) => [line + lines, text]);
    // Bandit puts line numbers before the source lines.
    if (key === 'code') return value.replace(/^\d+/gm, (line: string) => String(Number(line) + lines));
    return value;
  });

const REPORTS: [format: string, file: string, count: number][] = [
  ['sarif', 'sarif/codeQL-output.sarif', 72],
  ['sarif', 'sarif/issue_10191.json', 77],
  // One of its 54 results is a passed check.
  ['sarif', 'sarif/flawfinder.sarif', 53],
  // 15 of its 27 results are there twice.
  ['sarif', 'sarif/bash-report.sarif', 12],
  ['sarif', 'sarif/spotbugs.sarif', 56],
  ['sarif', 'sarif/cxf-3.4.6.sarif', 22],
  ['semgrep', 'semgrep/many_vulns.json', 48],
  ['semgrep', 'semgrep/high-medium-low-severities.json', 3],
  // One of its 214 results is there twice.
  ['bandit', 'bandit/many_vulns.json', 213],
  ['bandit', 'bandit/dd.json', 47],
  // One finding per alert. Its instances (124 and 130 in total) are in the description.
  // One alert is there with two confidences.
  ['zap', 'zap/dvwa_baseline_dojo.xml', 18],
  ['zap', 'zap/zap-results-first-scan.xml', 15],
  // Failed checks only, neither passed nor skipped ones.
  ['checkov', 'checkov/checkov-report-multiple-check_type.json', 13],
  ['checkov', 'checkov/checkov-report-severity.json', 4],
];

describe.each(REPORTS)('%s: %s', (format, file, count) => {
  it(`has ${count} findings`, (test) => {
    expectFindings(realReport(file, test), format, count);
  });

  // Without source code, a result is identified by its line.
  it.skipIf(file.endsWith('.xml') || file === 'sarif/spotbugs.sarif')(
    'keeps its fingerprints when lines move',
    (test) => {
      const report = realReport(file, test);
      const [before, after] = [imported(report), imported(shiftLines(report))];
      expect(fingerprints(after)).toEqual(fingerprints(before));
      expect(after.map(({ line }) => line)).not.toEqual(before.map(({ line }) => line));
    },
  );
});

describe('real reports', () => {
  it('of ZAP: the descriptions list every instance', (test) => {
    const listed = imported(realReport('zap/dvwa_baseline_dojo.xml', test)).flatMap(
      ({ description }) => description.match(/^- `(?:GET|POST) /gm) ?? [],
    );
    expect(listed).toHaveLength(124);
  });
});

const OWN: [format: string, file: string, count: number][] = [
  ['sarif', 'several-runs.sarif', 7],
  ['sarif', 'flows.sarif', 3],
  ['semgrep', 'semgrep.json', 5],
  ['semgrep', 'semgrep-platform.json', 2],
  ['bandit', 'bandit.json', 3],
  ['zap', 'zap.json', 2],
  ['zap', 'zap.xml', 1],
  ['checkov', 'checkov.json', 3],
  ['gitleaks', 'gitleaks.json', 3],
  ['gitleaks', 'gitleaks-7.json', 2],
];

/** The indexes of findings whose flagged lines are not in the report: their line identifies them. */
const WITHOUT_CODE: Record<string, number[]> = {
  'semgrep.json': [2, 3],
  'semgrep-platform.json': [0],
  'flows.sarif': [1],
};

describe.each(OWN)('%s: fixtures/%s', (format, file, count) => {
  const report = own(file);

  it(`has ${count} findings with distinct fingerprints`, () => {
    expectFindings(report, format, count);
  });

  it.skipIf(file.endsWith('.xml'))('keeps its fingerprints when lines move', () => {
    const [before, after] = [imported(report), imported(shiftLines(report))].map(fingerprints);
    const isKept = (index: number) => !WITHOUT_CODE[file]?.includes(index);
    expect(after?.filter((_, index) => isKept(index))).toEqual(before?.filter((_, index) => isKept(index)));
  });

  it.skipIf(file.endsWith('.xml'))('keeps the fingerprints of findings when others are fixed', () => {
    const all = fingerprints(imported(report));
    for (const [start, end] of [[0, 1], [1]]) {
      const shorter = JSON.stringify(JSON.parse(report), (key, value) =>
        ['results', 'failed_checks', 'alerts'].includes(key) && Array.isArray(value)
          ? value.slice(start, end)
          : value,
      );
      for (const fingerprint of fingerprints(imported(shorter))) expect(all).toContain(fingerprint);
    }
  });

  it('contains no secrets', () => {
    const sent = JSON.stringify(imported(report));
    for (const secret of SECRETS) expect(sent).not.toContain(secret);
  });

  it('handles damaged reports', () => {
    // Some damaged reports must still be importable.
    expect(findingsOfMangled(damaged(report), format)).toBeGreaterThan(0);
  });
});

/** The secrets in the reports of fixtures/. */
const SECRETS = [
  'AKIAIOSFODNN7EXAMPLE',
  'correct-horse',
  'd41d8cd98f00b204e9800998ecf8427e',
  'd41d0000000000000000000000000001',
  'Tm90IGEgcHJpdmF0ZSBrZXksIG9ubHkgYW4gZXhhbXBsZQ',
  'sk_example_4eC39HqLyjWDarjtT1zdp7dc',
  'bm90IGEgcmVhbCB0b2tlbiwganVzdCBhIHRlc3Q',
  '8a4f2c1d9e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b',
  'pa55',
  'Winter26!',
  'YWRtaW46V2ludGVyMjYh',
  'Winter-2026!',
  "'pass'",
];
