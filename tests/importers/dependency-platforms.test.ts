import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, imported, own } from '../support/importers/importers.ts';
import { limit } from '../support/run/limits.ts';

const report = (file: string) => own(`dependencies/platforms/${file}`);
const result = (file: string) => importReport(report(file), context);

describe('jfrog-xray', () => {
  it('converts the rows of a report completely', () => {
    const { findings, errors } = result('xray-report.json');
    expect(findings[0]).toEqual({
      fingerprint: expect.stringMatching(/^jfrog-xray:[0-9a-f]{64}$/),
      title: 'CVE-2026-20001 in example-parser 0:1.2.3-3.el8: Slow parser',
      severity: 'high',
      description: [
        'The parser takes **very** long.',
        [
          '- **Package:** `example-parser`',
          '- **Installed version:** `0:1.2.3-3.el8`',
          '- **Aliases:** `CVE-2026-20001`',
          '- **Package type:** `rpm`',
          '- **Artifact:** `docker://team/shop:812`',
          '- **Applicability:** `not_scanned`',
        ].join('\n'),
        '**Where**\n\n```\ndocker-local/team/shop/812/\n```',
        '**Fix**\n\nUpgrade `example-parser` to `1.2.4`, or later.',
        '**References**\n\n- <https://github.example.com/parser/issues/7>',
      ].join('\n\n'),
      cwe: 'CWE-1333',
      cve: 'CVE-2026-20001',
      cvss_score: 7.5,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
      source: 'jfrog-xray',
      rule_id: 'XRAY-100001',
    });
    expect(findings[1]).toMatchObject({
      title: 'XRAY-100002 in ip 2.0.0: Several problems',
      severity: 'medium',
      cvss_score: 5,
    });
    expect(errors).toEqual(['The report has only 2 of 3 rows']);
  });

  it('reads the artifact summary, and the components at the ends of the paths', () => {
    expect(result('xray-artifact.json').findings).toMatchObject([
      { title: 'CVE-2026-20001 in openssl 1.1.1k-r0: Slow parser', severity: 'critical', cvss_score: 9.8 },
      { title: 'CVE-2026-20002 in okio-jvm 2.8.0: Crash', severity: 'medium', cvss_score: 5.9 },
    ]);
  });

  it('reads on-demand scans, with a finding for each component', () => {
    const { findings, errors, skipped } = result('xray-scan.json');
    expect(findings).toMatchObject([
      { title: 'CVE-2026-20001 in com.example:parser 1.2.3: Slow parser', cvss_score: 7.5 },
      { title: 'CVE-2026-20001 in com.example:parser-extra 1.2.3: Slow parser' },
    ]);
    expect(findings[0]?.description).toContain('gav://com.example:shop:1.0.0 > lib/parser-1.2.3.jar');
    expect(findings[0]?.description).toContain('**Fix**\n\nSet a limit.\n\n**Details**\n\nDetails.');
    expect(errors).toEqual(['The scan of gav://com.example:api:1.0.0 is not completed: failed']);
    expect(skipped).toEqual({ 'JFrog Xray lists licenses apart': 1 });
  });

  it('reads the components of the older API', () => {
    expect(result('xray-components.json').findings).toMatchObject([
      { title: 'CVE-2026-20001 in libx11 2:1.6.4-3: Out-of-bounds write', severity: 'high', cwe: 'CWE-787' },
    ]);
  });

  it('reads hostile ids in linear time', () => {
    const long = 200_000;
    const started = performance.now();
    for (const id of [`a:${'1'.repeat(long)}/`, `npm://${'a-1.'.repeat(long / 4)}/`]) {
      const rows = [{ vulnerable_component: id, issue_id: 'X', fixed_versions: [`${' '.repeat(long)}x`] }];
      expect(imported(JSON.stringify({ total_rows: 1, rows }))).toHaveLength(1);
    }
    // Quadratic time would be minutes.
    expect(performance.now() - started).toBeLessThan(limit(20_000));
  });
});

