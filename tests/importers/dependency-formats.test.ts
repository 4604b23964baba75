import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { cvssOf } from '../../lib/importers/support.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

const report = (file: string) => own(`dependencies/${file}`);
const result = (file: string) => importReport(report(file), context);

/** The fingerprints after a text of a report was replaced. */
const fingerprintsAfter = (file: string, from: string | RegExp, to: string) => {
  const other = report(file).replaceAll(from as string, to);
  expect(other).not.toBe(report(file));
  return fingerprints(imported(other));
};

describe('cvssOf', () => {
  it('accepts vectors as tools abbreviate them', () => {
    const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
    expect(cvssOf('AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H')).toEqual({ score: 9.8, vector });
    expect(cvssOf(`9.8/${vector}`)).toEqual({ score: 9.8, vector });
    expect(cvssOf('CVSS:2.0/AV:N/AC:L/Au:N/C:P/I:P/A:P')).toEqual({
      score: 7.5,
      vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P',
    });
    expect(cvssOf('9.8')).toBeUndefined();
  });
});

describe('cyclonedx', () => {
  const [nested, exploitable, bare] = result('cyclonedx.json').findings;

  it('converts vulnerabilities completely', () => {
    expect(nested).toEqual({
      fingerprint: expect.stringMatching(/^cyclonedx:[0-9a-f]{64}$/),
      title: 'GHSA-aaaa-bbbb-cccc in @example/parser 1.2.3: The parser takes *very* long for <nested> input',
      severity: 'high',
      description: [
        'The parser takes \\*very\\* long for \\<nested> input.',
        [
          '- **Package:** `@example/parser`',
          '- **Installed version:** `1.2.3`',
          '- **Aliases:** `CVE-2026-20001`',
          '- **Package type:** `npm`',
          '- **Subject:** `registry.example.com/shop`',
          '- **Path:** `srv/app/node_modules/@example/parser/package.json`',
          '- **Source:** `GitHub`',
        ].join('\n'),
        '**Fix**\n\nUpgrade to 1.2.4.',
        '**References**\n\n- <https://advisories.example.com/GHSA-aaaa-bbbb-cccc>\n- <https://github.example.com/parser/issues/7>',
      ].join('\n\n'),
      cwe: 'CWE-1333',
      cve: 'CVE-2026-20001',
      cvss_score: 7.5,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
      file: 'srv/app/node_modules/@example/parser/package.json',
      source: 'cyclonedx',
      rule_id: 'GHSA-aaaa-bbbb-cccc',
    });
  });

  it('prefers the rating of the advisory’s source, then the highest one', () => {
    expect([nested, exploitable, bare].map((finding) => finding?.severity)).toEqual([
      'high',
      'medium',
      'medium',
    ]);
  });

  it('follows references to components of a document, also nested ones', () => {
    expect(exploitable?.title).toBe('CVE-2026-20002 in inner-lib 0.1');
    expect(exploitable?.description).toContain('Reached through the upload form.');
  });

  it('counts what the analysis excludes as skipped', () => {
    expect(result('cyclonedx.json').skipped).toEqual({
      'the version of the component is not affected': 1,
      'the analysis says “not affected”': 1,
      'the analysis says “false positive”': 1,
    });
  });

  it('reads the extension of XML 1.0 to 1.3, in components and beside them', () => {
    expect(imported(report('cyclonedx.xml'))).toMatchObject([
      { title: 'CVE-2026-20002 in @example/parser 1.2.3', severity: 'medium' },
      { severity: 'high', cvss_score: 7.5, cwe: 'CWE-1333', cve: 'CVE-2026-20001' },
    ]);
  });

  it('names the versions that it does not support', () => {
    const next = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '2.0' });
    expect(() => imported(next)).toThrow(
      'CycloneDX 2.0 is not supported: write 1.6 or earlier at specVersion',
    );
  });
});

