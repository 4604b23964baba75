import { describe, expect, it } from 'vitest';
import { fingerprints, imported, own } from '../support/importers/importers.ts';

describe('zap', () => {
  const [xss, basic] = imported(own('zap.json'));

  it('converts alerts completely', () => {
    expect(xss).toEqual({
      fingerprint: expect.stringMatching(/^zap:[0-9a-f]{64}$/),
      previous_fingerprints: [expect.stringMatching(/^zap:[0-9a-f]{64}$/)],
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
