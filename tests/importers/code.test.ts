import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import {
  context,
  expectFindings,
  findingsOfMangled,
  fingerprints,
  imported,
  own,
  realReport,
} from '../support/importers/importers.ts';
import { mangled } from '../support/importers/mangle.ts';

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
  ['sarif', 'sarif/flawfinder.sarif', 54],
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
  ['zap', 'zap/dvwa_baseline_dojo.xml', 19],
  ['zap', 'zap/zap-results-first-scan.xml', 15],
  // Failed checks only, neither passed nor skipped ones.
  ['checkov', 'checkov/checkov-report-multiple-check_type.json', 13],
  ['checkov', 'checkov/checkov-report-severity.json', 4],
];

describe.each(REPORTS)('%s: %s', (format, file, count) => {
  it(`has ${count} findings`, (test) => {
    expectFindings(realReport(file, test), format, count);
  });

  it.skipIf(file.endsWith('.xml'))('keeps its fingerprints when lines move', (test) => {
    const report = realReport(file, test);
    const [before, after] = [imported(report), imported(shiftLines(report))];
    expect(fingerprints(after)).toEqual(fingerprints(before));
    expect(after.map(({ line }) => line)).not.toEqual(before.map(({ line }) => line));
  });
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
  ['semgrep', 'semgrep.json', 5],
  ['bandit', 'bandit.json', 3],
  ['zap', 'zap.json', 2],
  ['zap', 'zap.xml', 1],
  ['checkov', 'checkov.json', 3],
  ['gitleaks', 'gitleaks.json', 3],
];

describe.each(OWN)('%s: fixtures/%s', (format, file, count) => {
  const report = own(file);

  it(`has ${count} findings with distinct fingerprints`, () => {
    expectFindings(report, format, count);
  });

  it.skipIf(file.endsWith('.xml'))('keeps its fingerprints when lines move', () => {
    expect(fingerprints(imported(shiftLines(report)))).toEqual(fingerprints(imported(report)));
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
    const reports = report.startsWith('<') ? mangledXml(report) : mangled([JSON.parse(report)]);
    // Some damaged reports must still be importable.
    expect(findingsOfMangled(reports, format)).toBeGreaterThan(30);
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

/** Damages an XML report: drops, replaces, swaps or truncates texts and tags. */
function mangledXml(report: string): fc.Arbitrary<string> {
  const tokens = report.split(/(<[^>]*>)/);
  const change = fc.record({
    // Even indexes are texts, odd ones are tags. Texts are chosen more often.
    at: fc.oneof(
      { weight: 3, arbitrary: fc.nat((tokens.length - 1) / 2).map((text) => 2 * text) },
      fc.nat(tokens.length - 1),
    ),
    other: fc.nat(tokens.length - 1),
    how: fc.constantFrom('drop', 'replace', 'wrap', 'exchange', 'append'),
    text: fc.oneof(
      fc.constantFrom(
        '\0',
        '\ud800',
        '&#0;',
        '&#xD800;',
        '&bogus;',
        ']]>',
        '<!--',
        '<![CDATA[',
        '-1',
        '1e999',
      ),
      fc.constantFrom(
        'constructor',
        '../../etc/passwd',
        '```\n<p>',
        'x'.repeat(2000),
        '</p><p>',
        '__proto__',
      ),
      fc.string({ unit: 'binary' }),
    ),
  });
  const changed = fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const parts = [...tokens];
    for (const { at, other, how, text } of changes) {
      if (how === 'drop') parts[at] = '';
      if (how === 'replace') parts[at] = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      if (how === 'wrap') parts[at] = `<x>${parts[at]}</x>`;
      if (how === 'exchange') parts[at] = parts[other] ?? '';
      if (how === 'append') parts[at] += text;
    }
    return parts.join('');
  });
  const end = fc.option(fc.nat(), { freq: 8 });
  return fc
    .tuple(changed, end)
    .map(([text, end]) => (end === null ? text : text.slice(0, end % (text.length + 1))));
}

describe('sarif', () => {
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

  it('must have version 2', () => {
    expect(() => imported('{"version":"1.0.0","runs":[]}')).toThrow(
      new ReportError('SARIF 1.0.0 is not supported', 'version'),
    );
  });

  it('names the position of an error in the report', () => {
    const broken = own('several-runs.sarif').replace('"startLine": 12', '"startLine": "12"');
    expect(() => imported(broken)).toThrow(
      /at runs\.0\.results\.0\.locations\.0\.physicalLocation\.region\.startLine$/,
    );
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
});

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
    });
  });

  it('masks secrets and shows whether they are valid', () => {
    expect(stripe?.title).toBe('detected-stripe-api-key: Stripe API Key detected: sk_e********');
    expect(stripe?.description).toContain("const stripe = 'sk_e********'");
    expect(stripe?.description).toContain('- **Secret:** `valid, tested by Semgrep`');
  });

  it('omits values that Semgrep reveals to customers only', () => {
    expect(logging).toMatchObject({ severity: 'low', line: 4 });
    expect(logging?.description).not.toContain('requires login');
  });

  it('imports dependencies', () => {
    expect(dependency).toMatchObject({ severity: 'high', cwe: 'CWE-1321', cve: 'CVE-2020-8203' });
    expect(dependency?.description).toContain('- **Package:** `lodash 4.17.15`');
  });
});

