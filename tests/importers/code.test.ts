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

/** The title of a finding of SonarQube in line 9 of a file. */
function titleOf(message: string): string | undefined {
  const issue = { component: 'p:src/app.js', project: 'p', rule: 'js:S1', line: 9, message };
  return imported(JSON.stringify({ issues: [issue] }), 'sonarqube')[0]?.title;
}

it.each([
  ['Line 9 logs', 'A line logs'],
  ['Found in line 9, column 2.', 'Found.'],
  ['Reads a value (line 9) that line 7 sets', 'Reads a value that a line sets'],
  ['Duplicated at lines 3-5 and 9', 'Duplicated'],
  ['Lines 3 to 5 repeat it', 'Lines repeat it'],
  ['Line 9: missing check', 'missing check'],
  ['Value from src/app.js:9:5 reaches a log', 'Value from src/app.js reaches a log'],
  // No numbers of lines.
  ['Opens port 10.0.0.1:9 of example.org:8080', 'Opens port 10.0.0.1:9 of example.org:8080'],
  ['An inline 3 column, baseline 4 and 9 lines', 'An inline 3 column, baseline 4 and 9 lines'],
  ['Line 9', 'A line'],
  ['At line 9', 'At a line'],
])('the title of %j has no number of a line', (message, title) => {
  expect(titleOf(message)).toBe(title);
});

it('a title keeps its numbers if the finding is in no line', () => {
  const finding = { title: 'Line 9 logs', severity: 'low', description: 'x', rule_id: 'own/1' };
  const [imports] = imported(JSON.stringify({ findings: [finding] }));
  expect(imports).toMatchObject({ title: 'Line 9 logs', rule_id: 'own/1' });
});
