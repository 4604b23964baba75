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
    expect(findingsOfMangled(damaged(report(file)), format)).toBeGreaterThan(50);
  });

  it('rejects reports of other tools', () => {
    for (const [other, name] of OWN) {
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
