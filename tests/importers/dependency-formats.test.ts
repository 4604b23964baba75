import { describe, expect, it } from 'vitest';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { cvssOf } from '../../lib/importers/support.ts';
import { damaged } from '../support/importers/formats.ts';
import {
  context,
  expectFindings,
  findingsOfMangled,
  fingerprints,
  imported,
  own,
} from '../support/importers/importers.ts';

const OWN: [format: string, file: string, count: number][] = [
  ['cyclonedx', 'cyclonedx.json', 3],
  ['cyclonedx', 'cyclonedx.xml', 2],
  ['dependency-check', 'dependency-check.xml', 2],
  ['dependency-check', 'dependency-check.json', 1],
  ['retire', 'retire.json', 2],
  ['ossindex', 'ossindex.json', 1],
  ['ossindex', 'devaudit.json', 1],
  ['github-dependabot', 'platforms/dependabot-graphql.json', 2],
  ['github-dependabot', 'platforms/dependabot-rest.json', 1],
  ['gitlab-dependency-scanning', 'platforms/gl-dependency-scanning-report.json', 2],
  ['gitlab-container-scanning', 'platforms/gl-container-scanning-report.json', 1],
  ['pnpm-audit', 'package-managers/pnpm-audit.json', 2],
  ['yarn-audit', 'package-managers/yarn-audit-1.jsonl', 2],
  ['yarn-audit', 'package-managers/yarn-audit-4.jsonl', 2],
  ['bundler-audit', 'package-managers/bundler-audit.json', 2],
  ['bundler-audit', 'package-managers/bundler-audit.txt', 3],
  ['composer-audit', 'package-managers/composer-audit.json', 2],
  ['cargo-audit', 'package-managers/cargo-audit.json', 2],
  ['jfrog-xray', 'platforms/xray-report.json', 2],
  ['jfrog-xray', 'platforms/xray-artifact.json', 2],
  ['jfrog-xray', 'platforms/xray-scan.json', 2],
  ['jfrog-xray', 'platforms/xray-components.json', 1],
  ['mend', 'platforms/mend.json', 1],
  ['mend', 'platforms/mend-agent.json', 1],
  ['mend', 'platforms/mend-platform.json', 1],
  ['black-duck', 'platforms/black-duck.csv', 2],
  ['black-duck-binary-analysis', 'platforms/black-duck-binary-analysis.csv', 2],
];

const report = (file: string) => own(`dependencies/${file}`);
const result = (file: string) => importReport(report(file), context);

/** The fingerprints after a text of a report was replaced. */
const fingerprintsAfter = (file: string, from: string | RegExp, to: string) => {
  const other = report(file).replaceAll(from as string, to);
  expect(other).not.toBe(report(file));
  return fingerprints(imported(other));
};

