import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, imported, own } from '../support/importers/importers.ts';

it.each([
  ['code/gitlab-sast.json', 4],
  ['code/gitlab-secret-detection.json', 2],
  ['code/gitlab-dast.json', 2],
  ['code/gitlab-fuzzing.json', 1],
  ['dependencies/platforms/gl-dependency-scanning-report.json', 2],
])('%s records that the scan failed, and its messages', (file, count) => {
  const document = JSON.parse(own(file));
  document.scan.status = 'failure';
  document.scan.messages = [{ level: 'fatal', value: 'The target is down' }];
  const { errors, findings } = importReport(JSON.stringify(document), context);
  expect(errors).toEqual(['The target is down', 'The scan failed']);
  expect(findings).toHaveLength(count);
  document.vulnerabilities = [];
  expect(() => imported(JSON.stringify(document))).toThrow('The scan failed at scan.status');
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
      rule_id: 'EX1',
    });
    // The value of its identifier is not the number.
    expect(password?.cwe).toBe('CWE-798');
    expect(hash?.severity).toBe('medium');
  });

  it('reads version 2, which does not say its type', () => {
    const { vulnerabilities } = JSON.parse(report);
    const old = { version: '2.3', vulnerabilities: [{ ...vulnerabilities[2], category: 'sast' }] };
    expect(importReport(JSON.stringify(old), context)).toMatchObject({
      format: 'gitlab-sast',
      findings: [{}],
    });
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
  it('converts crashes', () => {
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
  });
});
