import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import {
  context,
  decisionsKept,
  fingerprints,
  imported,
  own,
  workspace,
} from '../support/importers/importers.ts';
import { limit } from '../support/run/limits.ts';

describe('bandit', () => {
  it('masks passwords, also in the source lines of nearby findings', () => {
    const [word, neighbour, password] = imported(own('bandit.json'));
    expect(word?.title).toBe("B105 hardcoded_password_string: Possible hardcoded password: '********'");
    expect(word?.description).toContain(
      "10 PASSWORD = '********'\n11 subprocess.call(cmd, shell=True)  # passes ********",
    );
    expect(neighbour?.description).toContain("10 PASSWORD = '********'\n11 subprocess.call(cmd, shell=True)");
    expect(password?.description).toContain("10 PASSWORD = '********'");
  });

  const result = (line: number, code: string, line_range = [line]) => ({
    ...{ filename: './app.py', line_number: line, line_range, code, col_offset: 0 },
    ...{ test_id: 'B602', test_name: 'shell', issue_text: 'Shell.', issue_severity: 'HIGH' },
  });
  const reportOf = (results: object[], rest: object = {}) =>
    JSON.stringify({
      errors: [],
      generated_at: '2026-01-02T03:04:05Z',
      metrics: { _totals: {} },
      results,
      ...rest,
    });

  it('reports files that were not checked, and counts ignored results', () => {
    const report = reportOf([], {
      errors: [{ filename: 'b.py', reason: 'syntax error while parsing AST from file' }, 'odd'],
      metrics: { _totals: { nosec: 2, skipped_tests: 1 } },
    });
    expect(importReport(report, context)).toMatchObject({
      findings: [],
      errors: ['b.py was not checked: syntax error while parsing AST from file'],
      skipped: { 'a comment in the code ignores them (nosec)': 3 },
    });
  });

  it('reads a message that repeats the start of a password in proportion to its size', () => {
    const long = { ...result(5, 'x'), test_id: 'B105', issue_text: `${": '".repeat(100_000)}x` };
    const began = performance.now();
    importReport(reportOf([long]), context);
    // Takes 0.1 s, and a minute in proportion to the square of the size.
    expect(performance.now() - began).toBeLessThan(limit(2_000));
  });

  it('keeps the finding when lines around it change', () => {
    const old = imported(reportOf([result(5, '4 import os\n5 call(cmd, shell=True)\n6 \n')]));
    const commented = imported(reportOf([result(6, '5 # a comment\n6 call(cmd, shell=True)\n7 print(1)\n')]));
    expect(fingerprints(commented)).toEqual(fingerprints(old));
  });

  it('decision transfer: another call between the same lines', () => {
    const old = imported(reportOf([result(5, '4 import os\n5 call(cmd, shell=True)\n6 \n')]));
    const other = imported(reportOf([result(5, '4 import os\n5 call(request.body, shell=True)\n6 \n')]));
    expect(decisionsKept(old, other)).toEqual([false]);
  });

  it('decision transfer: the same call in another function', () => {
    const inFunction = (name: string) =>
      importReport(
        reportOf([result(2, '2     call(cmd, shell=True)')]),
        workspace({ 'app.py': `def ${name}(cmd):\n    call(cmd, shell=True)` }),
      ).findings;
    expect(decisionsKept(inFunction('safe'), inFunction('public'))).toEqual([false]);
  });

  it('reads a statement from the source code if the report shows only a part of it', () => {
    const code = '3         cmd,\n4         shell=True,\n5     )\n6 \n';
    const identified = (call: string) =>
      importReport(
        reportOf([result(4, code, [2, 3, 4, 5])]),
        workspace({ 'app.py': `def run(cmd):\n    ${call}(\n        cmd,\n        shell=True,\n    )` }),
      ).findings;
    // Decision transfer: the lines that the report shows are the same.
    expect(decisionsKept(identified('call'), identified('Popen'))).toEqual([false]);
    const formatted = importReport(
      reportOf([result(2, '1 def run(cmd):\n2     call(cmd, shell=True)\n')]),
      workspace({ 'app.py': 'def run(cmd):\n    call(cmd, shell=True)' }),
    ).findings;
    expect(decisionsKept(identified('call'), formatted)).toEqual([true]);
  });
});