describe('checkov', () => {
  const [provider, secret, django] = imported(own('checkov.json'));

  it('imports one report or several', () => {
    const [only] = JSON.parse(own('checkov.json'));
    expect(importReport(JSON.stringify(only), context)).toMatchObject({
      format: 'checkov',
      findings: [provider],
    });
  });

  it('converts failed checks completely', () => {
    expect(provider).toEqual({
      fingerprint: expect.stringMatching(/^checkov:[0-9a-f]{64}$/),
      title: 'CKV_AWS_41: Ensure no hard coded AWS access key and secret key exists in provider',
      severity: 'medium',
      description: [
        'Ensure no hard coded AWS access key and secret key exists in provider',
        [
          '- **Check:** `CKV_AWS_41 Ensure no hard coded AWS access key and secret key exists in provider`',
          '- **Resource:** `aws.default`',
          '- **Location:** `infra/main.tf:1`',
        ].join('\n'),
        '```\nprovider "aws" {\n  region     = "********"\n  access_key = "AKIA********"\n}\n```',
        '**References**\n\n- <https://docs.example.com/CKV_AWS_41>',
      ].join('\n\n'),
      file: 'infra/main.tf',
      line: 1,
      source: 'checkov',
    });
  });

  it('masks secrets and omits their hashes', () => {
    expect(secret).toMatchObject({ severity: 'high', cwe: 'CWE-798', file: 'deploy.yml', line: 7 });
    expect(secret?.description).toContain('token: bm90********');
  });

  it('imports vulnerable packages', () => {
    expect(django).toMatchObject({
      title: 'CVE-2019-19844 in django 1.2',
      severity: 'critical',
      cve: 'CVE-2019-19844',
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: 'requirements.txt',
    });
    expect(django?.line).toBeUndefined();
    expect(django?.description).toContain('**Fix**\n\nUpdate to 1.11.27.');
  });

  it('has no findings if nothing was checked', () => {
    const report =
      '{"passed":0,"failed":0,"skipped":0,"parsing_errors":0,"resource_count":0,"checkov_version":"3.2.0"}';
    expect(importReport(report, context)).toMatchObject({ format: 'checkov', findings: [] });
  });

  it('keeps fingerprints when another finding in the resource is fixed', () => {
    const fixed = own('checkov.json').replace('us-west-2', 'eu-central-1');
    expect(fingerprints(imported(fixed))).toEqual(fingerprints(imported(own('checkov.json'))));
  });
});

