import { expect, it } from 'vitest';
import { fingerprints, imported, own, shiftLines } from '../support/importers/importers.ts';

/** The indexes of findings whose flagged lines are not in the report: their line identifies them. */
const WITHOUT_CODE: Record<string, number[]> = {
  'several-runs.sarif': [],
  'flows.sarif': [1],
  'semgrep.json': [2, 3],
  'semgrep-platform.json': [0],
  'bandit.json': [],
  'zap.json': [],
  'checkov.json': [],
  'gitleaks.json': [],
  'gitleaks-7.json': [],
};

it.each(Object.entries(WITHOUT_CODE))('%s keeps its fingerprints when lines move', (file, without) => {
  const [before, after] = [imported(own(file)), imported(shiftLines(own(file)))].map(fingerprints);
  const isKept = (_: string, index: number) => !without.includes(index);
  expect(after?.filter(isKept)).toEqual(before?.filter(isKept));
});

it.each(Object.keys(WITHOUT_CODE))('%s keeps the fingerprints of findings when others are fixed', (file) => {
  const all = fingerprints(imported(own(file)));
  for (const [start, end] of [[0, 1], [1]]) {
    const shorter = JSON.stringify(JSON.parse(own(file)), (key, value) =>
      ['results', 'failed_checks', 'alerts'].includes(key) && Array.isArray(value)
        ? value.slice(start, end)
        : value,
    );
    for (const fingerprint of fingerprints(imported(shorter))) expect(all).toContain(fingerprint);
  }
});
