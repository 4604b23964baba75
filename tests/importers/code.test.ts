import { describe, expect, it } from 'vitest';
import { damaged } from '../support/importers/formats.ts';
import {
  expectFindings,
  findingsOfMangled,
  fingerprints,
  imported,
  own,
  shiftLines,
} from '../support/importers/importers.ts';

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
