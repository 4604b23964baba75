import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../lib/importers/identity/identity.ts';
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
      previous_fingerprints: [expect.stringMatching(/#$/), expect.stringMatching(/#$/)],
      source: 'example-sast',
      rule_id: 'EX100',
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

  it('resolves bases that are relative, chained, nested or the address of a repository', () => {
    const placeOf = (uri: string, uriBaseId: string | undefined, ids: object, run: object = {}) => {
      const locations = [{ physicalLocation: { artifactLocation: { uri, uriBaseId } } }];
      const report = reportOf([{ ruleId: 'a', locations }], { originalUriBaseIds: ids, ...run });
      const [{ file, description } = {}] = imported(report);
      return file ?? /Location:\*\* `(.*)`/.exec(description ?? '')?.[1];
    };
    expect(placeOf('a.c', 'SRC', { SRC: { uri: 'src/' } })).toBe('src/a.c');
    const chained = {
      ROOT: { uri: 'file:///ci/' },
      SRC: { uriBaseId: 'ROOT' },
      API: { uri: 'api', uriBaseId: 'SRC' },
    };
    expect(placeOf('a.c', 'API', chained)).toBe('api/a.c');
    expect(placeOf('a.c', 'API', { API: { uri: 'file:///ci/api/' }, ROOT: { uri: 'file:///ci/' } })).toBe(
      'api/a.c',
    );
    expect(placeOf('a.c', 'A', { A: { uri: 'a/', uriBaseId: 'B' }, B: { uri: 'b/', uriBaseId: 'A' } })).toBe(
      'b/a/a.c',
    );

    const repository = { SRCROOT: { uri: 'https://code.example/acme/web/' } };
    expect(placeOf('src/a.c', 'SRCROOT', repository)).toBe('src/a.c');
    expect(placeOf('https://code.example/acme/web/src/a.c', undefined, repository)).toBe('src/a.c');
    expect(placeOf('a.c', 'API', { ...repository, API: { uri: 'api/', uriBaseId: 'SRCROOT' } })).toBe(
      'api/a.c',
    );
    expect(placeOf('src/a.c', 'X', { X: { uri: 'ssh://git@code.example/acme/web.git' } })).toBe('src/a.c');
    const provenance = { versionControlProvenance: [{ repositoryUri: 'https://code.example/acme/web.git' }] };
    expect(placeOf('https://code.example/acme/web/blob/main/src/a.c', undefined, {}, provenance)).toBe(
      'src/a.c',
    );
    expect(placeOf('login', 'SITE', { SITE: { uri: 'https://shop.example/' } })).toBe(
      'https://shop.example/login',
    );
  });

  it('composes the letters of file names, also those that the disk has decomposed', () => {
    const [composed, decomposed] = ['NFC', 'NFD'].map((form) => 'src/Grüße.c'.normalize(form)) as [
      string,
      string,
    ];
    const report = (uri: string) =>
      reportOf([{ ruleId: 'a', locations: [at(uri, { startLine: 1, startColumn: 2 })] }]);
    const [one] = contentOf(report(composed), { [decomposed]: 'x()' }).findings;
    const [other] = contentOf(report(encodeURI(decomposed)), { [decomposed]: 'x()' }).findings;
    expect(one).toEqual(other);
    expect(one?.file).toBe(composed);
    // As release 0.2 identified it.
    expect(imported(report(composed))[0]?.previous_fingerprints).toContain(
      fingerprintOf('lint', 'a', null, null, decomposed, 'line', 1, 2),
    );
  });

  it('knows a tool by one name in all editions and versions', () => {
    const found = (name: string) => {
      const locations = [at('a.py', { startLine: 3, snippet: { text: 'eval(x)' } })];
      return imported(reportOf([{ ruleId: 'eval', locations }], {}, { name }))[0];
    };
    const { fingerprint, source } = found('Semgrep') ?? {};
    for (const name of [
      'Semgrep OSS',
      'semgrep-pro',
      'Semgrep (Pro Engine)',
      'Semgrep 1.99.0',
      'Semgrep Enterprise Edition v2',
    ])
      expect(found(name)).toMatchObject({ fingerprint, source });
    expect(found('Semgrep OSS')?.previous_fingerprints).toContain(
      fingerprint?.replace('semgrep:', 'semgrep-oss:'),
    );
    expect(found('CodeQL command-line toolchain')?.source).toBe('codeql');
    expect(['Snyk Open Source', 'Pro', 'Log4j 2', 'Example SAST'].map((name) => found(name)?.source)).toEqual(
      [...['snyk-open-source', 'pro', 'log4j-2', 'example-sast']],
    );
  });

  it('reads back what this service has exported', () => {
    const properties = {
      source: 'gosec',
      severity: 'info',
      cwe: 'CWE-703',
      'security-severity': '8.0',
      tags: ['high'],
    };
    const title = `G104: Errors unhandled. See [docs](https://example.com). ${'Long '.repeat(60)}`.trim();
    const result = {
      ruleId: 'CWE-703',
      level: 'note',
      message: { text: title.replace(/[[\]]/g, '\\$&'), markdown: 'A **b** <c>.' },
      locations: [at('a.go', { startLine: 3 })],
      fingerprints: { 'svcFindings/v1': '01890a5d/gosec:a/b' },
      properties,
    };
    const [finding] = imported(reportOf([result], {}, { name: 'svc-findings' }));
    expect(finding).toMatchObject({
      title,
      source: 'gosec',
      severity: 'info',
      cwe: 'CWE-703',
      description: 'A **b** <c>.',
    });
    expect(finding).toMatchObject({ fingerprint: 'gosec:a/b', file: 'a.go', line: 3 });
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
        // Drafts of SARIF 2.1.0, and words that are not in the specification.
        result({ locations: [at('c')], suppressions: [{ kind: 'external', state: 'rejected' }] }),
        result({ locations: [at('d')], suppressions: [{ state: 'underReview', status: null }] }),
        result({ locations: [at('e')], suppressions: [{ status: 'pending' }] }),
        result({ locations: [at('f')], suppressions: [{ status: 'accepted', state: 'rejected' }] }),
        result({ suppressions: [{ kind: 'external', state: 'accepted' }] }),
        result({ baselineState: 'absent' }),
        result({ kind: 'pass' }),
        result({ kind: 'notApplicable' }),
      ]),
    );
    expect(findings).toHaveLength(6);
    expect(skipped).toEqual({
      'the report lists them as suppressed': 3,
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

  it('rates by CVSS where no score for GitHub is given, by the newest version', () => {
    const v4 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N';
    const v3 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
    const v2 = 'AV:N/AC:L/Au:N/C:P/I:P/A:P';
    const rated = (properties: object, ofRule: object = {}) => {
      const [found] = imported(
        reportOf(
          [{ ruleId: 'a', level: 'note', properties }],
          {},
          { rules: [{ id: 'a', properties: ofRule }] },
        ),
      );
      return [found?.severity, found?.cvss_score, found?.cvss_vector];
    };
    expect(rated({}, { cvssv4_baseScore: 9.3, cvssv4_vector: v4, cvssv3_baseScore: 5 })).toEqual([
      'critical',
      9.3,
      v4,
    ]);
    expect(rated({}, { cvssv2_score: 9.3, cvssv2_severity: 'HIGH' })).toEqual(['high', 9.3, undefined]);
    expect(rated({ cvssv3_baseScore: '7.5', cvssv3_impactScore: 9.9, cvssv3_version: '3.1' })).toEqual([
      'high',
      7.5,
      undefined,
    ]);
    expect(rated({ cvssV3: v3, cvssV3_severity: 'CRITICAL' })).toEqual(['critical', 9.8, v3]);
    expect(rated({ cvss: { version: '3.1', vectorString: v3, baseScore: 9.8 } })).toEqual([
      'critical',
      9.8,
      v3,
    ]);
    expect(rated({ cvss: [{ vector: v2 }, { vector: v3 }] })).toEqual(['critical', 9.8, v3]);
    expect(rated({ vulnerability: { CVSS: { nvd: { V2Score: 10, V3Score: 4.1 } } } })).toEqual([
      'medium',
      4.1,
      undefined,
    ]);
    expect(rated({ cvss_vector: v2 })).toEqual(['high', 7.5, v2]);
    // The result wins, and the score for GitHub rates.
    expect(rated({ cvss: 4.2 }, { cvssScore: 9.9 })).toEqual(['medium', 4.2, undefined]);
    expect(rated({}, { 'security-severity': '9.1', cvss_score: 5 })).toEqual(['critical', 5, undefined]);
    expect(rated({ cvssv3_baseScore: 0, cvssv3_baseSeverity: 'UNKNOWN', cvss: 'x' })).toEqual([
      'low',
      undefined,
      undefined,
    ]);
    expect(rated({ issue_severity: 'CRITICAL', 'sub-severity': 'medium' })[0]).toBe('critical');
    expect(rated({}, { 'sub-severity': 'high' })[0]).toBe('low');
  });

  it('applies the levels that an invocation gives rules', () => {
    const rules = ['R1', 'R2', 'R3'].map((id) => ({
      id,
      guid: `guid-${id}`,
      defaultConfiguration: { level: 'error' },
    }));
    const override = (descriptor: object, level?: string) => ({ descriptor, configuration: { level } });
    const invocations = [
      {
        ruleConfigurationOverrides: [
          override({ index: 0 }, 'note'),
          override({ guid: 'guid-R2' }, 'warning'),
          override({ id: 'R3' }),
          override({ id: 'R3', toolComponent: { index: 0 } }, 'none'),
        ],
      },
      { ruleConfigurationOverrides: [override({ id: 'R3' }, 'note')] },
    ];
    const rated = (results: object[]) =>
      imported(reportOf(results, { invocations }, { rules })).map(({ severity }) => severity);
    expect(rated([{ ruleId: 'R1' }, { ruleId: 'R2' }, { ruleId: 'R1', level: 'error' }])).toEqual([
      ...['low', 'medium', 'high'],
    ]);
    const ofRun = (invocationIndex: number) => ({
      ruleId: 'R3',
      provenance: { invocationIndex },
      message: { text: `${invocationIndex}` },
    });
    expect(rated([ofRun(0), ofRun(1)])).toEqual(['high', 'low']);
  });

  it('finds rules and taxa by index, GUID and name', () => {
    const cwe = (id: string, guid?: string) => ({ id, guid });
    const taxonomies = [
      { name: 'OWASP', taxa: [{ id: 'A03' }] },
      { name: 'CWE', guid: 'g-cwe', taxa: [cwe('79'), cwe('89', 'g-89')] },
    ];
    const rules = [{ id: 'by-rule', relationships: [{ target: { index: 1, toolComponent: { index: 1 } } }] }];
    const cweOf = (rest: object) => imported(reportOf([rest], { taxonomies }, { rules }))[0]?.cwe;
    expect(cweOf({ taxa: [{ index: 1, toolComponent: { index: 1 } }] })).toBe('CWE-89');
    expect(cweOf({ taxa: [{ index: 0, toolComponent: { name: 'CWE' } }] })).toBe('CWE-79');
    expect(cweOf({ taxa: [{ guid: 'g-89', toolComponent: { guid: 'g-cwe' } }] })).toBe('CWE-89');
    expect(cweOf({ taxa: [{ index: 0, toolComponent: { index: 0 } }] })).toBeUndefined();
    expect(cweOf({ ruleId: 'by-rule' })).toBe('CWE-89');
    const extensions = [1, 2].map((id) => ({
      guid: `x${id}`,
      rules: [{ id: 'r', guid: 'g', shortDescription: { text: `Rule ${id}` } }],
    }));
    const tool = { driver: { name: 'x' }, extensions };
    const rule = { guid: 'g', toolComponent: { guid: 'x2' } };
    expect(imported(JSON.stringify({ runs: [{ tool, results: [{ rule }] }] }))[0]?.title).toBe('Rule 2');
  });

  it('prefers a score to tags', () => {
    const rules = [{ id: 'a', properties: { tags: ['HIGH'], 'security-severity': '9.8' } }];
    expect(imported(reportOf([{ ruleId: 'a' }], {}, { rules }))[0]?.severity).toBe('critical');
  });

  describe('calls only results the same that are equal in everything', () => {
    const base = {
      ruleId: 'r',
      level: 'error',
      message: { text: 'Weak {0}', arguments: ['key'] },
      locations: [at('a.c', { startLine: 3 })],
    };
    const located = (physicalLocation: object, logicalLocations?: object[]) => ({
      locations: [{ physicalLocation, ...(logicalLocations && { logicalLocations }) }],
    });
    const inFile = (region: object) => located({ artifactLocation: { uri: 'a.c' }, region });
    const run = {
      artifacts: [
        { location: { uri: 'one.zip' } },
        { location: { uri: '/in.c' }, parentIndex: 0 },
        { location: { uri: 'two.zip' } },
        { location: { uri: '/in.c' }, parentIndex: 2 },
        { location: { uri: 'b.c' } },
        { parentIndex: 0, offset: 100 },
        { parentIndex: 0, offset: 200 },
      ],
      logicalLocations: [{ name: 'A' }, { name: 'x', parentIndex: 0 }, { fullyQualifiedName: 'B.x' }],
      addresses: [{ relativeAddress: 16 }, { relativeAddress: 32 }],
      webRequests: [{ target: 'https://a.example/' }, { target: 'https://b.example/' }],
      originalUriBaseIds: { ONE: { uri: 'file:///ci/one/' }, TWO: { uri: 'file:///ci/two/' } },
    };
    const both = (one: object, other: object) =>
      reportOf(
        [one, other].map((each) => ({ ...base, ...each })),
        run,
      );

    /** Places: they identify a result also without the other one. */
    it.each([
      ['charOffset', inFile({ charOffset: 0 }), inFile({ charOffset: 90 })],
      ['charLength', inFile({ charOffset: 5, charLength: 1 }), inFile({ charOffset: 5, charLength: 2 })],
      ['byteOffset', inFile({ byteOffset: 10 }), inFile({ byteOffset: 90 })],
      ['byteLength', inFile({ byteOffset: 5, byteLength: 1 }), inFile({ byteOffset: 5, byteLength: 2 })],
      ['address', located({ address: { index: 0 } }), located({ address: { absoluteAddress: 32 } })],
      [
        'archive',
        located({ artifactLocation: { uri: '/in.c', index: 1 } }),
        located({ artifactLocation: { index: 3 } }),
      ],
      [
        'nameless part of an archive',
        located({ artifactLocation: { index: 5 } }),
        located({ artifactLocation: { index: 6 } }),
      ],
      ['logical location', located({}, [{ index: 1 }]), located({}, [{ index: 2 }])],
      [
        'analysis target',
        { locations: [], analysisTarget: { uri: 'a.dll' } },
        { locations: [], analysisTarget: { index: 4 } },
      ],
      [
        'web request',
        { locations: [], webRequest: { index: 0 } },
        { locations: [], webRequest: { target: 'https://b.example/' } },
      ],
      [
        'base',
        located({ artifactLocation: { uri: 'x.c', uriBaseId: 'ONE' } }),
        located({ artifactLocation: { uri: 'x.c', uriBaseId: 'TWO' } }),
      ],
    ])('%s', (_name, one, other) => {
      const { findings, skipped } = contentOf(both(one, other));
      expect(skipped).toEqual({});
      const alone = [one, other].map((each) => imported(reportOf([{ ...base, ...each }], run)));
      expect(fingerprints(alone.flat())).toEqual(fingerprints(findings));
      expect(new Set(fingerprints(findings)).size).toBe(2);
    });

    /** Other fields: each result keeps its decision when the other one is gone. */
    it.each([
      ['arguments', { message: { text: 'Weak {0}', arguments: ['cipher'] } }],
      ['numbers in the message', { message: { text: 'Weak 1' } }, { message: { text: 'Weak 2' } }],
      ['end of the region', inFile({ startLine: 3, startColumn: 1, endColumn: 7 })],
      [
        'logical location',
        located({ artifactLocation: { uri: 'a.c' }, region: { startLine: 3 } }, [{ index: 2 }]),
      ],
      [
        'partial fingerprints',
        { partialFingerprints: { 'own/v1': 'a' } },
        { partialFingerprints: { 'own/v1': 'b' } },
      ],
      ['viewer', { hostedViewerUri: 'https://viewer.example/1' }],
      ['properties', { properties: { package: 'left' } }, { properties: { package: 'right' } }],
      ['analysis target', { analysisTarget: { uri: 'b.c' } }],
      ['request', { webRequest: { target: '/', parameters: { q: '1' } } }],
      ['response', { webResponse: { statusCode: 500 } }],
      ['related locations', { relatedLocations: [at('b.c')] }, { relatedLocations: [at('c.c')] }],
      ['flow', { codeFlows: [{ threadFlows: [{ locations: [{ location: at('b.c') }] }] }] }],
    ])('%s', (_name, other, one: object = {}) => {
      const report = both(one, other);
      const { findings } = contentOf(report);
      expect(new Set(fingerprints(findings)).size).toBe(2);
      expect(fingerprints(imported(both(other, one)))).toEqual(fingerprints(findings).toReversed());
      for (const [index, each] of [one, other].entries()) {
        const alone = imported(reportOf([{ ...base, ...each }], run));
        expect(decisionsKept(findings.slice(index, index + 1), alone)).toEqual([true]);
        expect(decisionsKept(findings.toSpliced(index, 1), alone)).toEqual([false]);
      }
    });

    it('but keeps results that only lines or lists of the run tell apart', () => {
      const flow = (startLine: number) => ({ relatedLocations: [at('b.c', { startLine })] });
      expect(imported(both(flow(1), flow(2)))).toHaveLength(2);
      expect(imported(both({ webRequest: { index: 0 } }, { webRequest: { index: 1 } }))).toHaveLength(2);
    });

    it('except what depends on the run', () => {
      const ofRun = (number: number) => ({
        guid: `g${number}`,
        correlationGuid: `c${number}`,
        baselineState: number ? 'new' : 'unchanged',
        rank: number,
        occurrenceCount: number,
        workItemUris: [`https://tracker.example/${number}`],
        provenance: { firstDetectionTimeUtc: `2026-01-0${number}T00:00:00Z` },
        suppressions: number ? [{ status: 'rejected' }] : [],
      });
      expect(contentOf(both(ofRun(0), ofRun(1)))).toMatchObject({
        findings: [{ line: 3 }],
        skipped: { 'the report contains them twice': 1 },
      });
    });

    it('also in two runs, whose files have other indexes', () => {
      const of = (index: number) => ({
        tool: { driver: { name: 'lint' } },
        results: [{ ...base, ruleIndex: index, ...located({ artifactLocation: { uri: 'a.c', index } }) }],
      });
      expect(imported(JSON.stringify({ runs: [of(0), of(1)] }))).toHaveLength(1);
    });
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
        const { previous_fingerprints: usual = [] } = imported(report)[0] ?? {};
        const { findings } = importReport(report, context, { migrate: true });
        expect(findings[0]?.previous_fingerprints).toHaveLength(usual.length + 1);
      }
    });
  });
});
