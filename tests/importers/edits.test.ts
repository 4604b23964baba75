import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../lib/importers/finding.ts';
import { importers } from '../../lib/importers/formats/index.ts';
import type { Workspace } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { type Code, codeAfter, EDITS, type Edit, FIXTURES } from '../support/importers/edits/code.ts';
import {
  DIRECTORY,
  programPath,
  reportOf,
  SCANNERS,
  type Scanner,
  scan,
} from '../support/importers/edits/scanners.ts';
import { type Outcome, Store } from '../support/importers/edits/store.ts';

/* Edits of code whose problems are known: every decision must stay with its problem. */

const isSupported = ({ format }: Scanner) => importers.some(({ name }) => name === format);

const workspaceOf = ({ files, renamed }: Code, pathPrefix = ''): Workspace => ({
  directory: DIRECTORY,
  pathPrefix,
  linesOf: (path) => files[path]?.split('\n'),
  formerPathsOf: (path) => (renamed[path] ? [renamed[path]] : []),
});

/** Names the problem of each finding: the file before a rename, the label of its line or else the line, and the rule. */
function problemsOf(findings: readonly Finding[], code: Code, prefix = '') {
  const counts = new Map<string, number>();
  return new Map(
    findings.map((finding) => {
      const path = (finding.file ?? '').slice(prefix === '' ? 0 : prefix.length + 1);
      const [, rule = ''] = /^- \*\*(?:Rule|Test|Check|Type):\*\* `([^` ]+)/m.exec(finding.description) ?? [];
      const name = [prefix, code.renamed[path] ?? path, labelAt(path, finding.line ?? 0, code), rule];
      const problem = name.filter(Boolean).join(' ');
      const count = (counts.get(problem) ?? 0) + 1;
      counts.set(problem, count);
      return [finding, count === 1 ? problem : `${problem} ${count}`];
    }),
  );
}

