import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, imported, own } from '../support/importers/importers.ts';

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