describe('zap', () => {
  const [xss, basic] = imported(own('zap.json'));

  it('converts alerts completely', () => {
    expect(xss).toEqual({
      fingerprint: expect.stringMatching(/^zap:[0-9a-f]{64}$/),
      title: 'Cross Site Scripting (Reflected) (https://shop.example.com)',
      severity: 'high',
      description: [
        "An attacker's code is echoed.  \nIt runs in a user's browser.",
        '- **Site:** `https://shop.example.com`\n- **Alert:** `40012`\n- **Confidence:** `Medium`',
        '**Where**',
        [
          '- `GET https://shop.example.com/search?q=%3Cscript%3E`, parameter `q`, attack `</p><script>alert(1);</script><p>`, evidence `</p><script>alert(1);</script><p>`',
          '- `POST https://shop.example.com/login?user=a&password=********`, parameter `user`, attack `` `x` ``',
        ].join('\n'),
        '**Fix**',
        'Escape what is \\<b>written\\</b>.',
        '**References**',
        [
          '- <https://owasp.org/www-community/attacks/xss/>',
          '- <https://cwe.mitre.org/data/definitions/79.html>',
          '- <https://www.zaproxy.org/docs/alerts/40012/>',
        ].join('\n'),
      ].join('\n\n'),
      cwe: 'CWE-79',
      source: 'zap',
    });
  });

  it('gives the same findings from XML', () => {
    const [same] = imported(own('zap.xml'));
    expect(same).toMatchObject({ fingerprint: xss?.fingerprint, title: xss?.title, severity: 'high' });
    expect(same?.description).toMatch(/^An attacker's code is echoed…\n/);
    expect(same?.description).toContain(
      '`GET https://shop.example.com/search?q=1&r=2`, parameter `q`, attack `<script>`',
    );
  });

  it('omits the evidence of alerts about secrets', () => {
    expect(basic).toMatchObject({ severity: 'medium', cwe: undefined });
    expect(basic?.description).toContain('- `GET https://shop.example.com/admin?next=********`\n');
    expect(basic?.description).toContain('omitted because it may be a secret');
  });

  it('keeps the fingerprint when the instances change', () => {
    const other = own('zap.json').replace('search?q=', 'find?q=');
    expect(fingerprints(imported(other))).toEqual(fingerprints(imported(own('zap.json'))));
  });
});

describe('gitleaks', () => {
  const [key] = imported(own('gitleaks.json'));

  it('converts leaks completely', () => {
    expect(key).toEqual({
      fingerprint: expect.stringMatching(/^gitleaks:[0-9a-f]{64}$/),
      title: 'Secret (generic-api-key) in config/prod.env',
      severity: 'high',
      description: [
        'Detected a Generic API Key, potentially exposing access to various services and sensitive operations.',
        [
          '- **Rule:** `generic-api-key`',
          '- **Location:** `config/prod.env:4`',
          '- **Commit:** `1b6da43b82b22e4eaa10bcf8ee591e91abbfc587`',
          '- **Commit message:** `use d41d******** for now`',
          '- **Date:** `2026-01-02T03:04:05Z`',
          '- **Tags:** `key, d41d********`',
        ].join('\n'),
        '```\nAPI_KEY = "d41d********"\n```',
        '**Fix**',
        'Revoke the secret and issue a new one, because the history keeps what was committed. Then remove it from the code.',
        '**References**',
        '- <https://github.com/example/app/blob/1b6da43b82b22e4eaa10bcf8ee591e91abbfc587/config/prod.env#L4>',
      ].join('\n\n'),
      cwe: 'CWE-798',
      file: 'config/prod.env',
      line: 4,
      source: 'gitleaks',
    });
  });

  it('has no findings if nothing was found', () => {
    expect(importReport('[]', context)).toMatchObject({ format: 'gitleaks', findings: [] });
  });

  it('never contains the secret, whatever its context', () => {
    const secret = fc.stringMatching(/^[\x21-\x7e]{6,60}$/).filter((text) => /[^a-z*]/i.test(text));
    const around = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(secret, around, around, (value, before, behind) => {
        const within = `${before}${value}${behind}`;
        const leak = {
          RuleID: 'x',
          Secret: value,
          Match: within,
          File: within,
          Message: within,
          Tags: [within],
        };
        const [finding] = imported(JSON.stringify([{ ...leak, Description: within, Link: within }]));
        const { fingerprint: _hash, ...sent } = finding ?? {};
        for (const text of Object.values(sent)) expect(String(text)).not.toContain(value);
        // Also not in rendered Markdown.
        expect(finding?.description.replace(/\\(?=[!-/:-@[-`{-~])/g, '')).not.toContain(value);
      }),
      { numRuns: 500 },
    );
  });

  it('distinguishes secrets that look the same when masked', () => {
    const leaks = JSON.parse(own('gitleaks.json'));
    const [, second] = imported(JSON.stringify(leaks));
    const [alone] = imported(JSON.stringify(leaks.slice(1)));
    expect(alone?.fingerprint).toBe(second?.fingerprint);
  });
});

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
});