describe('dependency-check', () => {
  const [parser, old] = result('dependency-check.xml').findings;

  it('converts vulnerabilities completely', () => {
    expect(parser).toEqual({
      fingerprint: expect.stringMatching(/^dependency-check:[0-9a-f]{64}$/),
      title: 'CVE-2026-20001 in com.example/parser 1.2.3: The parser takes <b>very</b> long',
      severity: 'high',
      description: [
        'The parser takes **very** long.',
        [
          '- **Package:** `com.example/parser`',
          '- **Installed version:** `1.2.3`',
          '- **File:** `parser-1.2.3.jar`',
          '- **Source:** `NVD`',
        ].join('\n'),
        '**Where**\n\n- `parser-extra-1.2.3.jar`',
        '**References**\n\n- <https://github.example.com/parser/issues/7>',
      ].join('\n\n'),
      cwe: 'CWE-1333',
      cve: 'CVE-2026-20001',
      cvss_score: 7.5,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
      file: 'lib/parser-1.2.3.jar',
      source: 'dependency-check',
      rule_id: 'CVE-2026-20001',
    });
  });

  it('reads the identifiers and scores of old versions', () => {
    expect(old).toMatchObject({
      title: 'CVE-2016-20002 in com.example:old 0.9',
      severity: 'medium',
      cvss_score: 5,
      cwe: 'CWE-22',
    });
  });

  it('reads JSON, and prefers the newest CVSS', () => {
    const [same] = result('dependency-check.json').findings;
    expect(same).toMatchObject({ fingerprint: parser?.fingerprint, severity: 'high', cvss_score: 8.7 });
  });
});

describe('github-dependabot', () => {
  it('converts alerts of the GraphQL API completely', () => {
    expect(result('platforms/dependabot-graphql.json').findings[0]).toEqual({
      fingerprint: expect.stringMatching(/^github-dependabot:[0-9a-f]{64}$/),
      title: 'GHSA-aaaa-bbbb-cccc in example-parser 1.2.3: Slow parser',
      severity: 'medium',
      description: [
        '### Impact\nIt is &lt;b>slow&lt;/b>.'.replaceAll('&lt;b>', '**').replaceAll('&lt;/b>', '**'),
        [
          '- **Package:** `example-parser`',
          '- **Installed version:** `1.2.3`',
          '- **Aliases:** `CVE-2026-20001`',
          '- **Ecosystem:** `NPM`',
          '- **Vulnerable versions:** `< 1.2.4`',
          '- **Fixed version:** `1.2.4`',
          '- **Scope:** `runtime`',
          '- **Repository:** `example/shop`',
          '- **Manifest:** `web/package-lock.json`',
        ].join('\n'),
        '**Fix**\n\nUpgrade `example-parser` to `1.2.4`, or later.',
        '**References**\n\n- <https://github.example.com/example/shop/pull/3>\n- <https://github.example.com/advisories/GHSA-aaaa-bbbb-cccc>',
      ].join('\n\n'),
      cwe: 'CWE-1333',
      cve: 'CVE-2026-20001',
      cvss_score: 7.5,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
      file: 'web/package-lock.json',
      source: 'github-dependabot',
      rule_id: 'GHSA-aaaa-bbbb-cccc',
    });
  });

  it('distinguishes alerts without a manifest', () => {
    const other = report('platforms/dependabot-graphql.json').replaceAll('vulnerableManifestPath', 'other');
    expect(new Set(fingerprints(imported(other))).size).toBe(2);
  });

  it('reads alerts of the REST API, also several pages', () => {
    const page = report('platforms/dependabot-rest.json');
    expect(imported(page)).toMatchObject([
      {
        title: 'GHSA-aaaa-bbbb-cccc in example-parser: Slow parser',
        severity: 'high',
        cve: 'CVE-2026-20001',
        cvss_score: 8.7,
        file: 'package-lock.json',
      },
    ]);
    expect(imported(page + page.replaceAll('example-parser', 'other-parser'))).toHaveLength(2);
  });
});

