import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

const result = (file: string) => importReport(own(file), context);

/** The result after texts of a report were replaced. */
function resultAfter(file: string, ...changes: readonly [from: string | RegExp, to: string][]) {
  const other = changes.reduce((report, [from, to]) => report.replaceAll(from, to), own(file));
  expect(other).not.toBe(own(file));
  return importReport(other, context);
}

describe('findings', () => {
  it('convert a result of Nessus completely', () => {
    const [found] = result('network/nessus.xml').findings;
    expect(found).toEqual({
      fingerprint: expect.stringMatching(/^nessus:[0-9a-f]{64}$/),
      title: 'Example Server < 2.4 Code Execution (shop.example.org:443/tcp)',
      severity: 'high',
      description: [
        'The server is outdated.',
        'The version of Example Server that runs on the host is affected by a code execution.',
        [
          '- **Plugin:** `900001`',
          '- **Family:** `Web Servers`',
          '- **Host:** `shop.example.org`',
          '- **IP:** `192.0.2.10`',
          '- **Port:** `443/tcp`',
          '- **Service:** `www`',
          '- **CVE:** `CVE-2026-10001, CVE-2026-10002`',
        ].join('\n'),
        '```\nInstalled version : 2.3\nAuthorization: ********\n```',
        '**Fix**\n\nUpgrade to 2.4.',
        [
          '**References**\n',
          '- <https://example.com/a>',
          '- <https://example.com/b>',
          '- <https://www.tenable.com/plugins/nessus/900001>',
        ].join('\n'),
      ].join('\n\n'),
      cwe: 'CWE-94',
      cve: 'CVE-2026-10001',
      cvss_score: 8.1,
      cvss_vector: 'CVSS:3.0/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H',
      source: 'nessus',
      rule_id: '900001',
    });
  });

  it('convert an issue of Burp completely, with its request decoded and masked', () => {
    const [found] = result('web/burp.xml').findings;
    expect(found).toMatchObject({
      title: 'SQL injection (https://shop.example.org/search, q parameter)',
      severity: 'high',
      cwe: 'CWE-89',
    });
    expect(found?.description).toContain('Input is part of a query.');
    expect(found?.description).toContain(
      'GET /search?q=1 HTTP/1.1\nHost: shop.example.org\nCookie: ********',
    );
    expect(found?.description).toContain('**Fix**\n\nUse parameters.');
    expect(found?.description).toContain('- <https://cwe.mitre.org/data/definitions/89.html>');
  });

  it('convert an issue of WebInspect completely, with its request masked', () => {
    expect(result('web/webinspect.xml').findings[0]).toEqual({
      fingerprint: expect.stringMatching(/^webinspect:[0-9a-f]{64}$/),
      title: 'SQL Injection (https://shop.example.org:443/search?q=1, q)',
      severity: 'critical',
      description: [
        'The parameter reaches the database.',
        'Anybody reads all orders.',
        '- **Check:** `5105`\n- **Parameter:** `q`\n- **Kind:** `Vulnerability`',
        '**Where**',
        '- `https://shop.example.org:443/search?q=1`',
        '```\nGET /search?q=1%27 HTTP/1.1\nHost: shop.example.org\nCookie: ********\n```',
        '**Fix**',
        'For Development:  \nBind the parameter.',
        '**References**',
        '- <https://example.com/injection>',
      ].join('\n\n'),
      cwe: 'CWE-89',
      source: 'webinspect',
      rule_id: '5105',
    });
  });

  it.each([
    ['network/qualys.xml', { severity: 'high', cve: 'CVE-2026-20001', cvss_score: 6.5 }],
    ['network/openvas.xml', { severity: 'critical', cve: 'CVE-2026-30001', cvss_score: 9.8 }],
    ['network/testssl.csv', { severity: 'low', title: expect.stringMatching(/^TLS1: offered/) }],
    ['network/nexpose.xml', { severity: 'medium', title: 'Old kernel (192.0.2.10)' }],
    ['web/acunetix.xml', { severity: 'high', cwe: 'CWE-89', cvss_score: 7.5 }],
    ['web/arachni.json', { severity: 'high', cwe: 'CWE-79' }],
    [
      'web/dastardly.xml',
      { severity: 'high', cwe: 'CWE-79', title: expect.stringContaining('q request parameter') },
    ],
    ['web/invicti.json', { severity: 'high', cwe: 'CWE-79', cvss_score: 6.5 }],
    ['web/qualys-was.xml', { severity: 'critical', cwe: 'CWE-79', cvss_score: 4.3 }],
    ['web/sqlmap.csv', { severity: 'high', cwe: 'CWE-89' }],
    ['web/wapiti.xml', { severity: 'critical', cwe: 'CWE-89' }],
    ['web/wpscan.json', { severity: 'high', cve: 'CVE-2026-80001', cvss_score: 7.5 }],
  ] as const)('have severity, CWE, CVE and CVSS: %s', (file, expected) => {
    expect(result(file).findings[0]).toMatchObject(expected);
  });

  it('show the request of Qualys WAS and data in Base64', () => {
    const [found, information] = result('web/qualys-was.xml').findings;
    expect(found?.description).toContain('GET https://shop.example.org/search?q=x\nCookie: ********');
    expect(information?.description).toContain('X-Frame-Options is missing');
  });

  it('rate open ports of Nmap as info, and vulnerabilities by CVSS or by the state', () => {
    const rated = result('network/nmap.xml').findings.map(({ title, severity }) => [title, severity]);
    expect(rated).toEqual([
      ['Open port 22/tcp (ssh) on shop.example.org', 'info'],
      ['CVE-2026-40001 in ExampleSSH 7.4 (shop.example.org:22/tcp)', 'critical'],
      ['Open port 443/tcp (http) on shop.example.org', 'info'],
      ['Example downgrade (shop.example.org:443/tcp)', 'medium'],
    ]);
  });

  it('merge the rows of one problem: all CVEs, all addresses', () => {
    expect(result('network/nessus.csv').findings[0]?.description).toContain('CVE-2026-10001, CVE-2026-10002');
    const description = result('network/testssl.csv').findings[0]?.description;
    expect(description).toContain('- `192.0.2.10`\n- `192.0.2.11`');
  });
});