/** The label of a line, or of the first one below empty lines and comments; else its text. */
function labelAt(path: string, line: number, { files, labels }: Code): string {
  const label = labels.get(`${path}:${line}`);
  if (label) return label;
  const text = files[path]?.split('\n')[line - 1]?.trim();
  const isLabelled = /^return \($/.test(text ?? '') || /^(?:#|\/\/|;|$)/.test(text ?? '-');
  return isLabelled
    ? labelAt(path, line + 1, { files, labels, renamed: {} })
    : `“${text?.replaceAll("'", '"')}”`;
}

/** The findings of a report after an edit, and the problem of each. */
function findingsAfter(scanner: Scanner, report: string, edit: Edit, prefix = '') {
  const code = codeAfter(edit, scanner.files);
  const { findings, errors } = importReport(reportOf(report, edit), workspaceOf(code, prefix), {
    format: scanner.format,
  });
  expect(errors).toEqual([]);
  return { findings, problems: problemsOf(findings, code, prefix) };
}

/** The outcome of the decisions about the code before an edit. */
function compare(scanner: Scanner, report: string, edit: Edit): Outcome {
  const store = new Store();
  const [before, after] = [findingsAfter(scanner, report, 'base'), findingsAfter(scanner, report, edit)];
  store.push(before.findings, (finding) => before.problems.get(finding) ?? '');
  return store.push(after.findings, (finding) => after.problems.get(finding) ?? '');
}

interface Expected {
  new?: string[];
  gone?: string[];
}

/** The problems that each edit adds and fixes, as far as a scanner finds them. All others are found again. */
const EXPECTED: Record<Edit, Expected> = {
  base: {},
  insert: {},
  reformat: {},
  move: {},
  rename: {},
  'rename-edit': {},
  replace: {
    new: ['article-query', 'rotate-exec', 'write-file', 'stock-key', 'sudo-check', 'admin-rule'],
    gone: ['user-query', 'resize-exec', 'read-file', 'payments-key', 'sudo-install', 'ssh-rule'],
  },
  'fix-twin': {
    // The fix is a call that Bandit rates too.
    new: ['“subprocess.call(["lpr", path])”'],
    gone: ['invoice-print', 'price-eval', 'search-key'],
  },
  'add-twin': { new: ['receipt-print', 'tax-eval'] },
  'swap-twin': {
    new: ['receipt-print', 'tax-eval', '“subprocess.call(["lpr", path])”'],
    gone: ['invoice-print', 'price-eval', 'search-key'],
  },
  'swap-repeat': {
    new: ['rotate-third', 'restart-third', 'ticket-third'],
    gone: ['rotate-first', 'restart-first', 'ticket-first'],
  },
  neighbour: {},
};

/** The findings after each edit: again, new, gone. All are found again, except after the edits that are named. */
const counts = (total: number, changed: Partial<Record<Edit, string>>): Record<Edit, string> => ({
  ...(Object.fromEntries(Object.keys(EXPECTED).map((edit) => [edit, `${total} 0 0`])) as Record<
    Edit,
    string
  >),
  ...changed,
});

const SEMGREP_COUNTS = counts(16, {
  replace: '15 1 1',
  'fix-twin': '14 0 2',
  'add-twin': '16 2 0',
  'swap-twin': '14 2 2',
  'swap-repeat': '14 2 2',
});

const COUNTS: Record<string, Record<Edit, string>> = {
  bandit: counts(14, {
    replace: '13 1 1',
    'fix-twin': '13 2 1',
    'add-twin': '14 1 0',
    'swap-twin': '13 3 1',
    'swap-repeat': '13 1 1',
  }),
  semgrep: SEMGREP_COUNTS,
  'semgrep-sarif': SEMGREP_COUNTS,
  'eslint-sarif': counts(8, {
    replace: '7 1 1',
    'fix-twin': '7 0 1',
    'add-twin': '8 1 0',
    'swap-twin': '7 1 1',
    'swap-repeat': '7 1 1',
  }),
  'gosec-sarif': counts(8, {
    replace: '7 1 1',
    'fix-twin': '7 0 1',
    'add-twin': '8 1 0',
    'swap-twin': '7 1 1',
    'swap-repeat': '7 1 1',
  }),
  gosec: counts(8, {
    replace: '7 1 1',
    'fix-twin': '7 0 1',
    'add-twin': '8 1 0',
    'swap-twin': '7 1 1',
    'swap-repeat': '7 1 1',
  }),
  gitleaks: counts(3, {
    replace: '2 1 1',
    'fix-twin': '2 0 1',
    'swap-twin': '2 0 1',
  }),
  'gitleaks-redacted': counts(3, {
    replace: '2 1 1',
    'fix-twin': '2 0 1',
    'swap-twin': '2 0 1',
  }),
  'detect-secrets': counts(7, {
    replace: '5 2 2',
    'fix-twin': '5 0 2',
    'swap-twin': '5 0 2',
  }),
  checkov: counts(14, {
    replace: '11 3 3',
  }),
};

const isOneOf =
  (labels: readonly string[] = []) =>
  (problem: string) =>
    labels.some((label) => problem.includes(` ${label} `));

/** Rows of the table that is printed at the end. */
const rows: {
  scanner: string;
  edit: string;
  again: number;
  new: number;
  gone: number;
  lost: number;
  transferred: number;
}[] = [];

function expectOutcome(scanner: string, edit: string, outcome: Outcome, expected: Expected): void {
  const lost = outcome.new.filter((problem) => !isOneOf(expected.new)(problem));
  const { again, gone, transferred } = outcome;
  rows.push({
    ...{ scanner, edit, again: again.length, new: outcome.new.length, gone: gone.length },
    ...{ lost: lost.length, transferred: transferred.length },
  });
  expect(transferred).toEqual([]);
  expect(gone.filter((problem) => !isOneOf(expected.gone)(problem))).toEqual([]);
  expect(again.filter(isOneOf(expected.new))).toEqual([]);
}

afterAll(() => {
  const lines = rows.map(
    ({ scanner, edit, again, new: added, gone, lost, transferred }) =>
      `${scanner.padEnd(22)} ${edit.padEnd(12)} ${[again, added, gone, lost, transferred].map((count) => `${count}`.padStart(6)).join('')}`,
  );
  const heading = `${'scanner'.padEnd(22)} ${'edit'.padEnd(12)}  again   new  gone  lost transferred`;
  process.stdout.write(`${[heading, ...lines].join('\n')}\n`);
});

/** At most 2 % of the findings that an edit does not touch are new. */
function expectFewLost(own: typeof rows): void {
  const lost = own.reduce((sum, row) => sum + row.lost, 0);
  const untouched = own.reduce((sum, row) => sum + row.again + row.lost, 0);
  expect(untouched).toBeGreaterThan(0);
  expect(lost / untouched).toBeLessThanOrEqual(0.02);
}

describe.each(SCANNERS.filter(isSupported))('$name, recorded', (scanner) => {
  const report = readFileSync(new URL(`reports/${scanner.name}.json`, FIXTURES), 'utf8');

  it.each(EDITS)('%s: no decision goes to another problem', (edit) => {
    const outcome = compare(scanner, report, edit);
    expectOutcome(scanner.name, edit, outcome, EXPECTED[edit]);
    expect(`${outcome.again.length} ${outcome.new.length} ${outcome.gone.length}`).toBe(
      COUNTS[scanner.name]?.[edit],
    );
  });

  it('another version of the tool words its messages differently', () => {
    const store = new Store();
    const { findings, problems } = findingsAfter(scanner, report, 'base');
    const problemOf = (finding: Finding) => problems.get(finding) ?? '';
    store.push(findings, problemOf);
    const worded = reworded(report);
    expect(worded).not.toBe(report);
    const later = findingsAfter(scanner, worded, 'base');
    const outcome = store.push(later.findings, (finding) => later.problems.get(finding) ?? '');
    expectOutcome(scanner.name, 'reworded', outcome, {});
    expect(outcome.again).toHaveLength(findings.length);
  });

  it('the same code in two packages of a repository is two problems', () => {
    const store = new Store();
    for (const prefix of ['packages/a', 'packages/b']) {
      const { findings, problems } = findingsAfter(scanner, report, 'base', prefix);
      const outcome = store.push(findings, (finding) => problems.get(finding) ?? '');
      expect(outcome.again.concat(outcome.transferred)).toEqual([]);
      expect(outcome.new).toHaveLength(findings.length);
    }
  });

  it('at most 2 % of the untouched findings are new', () => {
    expectFewLost(rows.filter((row) => row.scanner === scanner.name));
  });
});

const WORDED = new Set([
  'message',
  'issue_text',
  'details',
  'check_name',
  'Description',
  'guideline',
  'shortDescription',
]);

/** Changes the texts of a report that describe its rules. */
function reworded(report: string): string {
  const reword = (value: unknown): unknown =>
    typeof value === 'string'
      ? `Revised: ${value.replace(/\b(?:is|the|a)\b/g, 'now')}`
      : typeof value === 'object' && value !== null && 'text' in value
        ? { ...value, text: reword(value.text) }
        : value;
  return JSON.stringify(JSON.parse(report, (key, value) => (WORDED.has(key) ? reword(value) : value)));
}

/** Real scanners, if they are installed (`SVC_TEST_SCANNERS`). */
describe.each(SCANNERS.filter(isSupported))('$name, installed', (scanner) => {
  const program = programPath(scanner.program);

  it.skipIf(!program)(
    'keeps every decision at its problem',
    () => {
      const report = scan(scanner, program ?? '');
      const name = `${scanner.name} (real)`;
      for (const edit of EDITS) expectOutcome(name, edit, compare(scanner, report, edit), EXPECTED[edit]);
      expectFewLost(rows.filter((row) => row.scanner === name));
    },
    120_000,
  );
});
