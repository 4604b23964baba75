import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, imported, own } from '../support/importers/importers.ts';

describe('veracode', () => {
  const report = own('code/veracode.xml');
  const [injection, cookie, entity] = imported(report);

  it('converts flaws completely', () => {
    expect(injection).toEqual({
      fingerprint: expect.stringMatching(/^veracode:[0-9a-f]{64}$/),
      title: 'SQL Injection',
      severity: 'critical',
      description: [
        'The call executes input.  \nCheck it.',
        [
          '- **Location:** `com/example/Orders.java:27`',
          '- **Weakness:** `SQL Injection weakness`',
          '- **Call:** `java.sql.Statement.execute`',
          '- **Module:** `shop.war`',
          '- **Class:** `com.example.Orders`',
          '- **Function:** `void find(String)`',
          '- **Status:** `Open`',
          '- **Mitigation:** `none`',
          '- **Flaw:** `18`',
        ].join('\n'),
        '**Fix**',
        'Use parameters:\n- never concatenate \\*input\\*',
      ].join('\n\n'),
      cwe: 'CWE-89',
      file: 'com/example/Orders.java',
      line: 27,
      source: 'veracode',
      rule_id: 'SQL Injection',
    });
    expect(cookie).toMatchObject({ severity: 'low', cwe: 'CWE-614' });
    expect(cookie?.description).toContain('- `https://shop.example.com/?token=********`');
    expect(entity).toMatchObject({
      title: 'CVE-2026-11111 in com.example:parser 1.2.3: The parser follows external entities',
      severity: 'critical',
      cve: 'CVE-2026-11111',
      cwe: 'CWE-611',
      cvss_score: 9.8,
    });
  });

  it('reads the findings of the API, and records that pages are missing', () => {
    const { findings, skipped, errors } = importReport(own('code/veracode-findings.json'), context);
    expect(findings).toMatchObject([
      { title: 'Cross-Site Scripting (XSS)', severity: 'medium', file: 'WEB-INF/contact.jsp', line: 50 },
      { title: 'Code Injection', severity: 'high', cwe: 'CWE-74' },
      { cve: 'CVE-2026-11111', severity: 'high', cvss_score: 7.5 },
    ]);
    expect(findings[0]?.description).toContain('The call echoes input.\n\nEscape it.');
    expect(skipped).toEqual({
      'they are closed': 1,
      'their resolution is approved: potential false positive': 1,
    });
    expect(errors).toEqual(['The report has 5 of 12 findings: raise “size”']);
  });
});

describe('veracode-sca', () => {
  const report = own('code/veracode-sca.json');
  const [execution, denial] = imported(report);

  it('converts issues, and counts those that are no open vulnerabilities', () => {
    expect(execution).toMatchObject({
      title: 'CVE-2026-11111 in com.example:parser 1.2.3: Arbitrary Code Execution',
      severity: 'high',
      cve: 'CVE-2026-11111',
      cwe: 'CWE-665',
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H',
    });
    expect(denial?.title).toBe('Veracode 9 in com.example:parser 1.2.3: Denial of Service');
    expect(importReport(report, context).skipped).toEqual({
      'they are fixed': 1,
      'they are ignored in Veracode': 1,
      'they are about licences': 1,
    });
  });

  it('reads CSV', () => {
    const [row] = imported(own('code/veracode-sca.csv'));
    expect(row).toMatchObject({ severity: 'high' });
    expect(row?.description).toContain('Upgrade `com.example:parser` to `1.2.4`, or later.');
  });
});
