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

describe('semgrep', () => {
  const [xss, stripe, logging, , dependency] = imported(own('semgrep.json'));

  it('converts results completely', () => {
    expect(xss).toEqual({
      fingerprint: expect.stringMatching(/^semgrep:[0-9a-f]{64}$/),
      title: 'direct-response-write: User input is written to a response',
      severity: 'high',
      description: [
        "User input is written to a response. Use `res.render()`, not:\n```\nres.send('<p>' + input)\n\n```",
        [
          '- **Rule:** `javascript.express.security.audit.xss.direct-response-write`',
          '- **Location:** `src/page.ts:21`',
          '- **Confidence:** `HIGH`',
          '- **OWASP:** `A07:2017 - Cross-Site Scripting (XSS), A03:2021 - Injection`',
        ].join('\n'),
        "```\n  res.send('<p>' + req.query.q)\n```",
        '**Fix**\n\nReplace it with:\n\n```\nres.render(page)\n```',
        '**References**\n\n- <https://owasp.org/Top10/A03_2021-Injection>',
      ].join('\n\n'),
      cwe: 'CWE-79',
      file: 'src/page.ts',
      line: 21,
      source: 'semgrep',
      rule_id: 'javascript.express.security.audit.xss.direct-response-write',
    });
  });

  it('masks secrets and shows whether they are valid', () => {
    expect(stripe?.title).toBe('detected-stripe-api-key: Stripe API Key detected: sk_e********');
    expect(stripe?.description).toContain("const stripe = 'sk_e********'");
    expect(stripe?.description).toContain('- **Secret:** `valid, tested by Semgrep`');
  });

  it('omits values that Semgrep reveals to customers only', () => {
    expect(logging).toMatchObject({ severity: 'low', line: 4, title: 'logging: A line logs' });
    expect(logging?.description).not.toContain('requires login');
  });

  it('imports dependencies', () => {
    expect(dependency).toMatchObject({ severity: 'high', cwe: 'CWE-1321', cve: 'CVE-2020-8203' });
    expect(dependency?.description).toContain('- **Package:** `lodash 4.17.15`');
  });

  const result = (line: number, extra: object = {}, rest: object = {}) => ({
    check_id: 'python.shell-true',
    path: 'app.py',
    start: { line, col: 5 },
    end: { line, col: 37 },
    extra: { message: 'Shell with user input.', severity: 'ERROR', lines: 'requires login', ...extra },
    ...rest,
  });
  const reportOf = (results: object[], errors: unknown[] = []) =>
    JSON.stringify({ results, errors, paths: {} });
  const contentOf = (report: string, files: Record<string, string> = {}) =>
    importReport(report, workspace(files));

  it('reports errors: a missing configuration, a rule that cannot be parsed, a file that was not read', () => {
    const errors = [
      { code: 7, level: 'error', type: 'SemgrepError', message: 'invalid configuration file found' },
      { level: 'error', type: ['Rule parse error', []], rule_id: 'broken', message: 'Invalid pattern' },
      { type: 'Timeout', path: 'src/big.js' },
      'plain text',
      { level: 'warn', type: ['PartialParsing', []], message: 'Syntax error at line b.py:3', path: 'b.py' },
    ];
    expect(contentOf(reportOf([], errors))).toMatchObject({
      findings: [],
      errors: [
        'Semgrep: invalid configuration file found',
        'Semgrep: broken: Invalid pattern',
        'Semgrep: src/big.js: Timeout',
        'Semgrep: plain text',
      ],
      warnings: ['Semgrep: Syntax error at line b.py:3'],
    });
  });

  it('counts results that a comment ignores', () => {
    const { findings, skipped } = contentOf(reportOf([result(1), result(2, { is_ignored: true })]));
    expect(findings).toHaveLength(1);
    expect(skipped).toEqual({ 'a comment in the code ignores them (nosemgrep)': 1 });
  });

  it('counts results that the report contains twice', () => {
    const { findings, skipped } = contentOf(reportOf([result(1), result(1)]));
    expect(findings).toHaveLength(1);
    expect(skipped).toEqual({ 'the report contains them twice': 1 });
  });

  it('rates by old and new words', () => {
    const rated = (severity: string) => contentOf(reportOf([result(1, { severity })])).findings[0]?.severity;
    expect(['ERROR', 'WARNING', 'INFO', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'odd'].map(rated)).toEqual([
      'high',
      'medium',
      'low',
      'critical',
      'high',
      'medium',
      'low',
      'medium',
    ]);
  });

  it('describes how tainted data reaches the result', () => {
    const step = (line: number, content: string) => [
      'CliLoc',
      [{ path: 'app.py', start: { line, col: 1 } }, content],
    ];
    const dataflow_trace = {
      taint_source: step(3, 'request.args'),
      intermediate_vars: [{ location: { path: 'app.py', start: { line: 4 } }, content: 'name' }],
      taint_sink: step(9, 'run(name)'),
    };
    expect(contentOf(reportOf([result(9, { dataflow_trace })])).findings[0]?.description).toContain(
      'Data flow:\n\n1. `app.py:3` (source) `request.args`\n2. `app.py:4` (through) `name`\n3. `app.py:9` (sink) `run(name)`',
    );
  });

  describe('identity', () => {
    const source = 'def one(cmd):\n    call(cmd, shell=True)\n';

    it('without login survives added lines, reformatting and a renamed file', () => {
      const [old] = contentOf(reportOf([result(2)]), { 'app.py': source }).findings;
      const edited = `import os\n\n${source.replace('cmd, shell', 'cmd,  shell')}`;
      expect(contentOf(reportOf([result(4)]), { 'app.py': edited }).findings[0]?.fingerprint).toBe(
        old?.fingerprint,
      );
      const renamed = importReport(
        reportOf([result(4, {}, { path: 'run.py' })]),
        workspace({ 'run.py': edited }, { 'run.py': 'app.py' }),
      );
      expect(decisionsKept(old ? [old] : [], renamed.findings)).toEqual([true]);
    });

    it('is the same whether the lines are in the report or the workspace', () => {
      const lines = '    call(cmd, shell=True)';
      const files = { 'app.py': source };
      const [first, second] = [result(2), result(2, { lines })].map(
        (each) => contentOf(reportOf([each]), files).findings[0]?.fingerprint,
      );
      expect(first).toBe(second);
    });

    it('decision transfer: a false positive is removed and another injection is added', () => {
      const old = contentOf(reportOf([result(2)]), { 'app.py': source }).findings;
      const added = 'def two(request):\n    call(request.body, shell=True)\n';
      expect(decisionsKept(old, contentOf(reportOf([result(2)]), { 'app.py': added }).findings)).toEqual([
        false,
      ]);
    });

    it('decision transfer: the same, with a fingerprint that counts the matches in the file', () => {
      const fingerprint = 'd30b51e68d2d56fb34e5a879_0';
      const old = contentOf(reportOf([result(2, { fingerprint, lines: 'eval(config)' })])).findings;
      const { findings } = contentOf(reportOf([result(7, { fingerprint, lines: 'eval(request.body)' })]));
      expect(decisionsKept(old, findings)).toEqual([false]);
    });

    it('decision transfer: neither lines nor source code', () => {
      const old = contentOf(reportOf([result(2)])).findings;
      expect(decisionsKept(old, contentOf(reportOf([result(7)])).findings)).toEqual([false]);
      // The identity of earlier releases was the message, which both have.
      const vague = [result(2), result(7)].map((each) =>
        importReport(reportOf([each]), context, { migrate: true }),
      );
      expect(vague[0]?.findings[0]?.previous_fingerprints).toEqual(
        vague[1]?.findings[0]?.previous_fingerprints,
      );
    });

    it('of an unreachable dependency is its name, not its line in the lock file', () => {
      const sca = (line: number, name: string, version: string) =>
        result(line, {
          lines: `"${name}@${version}"`,
          sca_info: { reachable: false, dependency_match: { found_dependency: { package: name, version } } },
        });
      const old = contentOf(reportOf([sca(4, 'lodash', '4.17.4')])).findings;
      expect(fingerprints(contentOf(reportOf([sca(9, 'lodash', '4.17.9')])).findings)).toEqual(
        fingerprints(old),
      );
      expect(decisionsKept(old, contentOf(reportOf([sca(4, 'minimist', '1.0.0')])).findings)).toEqual([
        false,
      ]);
    });
  });

  describe('answers of the platform', () => {
    const content = importReport(own('semgrep-platform.json'), context);

    it('are imported, those that are fixed or ignored are counted', () => {
      expect(content.findings).toMatchObject([
        {
          title: 'dangerous-html: Input is written as HTML',
          severity: 'high',
          cwe: 'CWE-79',
          file: 'web/page.tsx',
          line: 12,
        },
        { severity: 'critical', cve: 'CVE-2020-8203', file: 'package-lock.json' },
      ]);
      expect(content.findings[0]?.description).toContain('**Fix**\n\nRender the text.');
      expect(content.skipped).toEqual({ 'Semgrep lists them as fixed': 1 });
    });

    it('of the older supply chain API are imported', () => {
      const vulnerability = {
        advisory: {
          ruleId: 'ssc-1',
          title: 'Assertion in grpc',
          severity: 'HIGH',
          references: { cveIds: ['CVE-2023-1428'] },
        },
        matchedDependency: { name: 'grpcio', versionSpecifier: '1.47.0' },
        closestSafeDependency: { name: 'grpcio', versionSpecifier: '1.53.0' },
        dependencyFileLocation: { path: 'requirements.txt', startLine: '22' },
        repositoryName: 'example/shop',
        triage: { status: 'NEW' },
      };
      const dismissed = { ...vulnerability, triage: { status: 'DISMISSED' } };
      const imports = importReport(
        JSON.stringify({ vulns: [vulnerability, dismissed], hasMore: true }),
        context,
      );
      expect(imports).toMatchObject({
        findings: [
          { title: 'Assertion in grpc (grpcio 1.47.0)', severity: 'high', cve: 'CVE-2023-1428', line: 22 },
        ],
        skipped: { 'they are ignored in Semgrep': 1 },
        errors: ['The report is one page of several: append the others'],
      });
      expect(imports.findings[0]?.description).toContain('Update grpcio to 1.53.0.');
    });
  });
});
