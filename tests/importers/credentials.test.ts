import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { maskObvious } from '../../lib/importers/text/credentials.ts';
import { own } from '../support/importers/importers.ts';
import { limit } from '../support/run/limits.ts';

const KEY = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEA'.repeat(4)}\n-----END RSA PRIVATE KEY-----`;

/** Texts that a tool may quote, and the part that must not leave the machine. */
const CREDENTIALS: [quoted: string, secret: string][] = [
  ['connect to https://bob:Hunter2hunter2@db.example.com/x', 'Hunter2hunter2'],
  ['AKIAQWERTYUIOPASDFGH', 'AKIAQWERTYUIOPASDFGH'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdefghijklmnopqrst'],
  ['db_password = "Sup3rS3cretPw"', 'Sup3rS3cretPw'],
  ["api_key: 'k-0123456789'", 'k-0123456789'],
  ['use Bearer abcdef0123456789abcdef', 'abcdef0123456789abcdef'],
  [KEY, 'MIIEowIBAAKCAQEA'],
];

/** A report in which every text is followed by another one. */
const withText = (report: string, text: string): string =>
  JSON.stringify(
    JSON.parse(report, (name, value) =>
      typeof value === 'string' && PROSE.test(name) ? `${value} ${text}` : value,
    ),
  );

const PROSE =
  /^(?:code|issue_text|message|text|lines|desc|description|solution|otherinfo|overview|title|check_name)$/;

describe('credentials in any text of a report', () => {
  it.each([
    'bandit.json',
    'semgrep.json',
    'checkov.json',
    'npm-audit.json',
    'osv-scanner.json',
    'pip-audit.json',
    'grype.json',
    'trivy.json',
    'snyk.json',
    'zap.json',
    'flows.sarif',
    'gitleaks.json',
  ])('are masked: %s', (file) => {
    for (const [quoted, secret] of CREDENTIALS) {
      const { findings, errors, warnings } = importReport(withText(own(file), quoted), {
        directory: '/work',
      });
      expect(findings.length).toBeGreaterThan(0);
      for (const { title, description } of findings) expect(`${title}\n${description}`).not.toContain(secret);
      expect([...errors, ...warnings].join('\n')).not.toContain(secret);
    }
  });

  it.each([
    'token = getToken(request)',
    'password = os.environ["PASSWORD"]',
    'password: "{{ vault.password }}"',
    'Key = "Name", Value = "production"',
    'Use Basic authentication or bearer authentication.',
    'The file contains -----BEGIN RSA PRIVATE KEY----- and is public. Replace the key.',
    'https://example.com:8443/a@b',
  ])('are told apart from other texts: %s', (text) => {
    expect(maskObvious(text)).toBe(text);
  });

  it('are masked in linear time', () => {
    const start = performance.now();
    for (const part of [
      'password',
      'password="',
      '"',
      "'",
      '://',
      '://a:',
      'eyJ',
      '-----BEGIN PRIVATE KEY-----',
      'a1 ',
      'cookie',
    ])
      maskObvious(part.repeat(300_000 / part.length));
    expect(performance.now() - start).toBeLessThan(limit(10_000));
  });
});