describe('mend', () => {
  it('converts vulnerabilities completely', () => {
    expect(result('mend.json').findings).toEqual([
      {
        fingerprint: expect.stringMatching(/^mend:[0-9a-f]{64}$/),
        title: 'CVE-2026-20001 in parser 1.2.3: Loads <any> file',
        severity: 'medium',
        description: [
          'Loads \\<any> file.',
          [
            '- **Package:** `parser`',
            '- **Installed version:** `1.2.3`',
            '- **Library:** `parser`',
            '- **Type:** `MAVEN_ARTIFACT`',
            '- **Product:** `store`',
            '- **Project:** `shop`',
          ].join('\n'),
          '**Fix**\n\nUpgrade to version com.example:parser:1.2.4',
          '**References**\n\n- <https://nvd.example.com/CVE-2026-20001>\n- <https://github.example.com/parser/issues/7>',
        ].join('\n\n'),
        cve: 'CVE-2026-20001',
        cvss_score: 5.3,
        cvss_vector: 'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
        file: 'lib/parser-1.2.3.jar',
        source: 'mend',
        rule_id: 'CVE-2026-20001',
      },
    ]);
  });

  it('reads the report of the unified agent', () => {
    expect(result('mend-agent.json').findings).toMatchObject([
      { title: 'WS-2026-0001 in marked 0.3.19: Slow parser', severity: 'medium', cvss_score: 5.3 },
    ]);
  });

  it('reads findings of the platform, and counts the closed ones', () => {
    const { findings, skipped } = result('mend-platform.json');
    expect(findings).toMatchObject([
      {
        title: 'CVE-2026-20001 in example.com/jwt v3.2.2: Accepts expired tokens',
        severity: 'low',
        cvss_score: 3.1,
        file: 'source/go.mod',
      },
    ]);
    expect(findings[0]?.description).toContain('**Fix**\n\nUpgrade to version: example.com/jwt-v4.5.1');
    expect(skipped).toEqual({ 'library removed in Mend': 1, 'ignored in Mend': 1 });
  });
});

describe('black-duck', () => {
  it('converts rows completely', () => {
    const { findings, skipped } = result('black-duck.csv');
    expect(findings[0]).toEqual({
      fingerprint: expect.stringMatching(/^black-duck:[0-9a-f]{64}$/),
      title: 'BDSA-2026-2725 in Example Parser 1.2.3: The parser takes <b>very</b> long, for some input',
      severity: 'low',
      description: [
        'The parser takes \\<b>very\\</b> long, for some input.',
        [
          '- **Package:** `Example Parser`',
          '- **Installed version:** `1.2.3`',
          '- **Aliases:** `CVE-2026-20001`',
          '- **Origin:** `com.example:parser:1.2.3`',
          '- **Project:** `shop latest`',
          '- **Source:** `BDSA`',
          '- **Status:** `NEW`',
        ].join('\n'),
        '**References**\n\n- <https://bd.example.com/BDSA-2026-2725>',
      ].join('\n\n'),
      cve: 'CVE-2026-20001',
      cvss_score: 5,
      source: 'black-duck',
      rule_id: 'BDSA-2026-2725',
    });
    expect(findings[1]).toMatchObject({
      title: 'VulnDB 171100 in Example Net 3.5: Runs commands',
      severity: 'high',
    });
    expect(skipped).toEqual({ 'ignored in Black Duck': 1 });
  });
});

describe('black-duck: archives', () => {
  const zip = (files: Record<string, string>) =>
    zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, strToU8(content)])));

  it.each(['security.csv', 'shop-1.0/security_2026-08-26_101500.csv'])('reads %s', (name) => {
    const content = zip({ 'components.csv': 'Component id\n', [name]: report('black-duck.csv') });
    expect(importReport(content, context)).toEqual(result('black-duck.csv'));
  });

  it('refuses archives without it, and tables without vulnerabilities', () => {
    expect(() => importReport(zip({ 'components.csv': 'Component id\n' }), context)).toThrow(
      'not recognized',
    );
    expect(() => importReport(zip({ 'security.csv': 'Component id,URL\na1,b1\n' }), context)).toThrow(
      'are missing at security.csv',
    );
  });
});

describe('black-duck-binary-analysis', () => {
  it('converts rows completely', () => {
    expect(result('black-duck-binary-analysis.csv').findings).toEqual([
      {
        fingerprint: expect.stringMatching(/^black-duck-binary-analysis:[0-9a-f]{64}$/),
        title: 'CVE-2026-20001 in zlib 1.2.13: Integer <overflow>',
        severity: 'critical',
        description: [
          'Integer \\<overflow>',
          [
            '- **Package:** `zlib`',
            '- **Installed version:** `1.2.13`',
            '- **Aliases:** `BDSA-2026-1`',
            '- **Object:** `JRE.msi:zlib-1.2.13.cab:java.exe`',
            '- **Latest version:** `1.3`',
            '- **Match:** `Exact match`',
            '- **Missing exploit mitigations:** `no-control-flow-guard`',
          ].join('\n'),
          '**References**\n\n- <https://nvd.example.com/CVE-2026-20001>',
        ].join('\n\n'),
        cve: 'CVE-2026-20001',
        cvss_score: 9.8,
        cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
        file: 'JRE.msi/zlib-1.2.13.cab/java.exe',
        source: 'black-duck-binary-analysis',
        rule_id: 'CVE-2026-20001',
      },
      expect.objectContaining({ severity: 'medium', file: 'JRE.msi/zlib-1.2.13.cab/javaw.exe' }),
    ]);
  });
});
