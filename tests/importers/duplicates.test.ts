import { describe, expect, it } from 'vitest';
import { importReport, REPEATED } from '../../lib/importers/index.ts';
import { context } from '../support/importers/importers.ts';

/* Results are duplicates only if the report says the same about them. duplicates.long.test.ts tries every value of every report. */

describe('results that show the same and differ in a value that is not read', () => {
  /** A result at a line, with fields that the importer does not know. */
  const finding = (more: Record<string, unknown>) => ({
    ...{ rule_id: 'R1', description: 'Open to all.', severity: 'HIGH', resource_type: 'net', line: 3 },
    ...{ resource_name: 'a', file: 'main.tf' },
    ...more,
  });
  const read = (...violations: object[]) =>
    importReport(JSON.stringify({ results: { violations, scan_summary: {} } }), context);

  it('keep their fingerprints in another order, and beside others', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((zone) => finding({ zone, plan: { line: 7 } })) as [
      object,
      object,
      object,
    ];
    const of = (...results: object[]) => read(...results).findings.map(({ fingerprint }) => fingerprint);
    expect(new Set(of(a, b)).size).toBe(2);
    expect(of(b, a)).toEqual(of(a, b).reverse());
    expect(of(a, b, c).slice(0, 2)).toEqual(of(a, b));
    // A decision about one does not apply to the one that is left.
    const alone = read(b).findings.flatMap((one) => [one.fingerprint, ...(one.previous_fingerprints ?? [])]);
    expect(of(a, b).filter((fingerprint) => alone.includes(fingerprint))).toEqual([]);
  });

  it('name the fields that differ', () => {
    const { findings, skipped } = read(finding({ zone: 'a' }), finding({ zone: 'b' }));
    expect(findings.map(({ description }) => description)).toEqual([
      expect.stringMatching(/differs from this one only in `zone`\.$/),
      expect.stringMatching(/differs from this one only in `zone`\.$/),
    ]);
    expect(skipped).toEqual({});
  });

  it('do not depend on numbers such as lines', () => {
    const of = (...columns: number[]) =>
      read(...columns.map((end_column) => finding({ end_column }))).findings.map(
        ({ fingerprint }) => fingerprint,
      );
    expect(of(12, 31)).toEqual(of(9, 20));
    // Nothing tells which of three is gone.
    const three = of(9, 20, 31);
    expect(of(20, 31).filter((fingerprint) => three.includes(fingerprint))).toEqual([]);
  });

  it.each([
    ['scan_id', 'x1', 'x2'],
    ['createdAt', '2026-01-02T03:04:05Z', '2026-01-02T03:04:06Z'],
    ['lastSeen', '2026-01-02', '2026-01-03'],
    ['duration', 1.5, 2.5],
    ['uuid', '01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8058'],
  ])('are one result if only the run differs: %s', (name, first, second) => {
    const { findings, skipped } = read(finding({ [name]: first }), finding({ [name]: second }));
    expect(findings).toHaveLength(1);
    expect(skipped).toEqual({ [REPEATED]: 1 });
  });
});

