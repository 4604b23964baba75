import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, decisionsKept, fingerprints, imported, own } from '../support/importers/importers.ts';

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
      rule_id: '40012',
    });
  });

  it('reads XML', () => {
    const [same] = imported(own('zap.xml'));
    expect(same).toMatchObject({ title: xss?.title, severity: 'high' });
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

  const alert = (rest: object) => ({
    pluginid: '10055',
    alertRef: '10055-4',
    name: 'CSP: Wildcard Directive',
    riskcode: '2',
    confidence: '3',
    instances: [{ uri: 'https://shop.example.com/a', method: 'GET' }],
    ...rest,
  });
  const reportOf = (...alerts: object[]) =>
    JSON.stringify({ '@version': '2.15.0', site: [{ '@name': 'https://shop.example.com', alerts }] });

  it('counts alerts that were marked as false positives', () => {
    expect(importReport(reportOf(alert({}), alert({ confidence: '0' })), context)).toMatchObject({
      findings: [{ severity: 'medium' }],
      skipped: { 'they are marked as false positives in ZAP': 1 },
    });
  });

  it('keeps the finding when risk or confidence change', () => {
    const old = imported(reportOf(alert({})));
    const rated = imported(reportOf(alert({ riskcode: '3', confidence: '1' })));
    expect(fingerprints(rated)).toEqual(fingerprints(old));
    expect(rated[0]?.severity).toBe('high');
  });

  it('makes one finding of an alert with several confidences, with the highest risk and all instances', () => {
    const findings = imported(
      reportOf(
        alert({ riskcode: '1' }),
        alert({ confidence: '1', instances: [{ uri: 'https://shop.example.com/b' }] }),
      ),
    );
    expect(findings).toMatchObject([{ severity: 'medium' }]);
    expect(findings[0]?.description).toContain('- **Confidence:** `Low, High`');
    expect(findings[0]?.description).toContain('https://shop.example.com/a');
    expect(findings[0]?.description).toContain('https://shop.example.com/b');
  });

  it('decision transfer: another alert of the same plugin, or another site', () => {
    const plugin = (name: string) => alert({ alertRef: undefined, name });
    const old = imported(reportOf(plugin('CSP: Wildcard Directive')));
    expect(decisionsKept(old, imported(reportOf(plugin('CSP: script-src unsafe-inline'))))).toEqual([false]);
    const variants = imported(reportOf(alert({})));
    expect(decisionsKept(variants, imported(reportOf(alert({ alertRef: '10055-5' }))))).toEqual([false]);
    const other = reportOf(alert({})).replace('https://shop.example.com"', 'https://admin.example.com"');
    expect(decisionsKept(variants, imported(other))).toEqual([false]);
  });

  it('keeps the finding when ZAP words a variant differently', () => {
    const [old, renamed] = ['CSP: Wildcard Directive', 'CSP: wildcards'].map((name) =>
      imported(reportOf(alert({ name }))),
    );
    expect(fingerprints(renamed ?? [])).toEqual(fingerprints(old ?? []));
  });
});
