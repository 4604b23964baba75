import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { damaged } from '../support/importers/formats.ts';
import {
  context,
  expectFindings,
  findingsOfMangled,
  fingerprints,
  imported,
  own,
} from '../support/importers/importers.ts';

describe.each([
  ['gitlab-sast', 'code/gitlab-sast.json', 3],
  ['gitlab-secret-detection', 'code/gitlab-secret-detection.json', 2],
  ['gitlab-dast', 'code/gitlab-dast.json', 2],
  ['gitlab-fuzzing', 'code/gitlab-fuzzing.json', 1],
])('%s: fixtures/%s', (format, file, count) => {
  const report = own(file);

  it(`has ${count} findings with distinct fingerprints`, () => {
    expectFindings(report, format, count);
  });

  it('contains no secrets', () => {
    const sent = JSON.stringify(imported(report));
    for (const secret of ['Winter-2026!', 'AKIAIOSFODNN7EXAMPLE', '378282246310005'])
      expect(sent).not.toContain(secret);
  });

  it('handles damaged reports', () => {
    expect(findingsOfMangled(damaged(report), format)).toBeGreaterThan(0);
  });

  it('records that the scan failed, and its messages', () => {
    const document = JSON.parse(report);
    document.scan.status = 'failure';
    document.scan.messages = [{ level: 'fatal', value: 'The target is down' }];
    const { errors, findings } = importReport(JSON.stringify(document), context);
    expect(errors).toEqual(['The target is down', 'The scan failed']);
    expect(findings).toHaveLength(count);
    document.vulnerabilities = [];
    expect(() => imported(JSON.stringify(document))).toThrow('The scan failed at scan.status');
  });
});

describe('gitlab-sast', () => {
  const report = own('code/gitlab-sast.json');

  it('converts vulnerabilities completely', () => {
    const [traversal, password, hash] = imported(report);
    expect(traversal).toEqual({
      fingerprint: expect.stringMatching(/^gitlab-sast:[0-9a-f]{64}$/),
      title: 'Path traversal',
      severity: 'high',
      description: [
        '`name` reaches readFile().',
        '- **Rule:** `EX1`\n- **Location:** `src/files.ts:12`\n- **Method:** `read`\n- **Scanner:** `Example 1.2`',
        '**Where**',
        'Data flow:\n\n1. `src/web.ts:3` `source`\n2. `src/files.ts:12` `sink`',
        '```\nreadFile(name)\n```',
        '**Fix**',
        'Check the name.',
        '**References**',
        '- <https://example.com/traversal>\n- <https://example.com/EX1>',
      ].join('\n\n'),
      cwe: 'CWE-22',
      file: 'src/files.ts',
      line: 12,
      source: 'gitlab-sast',
    });
    // The value of its identifier is not the number.
    expect(password?.cwe).toBe('CWE-798');
    expect(hash?.severity).toBe('info');
  });

  it('records errors, warnings and likely false positives', () => {
    const { errors, warnings, skipped } = importReport(report, context);
    expect(errors).toEqual(['src/broken.ts cannot be parsed', 'The scan failed']);
    expect(warnings).toEqual(['The rules are old']);
    expect(skipped).toEqual({ 'they are flagged as likely false positives': 1 });
  });

  it('keeps the fingerprint when the code moves, and changes it with the code', () => {
    const [before] = imported(report);
    const [moved] = imported(report.replaceAll('"start_line": 12', '"start_line": 30'));
    const [other] = imported(report.replace('readFile(name)', 'readFile(path)'));
    expect(moved?.fingerprint).toBe(before?.fingerprint);
    expect(other?.fingerprint).not.toBe(before?.fingerprint);
  });

  it('reads version 2, which does not say its type', () => {
    const { vulnerabilities } = JSON.parse(report);
    const old = { version: '2.3', vulnerabilities: [{ ...vulnerabilities[2], category: 'sast' }] };
    expect(importReport(JSON.stringify(old), context)).toMatchObject({
      format: 'gitlab-sast',
      findings: [{}],
    });
    const empty = '{"version":"2.3","vulnerabilities":[],"remediations":[]}';
    expect(importReport(empty, context)).toMatchObject({ format: 'gitlab-sast', findings: [] });
  });
});

describe('gitlab-secret-detection', () => {
  const report = own('code/gitlab-secret-detection.json');

  it('names the secret without showing it', () => {
    const [aws, url] = imported(report);
    expect(aws).toMatchObject({
      title: 'Secret (AWS) in README.md',
      severity: 'critical',
      cwe: 'CWE-798',
      line: 5,
    });
    expect(aws?.description).toContain('- **Secret:** `AKIA********`');
    // A commit of zeros is none.
    expect(aws?.description).not.toContain('Commit');
    expect(url?.description).toContain('- **Commit:** `d9cd13a`');
  });

  it('keeps the fingerprint when the line changes, but not for another secret', () => {
    const [before] = imported(report);
    const [moved] = imported(report.replaceAll('"start_line": 5', '"start_line": 50'));
    const [other] = imported(report.replace('AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN8EXAMPLE'));
    expect(moved?.fingerprint).toBe(before?.fingerprint);
    expect(other?.fingerprint).not.toBe(before?.fingerprint);
  });
});

describe('gitlab-dast', () => {
  const report = own('code/gitlab-dast.json');

  it('converts alerts, and omits evidence that is personal data', () => {
    const [xss, pii] = imported(report);
    expect(xss).toMatchObject({
      title: 'Cross-site scripting in /search?token=********',
      severity: 'high',
      cwe: 'CWE-79',
      source: 'gitlab-dast',
    });
    expect(xss?.description).toContain('- `GET` `https://shop.example.com/search?token=********`');
    expect(xss?.description).toContain('**Details**\n\n\\<script>alert(1)\\</script>');
    expect(pii).toMatchObject({ title: 'PII Disclosure in /orders', severity: 'medium' });
  });

  it('identifies an alert by rule, host, method, path and parameter', () => {
    const [before] = imported(report);
    const variants = [
      ['"param": "q"', '"param": "r"'],
      ['/search', '/find'],
      ['"method": "GET"', '"method": "POST"'],
      ['"40012"', '"40014"'],
    ].map(([from, to]) => imported(report.replace(from as string, to as string))[0]?.fingerprint);
    expect(new Set([before?.fingerprint, ...variants]).size).toBe(5);
    const [query] = imported(report.replace('token=Winter-2026!', 'token=x'));
    expect(query?.fingerprint).toBe(before?.fingerprint);
  });

  it('is not taken for a report of ZAP, whose sites it contains', () => {
    const document = {
      ...JSON.parse(report),
      '@version': '2.9',
      site: [{ '@name': 'https://shop.example.com' }],
    };
    expect(importReport(JSON.stringify(document), context).format).toBe('gitlab-dast');
  });
});

describe('gitlab-fuzzing', () => {
  it('identifies a crash by its type and state', () => {
    const report = own('code/gitlab-fuzzing.json');
    const [crash] = imported(report);
    expect(crash).toMatchObject({
      title: 'Index out of range: Index-out-of-range',
      severity: 'low',
      cwe: 'CWE-129',
    });
    expect(crash?.description).toContain(
      '```\nexample.Parse\nexample.Fuzz\n\npanic: runtime error\nparse.go:5\n```',
    );
    expect(fingerprints(imported(report.replace('parse.go:5', 'parse.go:9')))).toEqual([crash?.fingerprint]);
    expect(fingerprints(imported(report.replace('example.Parse', 'example.Scan')))).not.toEqual([
      crash?.fingerprint,
    ]);
  });
});
