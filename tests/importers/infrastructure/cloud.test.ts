import { describe, expect, it } from 'vitest';
import { importReport } from '../../../lib/importers/index.ts';
import { describeReport, type Expectation } from '../../support/importers/expectations.ts';
import { context, fingerprints, imported, own } from '../../support/importers/importers.ts';

const DIRECTORY = 'infrastructure/cloud/';

const REPORTS: Expectation[] = [
  {
    file: 'aws-security-hub.json',
    format: 'aws-security-hub',
    findings: [
      'high S3.8 S3 buckets should block public access',
      'high CVE-2026-1001 - libexample',
      'low The credentials ******** were used from an unusual place',
    ],
    skipped: { passed: 1, suppressed: 1, archived: 1, 'not available': 1 },
    same: [
      ['"HIGH"', '"LOW"'],
      ['2026-11-01T10:00:00Z', '2026-12-24T10:00:00Z'],
      ['allows public access', 'has 7 public objects'],
      // A new build of the image, and an upgrade that does not fix the vulnerability.
      ['sha256:aaaaaaaaaaaaaaaa', 'sha256:bbbbbbbbbbbbbbbb'],
      ['1.2.0', '1.2.1'],
    ],
    other: [
      ['shop-invoices', 'shop-logs'],
      ['S3.8"', 'S3.9"'],
      ['111122223333"', '444455556666"'],
      ['"Region": "eu-central-1"', '"Region": "us-east-1"'],
    ],
  },
  {
    file: 'aws-inspector.json',
    format: 'aws-inspector',
    findings: [
      'medium CVE-2026-1001 - libexample',
      'high CWE-89 - SQL injection',
      'critical Port 22 is reachable from the internet',
    ],
    skipped: { closed: 1, suppressed: 1 },
    same: [
      ['"MEDIUM"', '"LOW"'],
      ['sha256:aaaaaaaaaaaaaaaa', 'sha256:bbbbbbbbbbbbbbbb'],
      ['orders:7', 'orders:8'],
      ['1.2.0', '1.2.1'],
    ],
    other: [
      ['"vulnerabilityId": "CVE-2026-1001"', '"vulnerabilityId": "CVE-2026-1009"'],
      ['"name": "libexample"', '"name": "libother"'],
      ['repository/shop', 'repository/blog'],
    ],
  },
  {
    file: 'prowler.ocsf.json',
    format: 'prowler',
    findings: [
      'critical s3_bucket_public_access: Ensure that buckets are not public (arn:aws:s3:::shop-invoices)',
      'high core_run_as_root: Containers do not run as root (web-5d4f8c7b9d-x2k9p)',
    ],
    skipped: { passed: 1, 'need a manual check': 1, muted: 1 },
    same: [
      ['"Critical"', '"Low"'],
      ['3 grants', '4 grants'],
      // Pods get a new name and a new id.
      ['5d4f8c7b9d-x2k9p', '5d4f8c7b9e-abc12'],
      ['0c1d2e3f', '9c1d2e3f'],
    ],
    other: [
      ['arn:aws:s3:::shop-invoices', 'arn:aws:s3:::shop-logs'],
      ['s3_bucket_public_access', 's3_bucket_acl'],
      ['"uid": "111122223333"', '"uid": "444455556666"'],
    ],
  },
  {
    file: 'prowler.csv',
    format: 'prowler',
    findings: [
      'critical s3_bucket_public_access: Ensure that buckets are not public (arn:aws:s3:::shop-invoices)',
    ],
    skipped: { passed: 1, muted: 1 },
    same: [['3 grants', '4 grants']],
    other: [['eu-central-1;A public', 'us-east-1;A public']],
  },
  {
    file: 'prowler-2.jsonl',
    format: 'prowler',
    findings: ['high 1.2: Ensure MFA is enabled (bob)'],
    skipped: { passed: 1 },
    same: [['"High"', '"Low"']],
    other: [['"Resource ID": "bob"', '"Resource ID": "eve"']],
  },
  {
    file: 'wiz-issues.csv',
    format: 'wiz',
    findings: ['critical Public bucket with invoices (shop-invoices)'],
    skipped: { resolved: 1, ignored: 1 },
    same: [
      ['CRITICAL,OPEN', 'LOW,IN_PROGRESS'],
      ['2026-01-25', '2026-01-26'],
      ['issue-1', 'issue-9'],
    ],
    other: [
      ['arn:aws:s3:::shop-invoices', 'arn:aws:s3:::shop-logs'],
      ['wc-id-1', 'wc-id-9'],
    ],
  },
  {
    file: 'wiz-vulnerabilities.csv',
    format: 'wiz',
    findings: ['high CVE-2026-1001 in libexample 1.2.0'],
    skipped: { resolved: 1 },
    same: [
      ['1.2.0', '1.2.1'],
      [',High,', ',Low,'],
    ],
    other: [
      ['i-0abc', 'i-0def'],
      ['/opt/app', '/opt/other'],
    ],
  },
  {
    file: 'cloudsploit.json',
    format: 'cloudsploit',
    findings: ['high openSSH: Open SSH (sg-0abc)', 'medium bucketLogging: Bucket Logging (global)'],
    skipped: { passed: 1 },
    errors: ['kmsRotation in eu-west-1 was not checked: Access denied'],
    same: [
      ['2 networks', '3 networks'],
      ['"FAIL"', '"WARN"'],
    ],
    other: [
      ['sg-0abc', 'sg-0def'],
      ['eu-central-1', 'us-east-1'],
    ],
  },
  {
    file: 'scout-suite.js.txt',
    format: 'scout-suite',
    findings: [
      'medium s3-bucket-no-logging: Bucket without logging (s3.buckets.one.logging)',
      'medium s3-bucket-no-logging: Bucket without logging (s3.buckets.two.logging)',
      'high s3-bucket-world: Bucket is public (s3.buckets.one.acl)',
    ],
    skipped: { passed: 3 },
    same: [['"warning"', '"danger"']],
    other: [
      ['buckets.one.logging', 'buckets.three.logging'],
      ['111122223333', '444455556666'],
    ],
  },
  {
    file: 'azure-recommendations.csv',
    format: 'azure-recommendations',
    findings: ['medium Storage should use a private link (invoices)'],
    skipped: { passed: 1, notapplicable: 1 },
    same: [
      [',Medium,', ',High,'],
      ['2026-01-01', '2026-01-02'],
    ],
    other: [['/subscriptions/sub-1/storage/invoices', '/subscriptions/sub-1/storage/other']],
  },
];