describe('gitlab', () => {
  it('converts the results of dependency scanning completely', () => {
    expect(result('platforms/gl-dependency-scanning-report.json').findings[0]).toEqual({
      fingerprint: expect.stringMatching(/^gitlab-dependency-scanning:[0-9a-f]{64}$/),
      title: 'CVE-2026-20001 in example-parser 1.2.3: Slow parser',
      severity: 'high',
      description: [
        'The parser takes **very** long.',
        [
          '- **Package:** `example-parser`',
          '- **Installed version:** `1.2.3`',
          '- **Aliases:** `GHSA-aaaa-bbbb-cccc, 1333`',
          '- **Manifest:** `web/package-lock.json`',
          '- **Dependency:** `transitive`',
        ].join('\n'),
        '**Fix**\n\nUpgrade to 1.2.4.',
        '**References**\n\n- <https://nvd.example.com/CVE-2026-20001>\n- <https://github.example.com/parser/issues/7>',
      ].join('\n\n'),
      cwe: 'CWE-1333',
      cve: 'CVE-2026-20001',
      cvss_score: 7.5,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
      file: 'web/package-lock.json',
      source: 'gitlab-dependency-scanning',
      rule_id: 'CVE-2026-20001',
    });
  });

  it('names images without their tag', () => {
    const [apt] = imported(report('platforms/gl-container-scanning-report.json'));
    expect(apt).toMatchObject({
      title: 'CVE-2026-20003 in apt 1.4.8: Incorrect sanitation',
      severity: 'low',
    });
    expect(fingerprintsAfter('platforms/gl-container-scanning-report.json', ':812', ':813')).toEqual([
      apt?.fingerprint,
    ]);
    expect(fingerprintsAfter('platforms/gl-container-scanning-report.json', '/shop', '/blog')).not.toEqual([
      apt?.fingerprint,
    ]);
  });

  it('rates what the scanner does not rate by CVSS, then as medium', () => {
    const [rated, unrated] = imported(
      report('platforms/gl-dependency-scanning-report.json').replaceAll('"High"', '"Unknown"'),
    );
    expect([rated?.severity, unrated?.severity]).toEqual(['high', 'medium']);
  });
});

describe('retire', () => {
  it('converts vulnerabilities completely', () => {
    const { findings, errors } = result('retire.json');
    expect(findings[0]).toEqual({
      fingerprint: expect.stringMatching(/^retire:[0-9a-f]{64}$/),
      title: 'CVE-2026-20001 in parser 1.2.3: Attributes <without> quotes',
      severity: 'medium',
      description: [
        'Attributes \\<without> quotes',
        [
          '- **Package:** `parser`',
          '- **Installed version:** `1.2.3`',
          '- **Aliases:** `GHSA-aaaa-bbbb-cccc`',
          '- **Vulnerable versions:** `>= 1.0.0 < 1.2.4`',
          '- **Detected by:** `filename`',
        ].join('\n'),
        '**Fix**\n\nUpgrade `parser` to `1.2.4`, or later.',
        '**References**\n\n- <https://github.example.com/parser/issues/7>',
      ].join('\n\n'),
      cwe: 'CWE-79',
      cve: 'CVE-2026-20001',
      file: 'public/parser-1.2.3.min.js',
      source: 'retire',
      rule_id: 'CVE-2026-20001',
    });
    expect(findings[1]).toMatchObject({ title: 'Vulnerable version in parser 1.2.3: Prototype pollution' });
    expect(errors).toEqual(['Could not read lib/broken.js']);
  });
});

describe('ossindex', () => {
  it('converts vulnerabilities completely', () => {
    expect(result('ossindex.json').findings).toEqual([
      {
        fingerprint: expect.stringMatching(/^ossindex:[0-9a-f]{64}$/),
        title: 'CVE-2026-20001 in @example/parser 1.2.3: Slow parser',
        severity: 'high',
        description: [
          'It is **slow**.',
          [
            '- **Package:** `@example/parser`',
            '- **Installed version:** `1.2.3`',
            '- **Aliases:** `CVE-2026-20001`',
            '- **Package type:** `npm`',
          ].join('\n'),
          '**References**\n\n- <https://ossindex.example.com/vulnerability/da5a3b11>',
        ].join('\n\n'),
        cwe: 'CWE-1333',
        cve: 'CVE-2026-20001',
        cvss_score: 7.5,
        cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
        source: 'ossindex',
        rule_id: 'da5a3b11-c75b-48e7-9c28-1123f0a492bf',
      },
    ]);
  });

  it('reads reports of DevAudit', () => {
    expect(result('devaudit.json').findings).toMatchObject([
      {
        title: 'Vulnerability in react-dom 16.4.1: Cross-site Scripting',
        severity: 'critical',
        cwe: 'CWE-79',
      },
    ]);
  });

  it.each(['11.0', '-1', ''])('rates by the vector if the score is “%s”', (score) => {
    const text = report('devaudit.json').replace(
      '"cvssScore": "9.1"',
      `"cvssScore": "${score}", "cvssVector": "CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N"`,
    );
    expect(imported(text)).toMatchObject([{ severity: 'medium', cvss_score: 6.1 }]);
  });
});
