import { describe, expect, it } from 'vitest';
import type { Severity } from '../../lib/importers/finding.ts';
import { importReport } from '../../lib/importers/index.ts';
import { context, imported } from '../support/importers/importers.ts';

/** Findings of the generic format, each with other fields. */
const generic = (...findings: object[]) =>
  JSON.stringify({
    findings: findings.map((fields, n) => ({ title: `Finding ${n}`, description: 'x', ...fields })),
  });

const rate = (fields: object) => imported(generic(fields), 'generic-json')[0]?.severity;

describe('the severity of a word', () => {
  it.each<[severity: Severity, words: string[]]>([
    [
      'critical',
      [
        'Critical',
        'P0',
        'P1',
        'Sev 1',
        'SEV-1',
        'S1',
        'Urgent',
        'Blocker',
        'Emergency',
        'Very High',
        '9.8',
        '10',
      ],
    ],
    [
      'high',
      [
        'P2',
        'Severity 2',
        'Important',
        'Serious',
        'Major',
        'Severe',
        'HIGH RISK',
        '3 - High',
        'High (7.5)',
        '7,5',
      ],
    ],
    ['medium', ['P3', 'Moderate', 'Normal', '5', '4.0', 'CVSS 6.1']],
    ['low', ['P4', 'Minor', 'Very Low', '0.1', 'note']],
    ['info', ['P5', 'Informational', 'None', 'Negligible']],
    ['critical', ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H']],
  ])('%s: %j', (severity, words) => {
    const { findings, warnings } = importReport(
      generic(...words.map((word) => ({ severity: word }))),
      context,
    );
    expect(findings.map((finding) => finding.severity)).toEqual(words.map(() => severity));
    expect(warnings).toEqual([]);
  });

  it('is medium for an unknown one, with a warning for each word', () => {
    const words = ['Untriaged', 'Wobbly', 'wobbly ', 'Wobbly', 'not critical', '2', 'constructor'];
    const { findings, warnings, errors } = importReport(
      generic(...words.map((severity) => ({ severity }))),
      context,
    );
    expect(findings.map(({ severity }) => severity)).toEqual(words.map(() => 'medium'));
    expect(errors).toEqual([]);
    expect(warnings.map((text) => text.replace(/: .*/, ''))).toEqual([
      'Unknown severity “Untriaged” of 1 result',
      'Unknown severity “Wobbly” of 2 results',
      'Unknown severity “wobbly” of 1 result',
      'Unknown severity “not critical” of 1 result',
      'Unknown severity “2” of 1 result',
      'Unknown severity “constructor” of 1 result',
    ]);
  });

  it('that rates nothing is the one of the score, and medium without a score', () => {
    expect(rate({ severity: 'Unknown', cvss_score: 9.1 })).toBe('critical');
    expect(rate({ severity: 'Unknown', cvss_score: 2 })).toBe('low');
    expect(rate({ severity: 'Wobbly', cvss_score: 9.1 })).toBe('critical');
    expect(rate({ severity: 'Wobbly', cvss_score: 2 })).toBe('medium');
    expect(rate({})).toBe('medium');
  });

  it('does not depend on the position of the worst result among those that are merged', () => {
    const alert = (severity: string) =>
      `<ReportItem><Name>XSS</Name><Affects>/a</Affects><Severity>${severity}</Severity></ReportItem>`;
    const report = (...words: string[]) =>
      `<ScanGroup><Scan><StartURL>https://a.example/</StartURL><ReportItems>${words.map(alert).join('')}</ReportItems></Scan></ScanGroup>`;
    expect(imported(report('wobbly', 'high'))[0]?.severity).toBe('high');
    expect(imported(report('low', 'wobbly'))[0]?.severity).toBe('medium');
  });
});

describe('CVSS', () => {
  it.each<[fields: object, severity: Severity, score: number]>([
    [{ cvssv4: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' }, 'critical', 9.3],
    [{ cvss: 'AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' }, 'critical', 9.3],
    [{ cvssv2: 'AV:N/AC:L/Au:N/C:C/I:C/A:C' }, 'critical', 10],
    [{ cvss_vector: 'CVSS2#AV:N/AC:M/Au:N/C:P/I:P/A:P' }, 'medium', 6.8],
    [{ cvss: '8.8 (CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H/)' }, 'high', 8.8],
    [{ cvss: 9.1 }, 'critical', 9.1],
    [{ cvssv2_score: 7.1 }, 'high', 7.1],
    [{ cvssv4_score: '9.3' }, 'critical', 9.3],
  ])('rates a finding of which only this is known: %j', (fields, severity, cvss_score) => {
    expect(imported(generic(fields), 'generic-json')).toMatchObject([{ severity, cvss_score }]);
  });

  it('of version 4 and 2 is read in Dependency-Check', () => {
    const vulnerabilities = [
      { name: 'CVE-2026-1', severity: 'UNKNOWN', cvssv4: { baseScore: 9.3 } },
      {
        name: 'CVE-2026-2',
        cvssv2: {
          score: 10,
          ...{ accessVector: 'NETWORK', accessComplexity: 'LOW', authenticationr: 'NONE' },
          ...{
            confidentialityImpact: 'COMPLETE',
            integrityImpact: 'COMPLETE',
            availabilityImpact: 'COMPLETE',
          },
        },
      },
    ];
    const report = JSON.stringify({ scanInfo: {}, dependencies: [{ fileName: 'a.jar', vulnerabilities }] });
    expect(imported(report)).toMatchObject([
      { severity: 'critical', cvss_score: 9.3 },
      { severity: 'critical', cvss_score: 10, cvss_vector: 'AV:N/AC:L/Au:N/C:C/I:C/A:C' },
    ]);
  });
});

describe('other sources of the severity count where the tool says nothing', () => {
  const cyclonedx = (...ratings: object[]) =>
    JSON.stringify({
      ...{ bomFormat: 'CycloneDX', specVersion: '1.6' },
      vulnerabilities: [{ id: 'CVE-2026-1', source: { name: 'OSV' }, ratings }],
    });

  it.each<[report: string, severity: Severity]>([
    [
      cyclonedx(
        { source: { name: 'OSV' }, severity: 'unknown' },
        { source: { name: 'NVD' }, severity: 'critical' },
      ),
      'critical',
    ],
    [
      cyclonedx(
        { source: { name: 'OSV' }, severity: 'low' },
        { source: { name: 'NVD' }, severity: 'critical' },
      ),
      'low',
    ],
    [cyclonedx({ vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }), 'critical'],
  ])('cyclonedx: %#', (report, severity) => {
    expect(imported(report)[0]?.severity).toBe(severity);
  });

  it('grype: the highest of the related ones', () => {
    const record = (id: string, severity: string) => ({ id, severity });
    const match = {
      vulnerability: record('GHSA-1', 'Unknown'),
      relatedVulnerabilities: [record('CVE-2026-1', 'Low'), record('CVE-2026-2', 'Critical')],
      artifact: { name: 'a', version: '1', type: 'npm', locations: [] },
    };
    expect(imported(JSON.stringify({ matches: [match], descriptor: {} }))[0]?.severity).toBe('critical');
  });

  it('trivy: the highest of the vendors', () => {
    const found = {
      VulnerabilityID: 'CVE-2026-1',
      PkgName: 'a',
      Severity: 'UNKNOWN',
      VendorSeverity: { nvd: 4, debian: 1 },
    };
    const report = {
      SchemaVersion: 2,
      ArtifactName: '.',
      Results: [{ Target: 'a', Vulnerabilities: [found] }],
    };
    expect(imported(JSON.stringify(report))[0]?.severity).toBe('critical');
  });
});