for (const report of REPORTS) describeReport({ ...report, file: DIRECTORY + report.file });

const cloud = (file: string) => own(DIRECTORY + file);

describe('aws-security-hub', () => {
  it('converts a vulnerability completely', () => {
    const [, vulnerability] = imported(cloud('aws-security-hub.json'));
    expect(vulnerability).toMatchObject({
      cve: 'CVE-2026-1001',
      cwe: 'CWE-787',
      // The score of the newest CVSS version.
      cvss_score: 7.5,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
    });
    expect(vulnerability?.description).toContain('Upgrade `libexample` to `1.2.3`, or later.');
    expect(vulnerability?.description).toContain('- <https://example.com/CVE-2026-1001>');
  });

  it('reads a plain list, one finding, and several pages', () => {
    const { Findings } = JSON.parse(cloud('aws-security-hub.json'));
    const expected = imported(cloud('aws-security-hub.json'));
    expect(imported(JSON.stringify(Findings))).toEqual(expected);
    expect(imported(JSON.stringify(Findings[0]))).toEqual(expected.slice(0, 1));
    const pages = [{ Findings: Findings.slice(0, 1) }, { Findings: Findings.slice(1) }];
    expect(imported(pages.map((page) => JSON.stringify(page)).join('\n'))).toEqual(expected);
  });

  it('tells two events of GuardDuty on one resource apart', () => {
    const { Findings } = JSON.parse(cloud('aws-security-hub.json'));
    const [event] = imported(JSON.stringify([Findings[2]]));
    const [later] = imported(JSON.stringify([{ ...Findings[2], Id: 'another event' }]));
    expect(later?.fingerprint).not.toBe(event?.fingerprint);
  });

  it('keeps what can be read if a finding is broken', () => {
    const { Findings } = JSON.parse(cloud('aws-security-hub.json'));
    const { findings, errors } = importReport(
      JSON.stringify([Findings[0], { ...Findings[1], Id: null }]),
      context,
    );
    expect(findings).toHaveLength(1);
    expect(errors).toEqual([expect.stringMatching(/^A result cannot be read: .* at 1\.Id$/)]);
  });
});

describe('aws-inspector', () => {
  it('converts a vulnerability in code with its place', () => {
    const [, code] = imported(cloud('aws-inspector.json'));
    expect(code).toMatchObject({ cwe: 'CWE-89', file: 'src/app.py', line: 12 });
  });

  it('rates what Inspector has not rated by its score', () => {
    expect(imported(cloud('aws-inspector.json'))[2]).toMatchObject({ severity: 'critical' });
  });
});

describe('prowler', () => {
  it('shows the command that fixes it', () => {
    const [finding] = imported(cloud('prowler.csv'));
    expect(finding?.description).toContain('```\naws s3api put-public-access-block --bucket <NAME>\n```');
  });
});

describe('wiz', () => {
  it('escapes the HTML in the Markdown of a control', () => {
    const [issue] = imported(cloud('wiz-issues.csv'));
    expect(issue?.description).toContain('The bucket is &lt;public>.');
    expect(issue?.description).toContain('* Block `public` access');
  });

  it('keeps the finding when its neighbour is resolved', () => {
    const all = fingerprints(imported(cloud('wiz-issues.csv').replace('RESOLVED', 'OPEN')));
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining(fingerprints(imported(cloud('wiz-issues.csv')))));
  });
});