describe.each(OWN)('%s: fixtures/dependencies/%s', (format, file, count) => {
  it(`has ${count} findings with distinct fingerprints`, () => {
    const findings = expectFindings(report(file), format, count);
    for (const { description } of findings)
      expect(description.replace(/`[^`]*`/g, '').replace(/<https?:[^>]*>/g, '')).not.toMatch(/(?<!\\)<\w/);
  });

  it('handles damaged reports', () => {
    // Some damaged reports must still be importable.
    expect(findingsOfMangled(damaged(report(file)), format)).toBeGreaterThan(0);
  });

  it('rejects reports of other tools', () => {
    for (const [other, name] of OWN) {
      // Yarn 2 and 3 write the layout of pnpm.
      if (format === 'yarn-audit' && other === 'pnpm-audit') continue;
      if (other !== format) expect(() => imported(report(name), format)).toThrow(ReportError);
    }
  });
});

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
      { title: 'CVE-2026-20002 in @example/parser 1.2.3', severity: 'info' },
      { severity: 'high', cvss_score: 7.5, cwe: 'CWE-1333', cve: 'CVE-2026-20001' },
    ]);
  });

  it('has no findings if no component is vulnerable', () => {
    const sbom = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [{ type: 'library', name: 'a' }] };
    expect(importReport(JSON.stringify(sbom), context)).toMatchObject({ format: 'cyclonedx', findings: [] });
  });

  it('keeps fingerprints when the tag, the version or a rating changes', () => {
    const all = fingerprints(imported(report('cyclonedx.json')));
    expect(fingerprintsAfter('cyclonedx.json', 'shop:812', 'shop:813')).toEqual(all);
    expect(fingerprintsAfter('cyclonedx.json', '1.2.3', '1.2.3-r1')).toEqual(all);
    expect(fingerprintsAfter('cyclonedx.json', '"high"', '"low"')).toEqual(all);
  });

  it('distinguishes what was scanned', () => {
    const all = fingerprints(imported(report('cyclonedx.json')));
    for (const other of fingerprintsAfter('cyclonedx.json', 'com/shop:', 'com/blog:'))
      expect(all).not.toContain(other);
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

  it.each(['xml', 'json'])('counts suppressed vulnerabilities and reports failed analyzers in %s', (kind) => {
    const { errors, skipped } = result(`dependency-check.${kind}`);
    expect(errors).toEqual(['The analysis was incomplete: OSS Index is not reachable']);
    expect(skipped).toEqual({ 'suppressed in Dependency-Check': 1 });
  });

  it('keeps fingerprints when the version or the directory of the packages changes', () => {
    const all = fingerprints(imported(report('dependency-check.xml')));
    expect(fingerprintsAfter('dependency-check.xml', '1.2.3', '1.2.4')).toEqual(all);
    expect(fingerprintsAfter('dependency-check.xml', '0.9', '0.10')).toEqual(all);
    expect(fingerprintsAfter('dependency-check.xml', '/home/ci/.m2', '/root/.m2')).toEqual(all);
  });

  it('distinguishes copies of a package in the workspace', () => {
    const [copy] = fingerprintsAfter('dependency-check.xml', 'app/lib/', 'app/other/');
    expect(copy).not.toBe(parser?.fingerprint);
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
    });
  });

  it('counts dismissed and fixed alerts, and reports missing pages and errors', () => {
    expect(result('platforms/dependabot-graphql.json')).toMatchObject({
      errors: ['GitHub reported an error: Timeout', 'The export has only the first page of alerts'],
      skipped: { 'dismissed in GitHub': 1, fixed: 1 },
    });
    expect(result('platforms/dependabot-rest.json')).toMatchObject({
      errors: [],
      skipped: { 'dismissed in GitHub': 1 },
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

  it('rates what the scanner does not rate by CVSS, then as info', () => {
    const [rated, unrated] = imported(
      report('platforms/gl-dependency-scanning-report.json').replaceAll('"High"', '"Unknown"'),
    );
    expect([rated?.severity, unrated?.severity]).toEqual(['high', 'info']);
  });

  it('reports the messages of the scanner', () => {
    expect(result('platforms/gl-dependency-scanning-report.json')).toMatchObject({
      errors: ['go.sum cannot be parsed'],
      warnings: ['A newer version exists'],
    });
  });

  it('refuses failed scans without results', () => {
    const failed = JSON.parse(report('platforms/gl-dependency-scanning-report.json'));
    failed.scan.status = 'failure';
    expect(importReport(JSON.stringify(failed), context).errors).toContain('The scan failed');
    failed.vulnerabilities = [];
    expect(() => imported(JSON.stringify(failed))).toThrow('The scan failed at scan.status');
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
    });
    expect(findings[1]).toMatchObject({ title: 'Vulnerable version in parser 1.2.3: Prototype pollution' });
    expect(errors).toEqual(['Could not read lib/broken.js']);
  });

  it('keeps fingerprints when the version changes', () => {
    expect(fingerprintsAfter('retire.json', '1.2.3', '1.2.2')).toEqual(
      fingerprints(imported(report('retire.json'))),
    );
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

  it('keeps fingerprints when the version changes', () => {
    expect(fingerprintsAfter('ossindex.json', '1.2.3', '1.2.2')).toEqual(
      fingerprints(imported(report('ossindex.json'))),
    );
  });
});