describe('identity', () => {
  it('of Nikto ignores numbers in messages, unless a report has two that differ in nothing else', () => {
    const message = (version: string) => `Apache/2.4.${version} is outdated`;
    const nikto = (...messages: string[]) => {
      const host = { host: 'shop.example.org', ip: '192.0.2.10', port: '443', banner: 'Apache' };
      const vulnerabilities = messages.map((msg) => ({ id: '600050', method: 'HEAD', url: '/', msg }));
      return fingerprints(imported(JSON.stringify([{ ...host, vulnerabilities }])));
    };
    expect(nikto(message('37'))).toEqual(nikto(message('39')));
    const both = nikto(message('37'), message('39'));
    expect(new Set([...both, ...nikto(message('37'))]).size).toBe(3);
  });
});

describe('a failure of the tools', () => {
  it('is an error if Nmap was interrupted', () => {
    expect(resultAfter('network/nmap.xml', [/<runstats>.*<\/runstats>/g, '']).errors).toEqual([
      'The scan is not complete: the report has no runstats',
    ]);
    expect(result('network/nmap.xml').errors).toEqual([]);
  });

  it('is counted if testssl.sh passed a test, or rates the host as a whole', () => {
    const rows = [
      ['TLS1', 'LOW', 'offered (deprecated)'],
      ['TLS1_3', 'OK', 'offered'],
      ['final_score', 'INFO', '84'],
      ['cipher_strength_score_weighted', 'INFO', '36'],
      ['overall_grade', 'MEDIUM', 'B'],
      ['grade_cap_reason_1', 'INFO', 'Grade capped to B. TLS 1.0 offered'],
    ].map(
      ([id, severity, finding]) =>
        `"${id}","shop.example.org/192.0.2.10","443","${severity}","${finding}","",""`,
    );
    const header = '"id","fqdn/ip","port","severity","finding","cve","cwe"';
    const { findings, skipped } = importReport([header, ...rows].join('\n'), context);
    expect(findings).toMatchObject([{ title: expect.stringContaining('TLS1: offered'), severity: 'low' }]);
    expect(skipped).toEqual({ passed: 1, 'they are about the overall rating of a host': 4 });
  });

  it('refuses the first version of the Nessus format and names the fix', () => {
    expect(() => importReport('<NessusClientData><Report/></NessusClientData>', context)).toThrow(
      'export “.nessus” with Nessus 4 or later',
    );
  });
});
