import { describe, expect, it } from 'vitest';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import {
  context,
  decisionsKept,
  fingerprints,
  imported,
  own,
  workspace,
} from '../support/importers/importers.ts';

describe('sarif', () => {
  /** A report with these results of one tool. */
  const reportOf = (results: object[], run: object = {}, driver: object = {}) =>
    JSON.stringify({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'lint', ...driver } }, results, ...run }],
    });

  const at = (uri: string, region?: object, contextRegion?: object) => ({
    physicalLocation: { artifactLocation: { uri }, region, contextRegion },
  });

  const contentOf = (report: string, files: Record<string, string> = {}) =>
    importReport(report, workspace(files));

  const [traversal, xss, part, , leak] = imported(own('several-runs.sarif'));

  it('converts results completely', () => {
    expect(traversal).toEqual({
      fingerprint: expect.stringMatching(/^example-sast:[0-9a-f]{64}$/),
      title: "Path traversal: 'name' reaches readFile(){}, from the request",
      severity: 'high',
      description: [
        "'name' reaches readFile(){}, from the request (web/routes.ts:3).",
        '- **Rule:** `EX100 (PathTraversal)`\n- **Location:** `src/read file.ts:12`\n- **Tool:** `Example SAST 3.1.4`',
        '```\n  readFile(name)\n```',
        '**References**\n\n- <https://example.com/rules/EX100>',
      ].join('\n\n'),
      cwe: 'CWE-22',
      file: 'src/read file.ts',
      line: 12,
      source: 'example-sast',
    });
  });

  it('finds rules in extensions, closes their code blocks and escapes text', () => {
    expect(xss).toMatchObject({ severity: 'medium', cwe: 'CWE-79', file: 'web/page.ts', line: 40 });
    expect(xss?.description).toContain('Written by \\<b>page\\</b>, see docs (https://example.com/xss).');
    expect(xss?.description).toContain('Input is written to a page \\*as it is\\*.');
    expect(xss?.description).toMatch(/Escape it with `escape\(\)`:\n\n```js\nescape\(input\)\n```$/);
  });

  it('rates a result that is not a failure as info', () => {
    expect(part).toMatchObject({ title: 'Path traversal: Seen in part 7', severity: 'info', cwe: 'CWE-22' });
  });

  it('omits suppressed and absent results, but not those under review', () => {
    const titles = imported(own('several-runs.sarif')).map(({ title }) => title);
    expect(titles.join()).not.toMatch(/Suppressed|Accepted|Gone/);
    expect(titles.join()).toContain('Cross-site scripting');
  });

  it('masks the source of secret scanners', () => {
    expect(leak).toMatchObject({ severity: 'high', cwe: 'CWE-798', file: 'AKIA********.env' });
    expect(leak?.description).not.toContain('someone@example.com');
  });

  it('keeps messages about secrets readable', () => {
    const rules = [
      { id: 'github-pat', shortDescription: { text: 'GitHub token' }, properties: { tags: ['secret'] } },
    ];
    const text =
      'Artifact: conf/prod-2026/settings.yml\nSeverity: HIGH\nMatch: token=ghp_0123456789abcdefABCDEF0123456789abcd';
    const locations = [{ physicalLocation: { artifactLocation: { uri: 'conf/prod-2026/settings.yml' } } }];
    const results = [{ ruleId: 'github-pat', ruleIndex: 0, level: 'error', message: { text }, locations }];
    const [token] = imported(
      JSON.stringify({ runs: [{ tool: { driver: { name: 'Trivy', rules } }, results }] }),
    );
    expect(token?.description).toMatch(
      /^Artifact: conf\/prod-2026\/settings\.yml {2}\nSeverity: HIGH {2}\nMatch: token=ghp\\_(?:\\\*){8}\n/,
    );
  });

  it('must have version 2.1', () => {
    const refusal = new ReportError('SARIF 1.0.0 is not supported: write SARIF 2.1.0', 'version');
    expect(() => imported('{"version":"1.0.0","runs":[]}')).toThrow(
      Object.assign(refusal, { format: 'sarif' }),
    );
  });

  it('refuses a report without a readable result, and names the position', () => {
    expect(() => imported('{"runs":[{"results":["x"]}]}')).toThrow(/at runs\.0\.results\.0$/);
  });

  it('imports the other runs if one cannot be read', () => {
    const report = '{"runs":[{"results":["x"]},{"results":[{"ruleId":"a"}]}]}';
    expect(importReport(report, context)).toMatchObject({
      findings: [{ title: 'a' }],
      errors: [expect.stringMatching(/^The results of a run cannot be read: .* at runs\.0\.results\.0$/)],
    });
  });

  it('handles long messages and many locations', () => {
    const locations = Array.from({ length: 3000 }, (_, line) => at('a.ts', { startLine: line + 1 }));
    expect(imported(reportOf([{ ruleId: 'a', locations }]))).toHaveLength(3000);
    const text = `CVE-2026-1234 ${'1'.repeat(200_000)}`;
    expect(imported(reportOf([{ ruleId: 'CVE-2026-1234', message: { text } }]))).toHaveLength(1);
  });

  it('makes paths relative to the workspace', () => {
    const fileOf = (uri: string, bases = {}) =>
      imported(
        JSON.stringify({
          runs: [
            {
              tool: { driver: { name: 'x' } },
              originalUriBaseIds: bases,
              results: [{ locations: [{ physicalLocation: { artifactLocation: { uri, uriBaseId: 'B' } } }] }],
            },
          ],
        }),
      )[0]?.file;
    expect(fileOf('src/a.ts')).toBe('src/a.ts');
    expect(fileOf(`file://${context.directory}/src/a.ts`)).toBe('src/a.ts');
    expect(fileOf(`${context.directory}/src/a.ts`)).toBe('src/a.ts');
    expect(fileOf('a.ts', { B: { uri: `file://${context.directory}/src/` } })).toBe('src/a.ts');
    expect(fileOf('a.ts', { B: { uri: 'file:///home/ci/repo' } })).toBe('a.ts');
    expect(fileOf('file:///home/ci/repo/a.ts', { B: { uri: 'file:///home/ci/repo/' } })).toBe('a.ts');
    expect(fileOf('a.ts', { B: { uri: 'b/', uriBaseId: 'B' } })).toMatch(/a\.ts$/);
    expect(fileOf('file:///C:/repo/a.ts')).toBe('repo/a.ts');
    expect(fileOf('../../etc/passwd')).toBe('etc/passwd');
    expect(fileOf('https://example.com/page')).toBeUndefined();
  });

  describe('reports what the tool could not do', () => {
    it('a failed run, and notifications by their level', () => {
      const invocations = [
        {
          executionSuccessful: false,
          exitCode: 3,
          toolExecutionNotifications: [
            { level: 'error', message: { text: 'Rule X crashed' } },
            { message: { text: 'Slow file' } },
            { level: 'note', message: { text: 'Finished' } },
          ],
          toolConfigurationNotifications: [
            {
              level: 'error',
              message: { text: 'Parsing error' },
              locations: [at('src/a.js', { startLine: 9 })],
            },
          ],
        },
      ];
      expect(contentOf(reportOf([], { invocations }))).toMatchObject({
        findings: [],
        errors: [
          'lint reports that it failed: exit code 3',
          'lint: Rule X crashed',
          'lint: Parsing error (src/a.js:9)',
        ],
        warnings: ['lint: Slow file'],
      });
    });

    it('results in other files', () => {
      const run = { externalPropertyFileReferences: { results: [{ location: { uri: 'results.json' } }] } };
      expect(contentOf(reportOf([], run)).errors.join()).toContain('in other files');
    });

    it('masks credentials in the code that a message quotes, and limits their number', () => {
      const toolExecutionNotifications = Array.from({ length: 30 }, (_, index) => ({
        level: 'error',
        message: { text: `Syntax error ${index}: password = "hunter-2-hunter"` },
      }));
      const { errors } = contentOf(reportOf([], { invocations: [{ toolExecutionNotifications }] }));
      expect(errors).toHaveLength(10);
      expect(errors.join()).not.toContain('hunter');
      expect(errors.at(-1)).toBe('21 more messages of this kind');
    });
  });

  it('counts results that are no findings', () => {
    const result = (rest: object) => ({ ruleId: 'a', message: { text: 'a' }, ...rest });
    const { findings, skipped } = contentOf(
      reportOf([
        result({ suppressions: [{ kind: 'inSource' }] }),
        result({ suppressions: [{ kind: 'external', status: 'accepted' }] }),
        // Rejected or under review: still a finding.
        result({ locations: [at('a')], suppressions: [{ status: 'accepted' }, { status: 'rejected' }] }),
        result({ locations: [at('b')], suppressions: [{ status: 'underReview' }] }),
        result({ baselineState: 'absent' }),
        result({ kind: 'pass' }),
        result({ kind: 'notApplicable' }),
      ]),
    );
    expect(findings).toHaveLength(2);
    expect(skipped).toEqual({
      'the report lists them as suppressed': 2,
      'the report lists them as fixed': 1,
      'they are passed or not applicable checks': 2,
    });
  });

  it('rates by the tags of a rule where levels are too coarse, as those of gosec', () => {
    const rule = (id: string, level: string, ...tags: string[]) => ({
      id,
      defaultConfiguration: { level },
      properties: { tags: ['security', ...tags] },
    });
    const rules = [
      ...[rule('G101', 'error', 'HIGH'), rule('G401', 'error', 'MEDIUM'), rule('G104', 'warning', 'LOW')],
      ...[rule('X1', 'error', 'HIGH', 'LOW'), rule('X2', 'error')],
    ];
    const rated = (ruleId: string, level: string) =>
      imported(reportOf([{ ruleId, level, message: { text: 'x' } }], {}, { name: 'gosec', rules }))[0]
        ?.severity;
    expect(rated('G101', 'error')).toBe('high');
    expect(rated('G401', 'error')).toBe('medium');
    expect(rated('G104', 'warning')).toBe('low');
    // This result is not rated as its rule is.
    expect(rated('G101', 'warning')).toBe('medium');
    expect(rated('X1', 'error')).toBe('high');
    expect(rated('X2', 'error')).toBe('high');
  });

  it('rates results of Checkov without a score as in its JSON, because their level is always “error”', () => {
    const rules = [
      { id: 'CKV_AWS_24', defaultConfiguration: { level: 'error' } },
      { id: 'CKV_SECRET_2', defaultConfiguration: { level: 'error' } },
      { id: 'CKV_AWS_41', properties: { 'security-severity': '9.0' } },
    ];
    const results = rules.map(({ id: ruleId }) => ({ ruleId, level: 'error', message: { text: 'x' } }));
    const rated = (name: string) =>
      imported(reportOf(results, {}, { name, rules })).map(({ severity }) => severity);
    expect(rated('Checkov')).toEqual(['medium', 'high', 'critical']);
    expect(rated('other')).toEqual(['high', 'high', 'critical']);
  });

  it('prefers a score to tags', () => {
    const rules = [{ id: 'a', properties: { tags: ['HIGH'], 'security-severity': '9.8' } }];
    expect(imported(reportOf([{ ruleId: 'a' }], {}, { rules }))[0]?.severity).toBe('critical');
  });

  it('reports every location of a result, once', () => {
    const locations = [
      at('a.java', { startLine: 3 }),
      at('b.java', { startLine: 7 }),
      at('b.java', { startLine: 7 }),
    ];
    const findings = imported(reportOf([{ ruleId: 'log', message: { text: 'Logs.' }, locations }]));
    expect(findings.map(({ file, line }) => `${file}:${line}`)).toEqual(['a.java:3', 'b.java:7']);
    expect(new Set(fingerprints(findings)).size).toBe(2);
    expect(findings[0]?.description).toContain('**Where**\n\n- `a.java:3`\n- `b.java:7`');
  });

  it('describes data flows and related locations', () => {
    const step = (uri: string, startLine: number, text?: string) => ({
      location: { ...at(uri, { startLine }), ...(text && { message: { text } }) },
    });
    const locations = [step('web.py', 1, 'request'), step('web.py', 1, 'request'), step('db.py', 9)];
    const flow = { threadFlows: [{ locations }] };
    const [finding] = imported(
      reportOf([
        {
          ruleId: 'sqli',
          message: { text: 'Injection from [the request](1).' },
          locations: [at('db.py', { startLine: 9 })],
          codeFlows: [flow, flow],
          relatedLocations: [
            { id: 1, ...at('web.py', { startLine: 1 }) },
            { id: 2, ...at('main.py', { startLine: 4 }), message: { text: 'started here' } },
          ],
        },
      ]),
    );
    expect(finding?.description).toContain('Injection from the request (web.py:1).');
    expect(finding?.description).toContain(
      'Data flow (the first of 2):\n\n1. `web.py:1` request\n2. `db.py:9`\n\nRelated locations:\n\n- `main.py:4` started here',
    );
  });

  it('refers to locations in Markdown as text', () => {
    const steps = [0, 1].map((id) => ({ location: { id, ...at('a.ts', { startLine: id + 1 }) } }));
    const message = { text: 'x', markdown: 'From {0} {1}', arguments: ['[input](0)', '[flows](0),(1)'] };
    const [finding] = imported(
      reportOf([{ ruleId: 'xss', message, codeFlows: [{ threadFlows: [{ locations: steps }] }] }]),
    );
    expect(finding?.description).toContain('From input (a.ts:1) flows (a.ts:1)');
  });

  it('reads numbers that are texts, and ignores fields of other types', () => {
    const odd = {
      ruleId: 5,
      message: 'x',
      kind: {},
      locations: [at('a.ts', { startLine: '12' })],
      codeFlows: 'x',
    };
    expect(imported(reportOf([odd, { properties: [], taxa: {}, fixes: null }]))).toMatchObject([
      { file: 'a.ts', line: 12 },
      { title: 'Result without a message' },
    ]);
  });

  it('keeps the paths of a sub-folder apart', () => {
    const fileOf = (uri: string, bases = {}) =>
      importReport(reportOf([{ locations: [at(uri)] }], { originalUriBaseIds: bases }), {
        directory: '/repo/packages/api',
        pathPrefix: 'packages/api',
      }).findings[0]?.file;
    expect(fileOf('src/a.ts')).toBe('packages/api/src/a.ts');
    expect(fileOf('file:///repo/packages/api/src/a.ts')).toBe('packages/api/src/a.ts');
    expect(fileOf('file:///repo/packages/web/a.ts', { ROOT: { uri: 'file:///repo/' } })).toBe(
      'packages/web/a.ts',
    );
    expect(fileOf('file:///ci/src/a.ts', { ROOT: { uri: 'file:///ci/' } })).toBe('packages/api/src/a.ts');
  });

  describe('identity', () => {
    const finding = (uri: string, region: object, rest: object = {}) => ({
      ruleId: 'no-eval',
      message: { text: 'Unexpected eval.' },
      locations: [at(uri, region)],
      ...rest,
    });
    const flagged = (startLine: number) => ({ startLine, startColumn: 3, endLine: startLine, endColumn: 7 });
    const before = ['function one(x) {', '  eval(x);', '}'].join('\n');

    it('survives added lines, reformatting and a renamed file, without a snippet (ESLint)', () => {
      const [old] = contentOf(reportOf([finding('a.js', flagged(2))]), { 'a.js': before }).findings;
      const moved = `// A comment\n\n${before.replace('  eval(x);', '    eval( x )')}`;
      const report = reportOf([finding('b.js', flagged(4))]);
      const { findings } = importReport(report, workspace({ 'b.js': moved }, { 'b.js': 'a.js' }));
      expect(findings[0]?.previous_fingerprints).toContain(old?.fingerprint);
      const same = contentOf(reportOf([finding('a.js', flagged(4))]), { 'a.js': moved }).findings;
      expect(fingerprints(same)).toEqual([old?.fingerprint]);
    });

    it('decision transfer: one result is removed and another of the rule is added to the file', () => {
      const old = contentOf(reportOf([finding('a.js', flagged(2))]), { 'a.js': before }).findings;
      const added = 'function two(y) {\n  eval(y.body);\n}';
      const { findings } = contentOf(reportOf([finding('a.js', flagged(2))]), { 'a.js': added });
      expect(decisionsKept(old, findings)).toEqual([false]);
    });

    it('decision transfer: the same, without source code', () => {
      const old = imported(reportOf([finding('a.js', flagged(2))]));
      expect(decisionsKept(old, imported(reportOf([finding('a.js', flagged(9))])))).toEqual([false]);
    });

    it('decision transfer: the snippet is only a part of the line (DevSkim)', () => {
      const part = (startLine: number) => ({ ...flagged(startLine), snippet: { text: 'eval' } });
      const old = imported(reportOf([finding('a.js', part(2))]));
      expect(decisionsKept(old, imported(reportOf([finding('a.js', part(9))])))).toEqual([false]);
      const [here, there] = [before, before.replace('eval(x)', 'eval(other)')].map(
        (source) => contentOf(reportOf([finding('a.js', part(2))]), { 'a.js': source }).findings,
      );
      expect(decisionsKept(here ?? [], there ?? [])).toEqual([false]);
    });

    it('decision transfer: the fingerprint of Semgrep counts the matches in a file', () => {
      const result = (startLine: number, code: string) =>
        finding(
          'a.py',
          { startLine, startColumn: 5, endLine: startLine, endColumn: 14, snippet: { text: code } },
          { fingerprints: { 'matchBasedId/v1': 'd30b51e6_0' } },
        );
      const old = imported(reportOf([result(3, '    eval(config)')]));
      expect(decisionsKept(old, imported(reportOf([result(9, '    eval(request)')])))).toEqual([false]);
      expect(decisionsKept(old, imported(reportOf([result(9, '    eval(config)')])))).toEqual([true]);
    });

    it('decision transfer: the line hash of CodeQL counts the lines that are the same', () => {
      const result = (count: number) =>
        finding(
          'a.ts',
          { startLine: count },
          { partialFingerprints: { primaryLocationLineHash: `39fa2ee9:${count}` } },
        );
      const both = imported(reportOf([result(1), result(2)]));
      const [one] = imported(reportOf([result(1)]));
      // Which of the two is gone is unknown.
      expect(fingerprints(both)).not.toContain(one?.fingerprint);
    });

    it('does not contain the lines around the flagged one', () => {
      const around = (text: string) =>
        reportOf([
          {
            ruleId: 'a',
            message: { text: 'x' },
            locations: [
              at('a.ts', { startLine: 6, startColumn: 1, endColumn: 3 }, { startLine: 5, snippet: { text } }),
            ],
          },
        ]);
      expect(fingerprints(imported(around('one\nflagged()\ntwo')))).toEqual(
        fingerprints(imported(around('# comment\nflagged()\nthree'))),
      );
    });

    it('decision transfer: one vulnerability in another package of the same file', () => {
      const result = (text: string) => ({
        ruleId: 'CVE-2026-1234',
        message: { text },
        locations: [at('package-lock.json', { startLine: 1 })],
      });
      const old = imported(reportOf([result('lodash 4.17.4 is vulnerable')]));
      expect(decisionsKept(old, imported(reportOf([result('minimist 1.2.0 is vulnerable')])))).toEqual([
        false,
      ]);
      expect(decisionsKept(old, imported(reportOf([result('lodash 4.17.15 is vulnerable')])))).toEqual([
        true,
      ]);
    });

    it('of a result about a whole file is its message', () => {
      const result = (text: string) => ({
        ruleId: 'header',
        message: { text },
        locations: [at('Dockerfile')],
      });
      const [first, second] = imported(reportOf([result('No USER'), result('No HEALTHCHECK')]));
      expect(fingerprints(imported(reportOf([result('No HEALTHCHECK')])))).toEqual([second?.fingerprint]);
      expect(first?.fingerprint).not.toBe(second?.fingerprint);
    });

    // An equal statement in another function, which may be gone, had the same fingerprint.
    it('accepts the fingerprints of earlier releases on request only', () => {
      for (const region of [{ startLine: 1, snippet: { text: 'eval(x)' } }, flagged(4)]) {
        const report = reportOf([finding('a.ts', region)]);
        expect(imported(report)[0]?.previous_fingerprints).toBeUndefined();
        const { findings } = importReport(report, context, { migrate: true });
        expect(findings[0]?.previous_fingerprints).toHaveLength(1);
      }
    });
  });
});
