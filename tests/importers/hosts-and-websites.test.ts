import { describe, expect, it } from 'vitest';
import { ReportError } from '../../lib/importers/importer.ts';
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

const FORMATS: [format: string, file: string, count: number][] = [
  ['acunetix', 'web/acunetix.xml', 2],
  ['arachni', 'web/arachni.json', 2],
  ['burp', 'web/burp.xml', 2],
  ['burp', 'web/burp-api.json', 1],
  ['burp', 'web/dastardly.xml', 1],
  ['invicti', 'web/invicti.json', 2],
  ['nessus', 'network/nessus.xml', 5],
  ['nessus', 'network/nessus.csv', 2],
  ['nexpose', 'network/nexpose.xml', 3],
  ['nikto', 'web/nikto.json', 3],
  ['nmap', 'network/nmap.xml', 4],
  ['openvas', 'network/openvas.xml', 2],
  ['qualys', 'network/qualys.xml', 2],
  ['qualys', 'network/qualys.csv', 1],
  ['qualys-was', 'web/qualys-was.xml', 2],
  ['sqlmap', 'web/sqlmap.csv', 1],
  ['testssl', 'network/testssl.csv', 2],
  ['wapiti', 'web/wapiti.xml', 3],
  ['webinspect', 'web/webinspect.xml', 2],
  ['webinspect', 'web/webinspect-sessions.xml', 1],
  ['wpscan', 'web/wpscan.json', 4],
];

/** The secrets in these reports. */
const SECRETS = [
  '8a4f2c1d9e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b',
  'correct-horse',
  'YWRtaW46V2ludGVyMjYh',
  'd41d8cd98f00b204e9800998ecf8427e',
];

const result = (file: string) => importReport(own(file), context);

/** The result after texts of a report were replaced. */
function resultAfter(file: string, ...changes: readonly [from: string | RegExp, to: string][]) {
  const other = changes.reduce((report, [from, to]) => report.replaceAll(from, to), own(file));
  expect(other).not.toBe(own(file));
  return importReport(other, context);
}

