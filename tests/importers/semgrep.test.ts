import { describe, expect, it } from 'vitest';
import { imported, own } from '../support/importers/importers.ts';

describe('semgrep', () => {
  const [xss, stripe, logging, , dependency] = imported(own('semgrep.json'));

  it('converts results completely', () => {
    expect(xss).toEqual({
      fingerprint: expect.stringMatching(/^semgrep:[0-9a-f]{64}$/),
      previous_fingerprints: [expect.stringMatching(/^semgrep:[0-9a-f]{64}$/)],
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
