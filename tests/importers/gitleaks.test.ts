import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import {
  decisionsKept,
  fingerprints,
  imported,
  own,
  RUNS,
  workspace,
} from '../support/importers/importers.ts';

describe('gitleaks', () => {
  const [key] = imported(own('gitleaks.json'));

  it('converts leaks completely', () => {
    expect(key).toEqual({
      fingerprint: expect.stringMatching(/^gitleaks:[0-9a-f]{64}$/),
      previous_fingerprints: [expect.stringMatching(/^gitleaks:[0-9a-f]{64}$/)],
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
      rule_id: 'generic-api-key',
    });
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
      { numRuns: RUNS },
    );
  });

  it('distinguishes secrets that look the same when masked', () => {
    const leaks = JSON.parse(own('gitleaks.json'));
    const [, second] = imported(JSON.stringify(leaks));
    const [alone] = imported(JSON.stringify(leaks.slice(1)));
    expect(alone?.fingerprint).toBe(second?.fingerprint);
  });

  const leak = (rest: object) => ({
    RuleID: 'aws-access-token',
    File: 'a.env',
    StartLine: 2,
    StartColumn: 5,
    Match: 'key = AKIAIOSFODNN7EXAMPLE',
    Secret: 'AKIAIOSFODNN7EXAMPLE',
    Commit: '',
    ...rest,
  });
  const reportOf = (...leaks: object[]) => imported(JSON.stringify(leaks));

  it('imports the reports of versions before 8', () => {
    const [key, token] = imported(own('gitleaks-7.json'));
    expect(key).toMatchObject({
      title: 'Secret (AWS Access Key) in config/app.ini',
      line: 4,
      cwe: 'CWE-798',
    });
    expect(key?.description).toContain('- **Tags:** `key, AWS`');
    expect(token).toMatchObject({ title: 'Secret (Generic token) in config/app.ini', line: 12 });
    const oldest = [
      { reason: 'AWS', file: 'a', offender: 'AKIAIOSFODNN7EXAMPLE', line: 'AKIAIOSFODNN7EXAMPLE' },
    ];
    expect(imported(JSON.stringify(oldest))).toMatchObject([{ title: 'Secret (AWS) in a' }]);
  });

  it('makes one finding of a secret in several commits, and lists them', () => {
    const findings = reportOf(leak({ Commit: 'abc' }), leak({ Commit: 'def', StartLine: 9 }));
    expect(findings).toHaveLength(1);
    expect(findings[0]?.description).toContain('- `a.env:2 in commit abc`\n- `a.env:9 in commit def`');
  });

  it('keeps the finding when the line or the commit changes, or the file is renamed', () => {
    const old = reportOf(leak({ Commit: 'abc' }));
    expect(fingerprints(reportOf(leak({ StartLine: 40, Commit: 'def' })))).toEqual(fingerprints(old));
    const renamed = importReport(
      JSON.stringify([leak({ File: 'b.env' })]),
      workspace({}, { 'b.env': 'a.env' }),
    );
    expect(decisionsKept(old, renamed.findings)).toEqual([true]);
  });

  it('decision transfer: another secret in the same place', () => {
    const old = reportOf(leak({}));
    const other = leak({ Secret: 'AKIAZZZZZZZZ7EXAMPLE', Match: 'key = AKIAZZZZZZZZ7EXAMPLE' });
    expect(decisionsKept(old, reportOf(other))).toEqual([false]);
  });

  it('decision transfer: redacted secrets, which all look the same', () => {
    const redacted = (rest: object) => leak({ Secret: 'REDACTED', Match: 'key = REDACTED', ...rest });
    const old = reportOf(redacted({}));
    expect(decisionsKept(old, reportOf(redacted({ StartLine: 9 })))).toEqual([false]);
    expect(reportOf(redacted({}), redacted({ StartLine: 9 }))).toHaveLength(2);
    const [before, after] = ['key = "AKIAIOSFODNN7EXAMPLE"', 'key = "AKIAZZZZZZZZ7EXAMPLE"'].map(
      (line) => importReport(JSON.stringify([redacted({})]), workspace({ 'a.env': `x\n${line}` })).findings,
    );
    expect(decisionsKept(before ?? [], after ?? [])).toEqual([false]);
  });

  it('decision transfer: the first line of a private key does not identify the key', () => {
    const header = '-----BEGIN RSA PRIVATE KEY-----';
    const key = (StartLine: number) =>
      leak({ RuleID: 'private-key', Secret: header, Match: header, StartLine });
    expect(decisionsKept(reportOf(key(1)), reportOf(key(30)))).toEqual([false]);
  });
});