describe.each(FORMATS)('%s: fixtures/%s', (format, file, count) => {
  it(`has ${count} findings with distinct fingerprints`, () => {
    expectFindings(own(file), format, count);
  });

  it('contains no secrets', () => {
    const sent = JSON.stringify(result(file));
    for (const secret of SECRETS) expect(sent).not.toContain(secret);
  });

  it('handles damaged reports', () => {
    // Some damaged reports must still be importable.
    expect(findingsOfMangled(damaged(own(file)), format)).toBeGreaterThan(0);
  });

  it('rejects reports of other tools', () => {
    for (const [other, name] of FORMATS)
      if (other !== format)
        expect(() => {
          const { findings } = importReport(own(name), context, { format });
          if (findings.length === 0) throw new ReportError('nothing was imported');
        }).toThrow(ReportError);
  });
});

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
  it.each<[file: string, ...changes: [string | RegExp, string][]]>([
    ['network/nessus.xml', [/severity="\d"/g, 'severity="1"'], ['Installed version : 2.3', 'Found 2.2']],
    ['network/qualys.xml', ['<SEVERITY>4', '<SEVERITY>2'], ['TLSv1.0 is supported', 'other']],
    ['network/openvas.xml', ['<severity>9.8', '<severity>5.0'], ['Installed version: 1.0', 'other']],
    ['network/nmap.xml', ['host10.example.net', 'host11.example.net'], ['192.0.2.10', '192.0.2.77']],
    [
      'network/testssl.csv',
      ['offered (deprecated)', 'offered'],
      ['"LOW"', '"HIGH"'],
      ['192.0.2.10', '192.0.2.77'],
    ],
    ['network/nexpose.xml', ['severity="9"', 'severity="3"'], ['kernel 5.0', 'kernel 5.1']],
    ['web/burp.xml', ['>Firm<', '>Certain<'], ['>High<', '>Low<'], ['<serialNumber>1', '<serialNumber>9']],
    ['web/acunetix.xml', ['>high<', '>low<'], ['Scripting (SQL.script)', 'Other']],
    [
      'web/invicti.json',
      ['search?q=1', 'search?q=2'],
      ['"High"', '"Low"'],
      ['"Certainty": 100', '"Certainty": 90'],
    ],
    ['web/nikto.json', ['tldH5dDP', 'aB3dEfGh'], ['contents: HIT', 'contents: MISS']],
    ['web/wapiti.xml', ['next=1', 'next=2'], ['<level>4', '<level>2']],
    [
      'web/webinspect.xml',
      ['search?q=1', 'search?q=7'],
      ['<Severity>4', '<Severity>2'],
      ['>SQL Injection<', '>SQLi<'],
    ],
    ['web/arachni.json', ['search?q=1', 'search?q=2'], ['<xss_1/>', '<xss_2/>']],
    ['web/qualys-was.xml', ['search?q=1', 'search?q=7'], ['<SEVERITY>5', '<SEVERITY>2']],
    ['web/wpscan.json', ['"number": "5.2"', '"number": "5.1"'], ['"7.5"', '"3.1"']],
    ['web/sqlmap.csv', ['item?id=1', 'item?id=9'], [',BT,', ',U,']],
  ])('does not depend on severity, evidence, values of parameters: %s', (file, ...changes) => {
    expect(fingerprints(resultAfter(file, ...changes).findings)).toEqual(fingerprints(result(file).findings));
  });

  it.each<[file: string, from: string | RegExp, to: string]>([
    ['network/nessus.xml', 'port="443"', 'port="444"'],
    ['network/nessus.xml', 'name="shop.example.org"', 'name="mail.example.org"'],
    ['network/nessus.xml', "named 'q'", "named 'page'"],
    ['network/qualys.xml', '<PORT>443', '<PORT>444'],
    ['network/openvas.xml', '443/tcp', '443/udp'],
    ['network/nmap.xml', 'CVE-2026-40001', 'CVE-2026-49999'],
    ['network/testssl.csv', '"DROWN"', '"ROBOT"'],
    ['network/nexpose.xml', 'key="/a"', 'key="/c"'],
    ['web/burp.xml', '[q parameter]', '[page parameter]'],
    ['web/burp.xml', '<![CDATA[/search]]>', '<![CDATA[/find]]>'],
    ['web/dastardly.xml', 'value of the q request', 'value of the page request'],
    ['web/acunetix.xml', '<Parameter>q<', '<Parameter>page<'],
    ['web/invicti.json', '"Value": "q"', '"Value": "page"'],
    ['web/nikto.json', "'x-cache'", "'x-other'"],
    ['web/wapiti.xml', 'CSP is not set', 'HSTS is not set'],
    ['web/webinspect.xml', '>q</AttackParam', '>page</AttackParam'],
    ['web/webinspect.xml', '<VulnerabilityID>10302', '<VulnerabilityID>10303'],
    ['web/arachni.json', '"affected_input_name": "q"', '"affected_input_name": "page"'],
    ['web/qualys-was.xml', '<PARAM>q', '<PARAM>page'],
    ['web/wpscan.json', '8000-000000000002', '8000-000000000003'],
    ['web/sqlmap.csv', ',GET,id,', ',GET,page,'],
  ])('is another one for another problem: %s with %s as %s', (file, from, to) => {
    const [before, after] = [
      fingerprints(result(file).findings),
      fingerprints(resultAfter(file, [from, to]).findings),
    ];
    expect(after.filter((found) => !before.includes(found))).not.toEqual([]);
  });

  it('is the same in both exports of WebInspect', () => {
    const [scan] = fingerprints(result('web/webinspect.xml').findings);
    expect(fingerprints(result('web/webinspect-sessions.xml').findings)).toEqual([scan]);
  });

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

  it('is the same in XML and CSV of Nessus, and in XML and the API of Burp', () => {
    const both = (one: string, other: string) =>
      [result(one), result(other)].map(({ findings }) => findings[0]?.fingerprint);
    for (const [one, other] of [
      both('network/nessus.xml', 'network/nessus.csv'),
      both('web/burp.xml', 'web/burp-api.json'),
    ])
      expect(one).toBe(other);
  });
});

describe('a failure of the tools', () => {
  it.each([
    ['network/nexpose.xml', ['Tests that could not run: 1, such as example-broken at 192.0.2.10:443']],
    ['network/openvas.xml', ['The scan is not complete: Stopped', '192.0.2.11 general/tcp: NVT timed out']],
    ['network/testssl.csv', ['mail.example.org/192.0.2.12: Cannot connect']],
    ['web/acunetix.xml', ['The scan of https://shop.example.org:8443/start was aborted']],
    ['web/burp-api.json', ['The scan is not complete: failed (The host did not respond)']],
    ['web/qualys-was.xml', ['Nightly is not complete: Time limit reached']],
    ['web/wpscan.json', ['Vulnerabilities were not looked up: No WPScan API Token given']],
  ])('is an error: %s', (file, errors) => {
    expect(result(file).errors).toEqual(errors);
  });

  it('is an error if Nmap was interrupted', () => {
    expect(resultAfter('network/nmap.xml', [/<runstats>.*<\/runstats>/g, '']).errors).toEqual([
      'The scan is not complete: the report has no runstats',
    ]);
    expect(result('network/nmap.xml').errors).toEqual([]);
  });

  it('is a warning if it does not concern the results', () => {
    expect(result('network/testssl.csv').warnings).toEqual(['shop.example.org/: No engine support']);
  });

  it('is counted if results are no open problems', () => {
    expect(result('network/nexpose.xml').skipped).toEqual({ 'they are accepted in InsightVM': 1 });
    expect(result('network/qualys.csv').skipped).toEqual({
      'they are fixed': 1,
      'they are ignored or false positives in Qualys': 1,
    });
    expect(result('network/qualys.xml').skipped).toEqual({ 'they are fixed': 1 });
    expect(result('web/burp.xml').skipped).toEqual({ 'they are marked as false positives': 1 });
    expect(result('web/invicti.json').skipped).toEqual({
      'they are marked as false positives': 1,
      'their risk was accepted': 1,
    });
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