describe('a place that the tool names in a field of its own', () => {
  it('is the package of a finding of Trivy in ASFF', () => {
    const found = (PkgName: string) => ({
      ...{
        SchemaVersion: '2018-10-08',
        Id: 'shop:1/CVE-2026-10001',
        AwsAccountId: '123456789012',
        Types: ['CVE'],
      },
      ...{
        ProductArn: 'arn:aws:securityhub:::product/aqua/aqua',
        Title: 'Trivy found CVE-2026-10001',
        Severity: { Label: 'HIGH' },
      },
      Resources: [
        {
          Type: 'Container',
          Id: 'shop:1',
          Details: { Other: { 'CVE ID': 'CVE-2026-10001', PkgName, 'Installed Package': '1.1' } },
        },
      ],
    });
    const { findings, skipped } = importReport(
      JSON.stringify({ Findings: [found('libssl'), found('libcrypto')] }),
      context,
    );
    expect(skipped).toEqual({});
    expect(findings).toMatchObject([
      { cve: 'CVE-2026-10001', description: expect.stringContaining('**Package:** `libssl 1.1`') },
      { cve: 'CVE-2026-10001', description: expect.stringContaining('**Package:** `libcrypto 1.1`') },
    ]);
    const [alone] = importReport(JSON.stringify({ Findings: [found('libcrypto')] }), context).findings;
    expect(alone?.fingerprint).toBe(findings[1]?.fingerprint);
    expect(alone?.previous_fingerprints).toHaveLength(1);
  });

  it('is the project of an issue of SonarQube, if the report has several', () => {
    const issue = (project: string) => ({
      ...{
        key: project,
        rule: 'java:S1',
        severity: 'MAJOR',
        message: 'Fix it.',
        line: 3,
        hash: 'a1',
        project,
      },
      component: `${project}:src/Main.java`,
    });
    const { findings } = importReport(
      JSON.stringify({ paging: {}, issues: [issue('shop'), issue('blog')] }),
      context,
    );
    expect(findings.map(({ description }) => /\*\*Project:\*\* `(\w+)`/.exec(description)?.[1])).toEqual([
      'shop',
      'blog',
    ]);
  });

  it('is the workload of an image in a cluster that GitLab scans', () => {
    const found = (name: string) => ({
      ...{
        id: '1',
        category: 'cluster_image_scanning',
        severity: 'High',
        identifiers: [{ type: 'cve', name: 'CVE-2026-10001', value: 'CVE-2026-10001' }],
      },
      location: {
        ...{
          image: 'shop:1',
          operating_system: 'alpine',
          dependency: { package: { name: 'ssl' }, version: '1' },
        },
        kubernetes_resource: { namespace: 'default', kind: 'Pod', name, container_name: 'app' },
      },
    });
    const report = {
      version: '15.0.0',
      scan: { type: 'cluster_image_scanning' },
      vulnerabilities: [found('web'), found('job')],
    };
    const { findings } = importReport(JSON.stringify(report), context);
    expect(findings.map(({ description }) => description.includes('name web'))).toEqual([true, false]);
  });

  it('is each file in which Nosey Parker found the same content', () => {
    const found = {
      rule_name: 'Key',
      matches: [
        {
          groups: ['c2VjcmV0'],
          provenance: [
            { kind: 'file', path: 'a.env' },
            { kind: 'file', path: 'b.env' },
          ],
        },
      ],
    };
    const { findings } = importReport(JSON.stringify(found), context, { format: 'noseyparker' });
    expect(findings.map(({ file }) => file)).toEqual(['a.env', 'b.env']);
  });

  it('is listed when a secret is in several channels, with the highest severity', () => {
    const found = (channel_id: string, Verified: boolean) => ({
      ...{ DetectorName: 'Slack', Verified, Raw: 'xoxb-example' },
      SourceMetadata: { Data: { Slack: { channel_id } } },
    });
    const lines = [found('C1', false), found('C2', true)].map((one) => JSON.stringify(one)).join('\n');
    const { findings } = importReport(lines, context);
    expect(findings).toMatchObject([
      { severity: 'critical', description: expect.stringMatching(/channel_id C1[\s\S]*channel_id C2/) },
    ]);
  });

  it('is listed when hosts of one name have several addresses', () => {
    const csv = (...ips: string[]) =>
      ['Plugin,Plugin Name,Severity,IP Address,DNS Name,Port,Protocol,Repository']
        .concat(ips.map((ip) => `1,Old TLS,High,${ip},shop.example,443,TCP,net ${ip}`))
        .join('\n');
    const { findings } = importReport(csv('192.0.2.1', '192.0.2.2'), context);
    expect(findings).toMatchObject([
      {
        description: expect.stringMatching(
          /`192\.0\.2\.1, 192\.0\.2\.2`[\s\S]*`net 192\.0\.2\.1, net 192\.0\.2\.2`/,
        ),
      },
    ]);
  });
});
