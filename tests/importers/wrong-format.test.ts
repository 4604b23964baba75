import { expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, own } from '../support/importers/importers.ts';

it.each([
  ['gosec', '{}', 'This is no report of gosec'],
  ['bandit', own('semgrep.json'), 'This is no report of bandit but of semgrep'],
  ['semgrep', own('bandit.json'), 'This is no report of semgrep but of bandit'],
  ['eslint', JSON.stringify({ version: '2.1.0', runs: [] }), 'This is no report of eslint but of sarif'],
  ['eslint', '<checkstyle version="4.3" />', 'This is no report of eslint: it is xml'],
])(
  'a report of another tool is refused by --format %s, not imported as no findings',
  (format, report, message) => {
    expect(() => importReport(report, context, { format })).toThrow(message);
  },
);

it.each([
  ['trivy', 'null'],
  ['eslint', '[]'],
  ['gitleaks', '[]'],
])('a report without findings is imported by --format %s: %s', (format, report) => {
  expect(importReport(report, context, { format })).toMatchObject({ format, findings: [], errors: [] });
});
