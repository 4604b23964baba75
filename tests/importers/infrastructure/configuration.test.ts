import { describe, expect, it } from 'vitest';
import { importReport } from '../../../lib/importers/index.ts';
import { describeReport, type Expectation } from '../../support/importers/expectations.ts';
import { context, fingerprints, imported, own } from '../../support/importers/importers.ts';

const DIRECTORY = 'infrastructure/configuration/';

const REPORTS: Expectation[] = [
  {
    file: 'kics.json',
    format: 'kics',
    findings: [
      'high S3 Bucket Allows Public Access',
      'high Passwords And Secrets - Generic Password',
      'info Missing User',
    ],
    errors: ['1 files were not scanned'],
    same: [
      ['"line": 36', '"line": 40'],
      ['"HIGH"', '"LOW"'],
      ['acl is public-read', 'acl is public'],
    ],
    other: [
      ['aws_s3_bucket[invoices].acl', 'aws_s3_bucket[logs].acl'],
      ['infra/s3.tf', 'infra/other.tf'],
      ['q-1', 'q-9'],
    ],
  },
  {
    file: 'tfsec.json',
    format: 'tfsec',
    findings: [
      'high aws-s3-block-public-acls: Buckets should block public ACLs.',
      'medium AWS002: Bucket logging.',
    ],
    skipped: { ignored: 1, passed: 1 },
    same: [
      ['"start_line": 1,', '"start_line": 7,'],
      ['"start_line": 9,', '"start_line": 15,'],
      ['"HIGH"', '"LOW"'],
    ],
    other: [
      ['aws_s3_bucket.invoices', 'aws_s3_bucket.other'],
      ['infra/s3.tf', 'infra/other.tf'],
    ],
  },
  {
    file: 'terrascan.json',
    format: 'terrascan',
    findings: ['high AC_GCP_0001: Ensure the cluster is not public.'],
    skipped: { skipped: 1 },
    errors: ['terraform: infra: failed to parse infra/x.tf'],
    warnings: ['helm: .: no helm charts found in directory .'],
    same: [
      ['"line": 52', '"line": 60'],
      ['"HIGH"', '"LOW"'],
    ],
    other: [
      ['"resource_name": "main"', '"resource_name": "other"'],
      ['"module_name": "root"', '"module_name": "child"'],
    ],
  },
  {
    file: 'hadolint.json',
    format: 'hadolint',
    findings: ['medium DL3008: Pin versions in apt get install.', 'low SC2086: Double quote'],
    errors: ["broken/Dockerfile:3 cannot be parsed: unexpected 'X'"],
    same: [
      ['"warning"', '"error"'],
      ['Pin versions', 'Fix the versions'],
    ],
    other: [
      ['DL3008', 'DL3009'],
      // Without the source, the line identifies the finding.
      ['"line": 9', '"line": 10'],
    ],
  },
  {
    file: 'cfn-nag.json',
    format: 'cfn-nag',
    findings: [
      'high F38: IAM role should not allow * resource with PassRole',
      'high F38: IAM role should not allow * resource with PassRole',
      'medium W11: IAM role should not allow * resource',
    ],
    same: [['18', '19']],
    other: [
      ['RoleA', 'RoleC'],
      ['F38', 'F39'],
    ],
  },
  {
    file: 'cfn-lint.json',
    format: 'cfn-lint',
    findings: ['low W2001: Parameter Unused not used.', 'medium E3002: Unknown property'],
    errors: ['broken.yaml:2 was not checked: did not find expected node content'],
    same: [
      ['"LineNumber": 4', '"LineNumber": 9'],
      ['"Warning"', '"Error"'],
    ],
    other: [['"Unused"', '"Other"']],
  },
];

for (const report of REPORTS) describeReport({ ...report, file: DIRECTORY + report.file });

describe('kics', () => {
  it('does not show what it found for a secret', () => {
    const [, secret] = imported(own(`${DIRECTORY}kics.json`));
    expect(secret).toMatchObject({ cwe: 'CWE-798', file: 'infra/db.tf', line: 4 });
    expect(secret?.description).not.toContain('Found');
  });

  it('has the CWE of the query', () => {
    expect(imported(own(`${DIRECTORY}kics.json`))[0]).toMatchObject({ cwe: 'CWE-284' });
  });
});

describe('hadolint', () => {
  it('keeps the finding when the line moves, if the source is there', () => {
    const report = own(`${DIRECTORY}hadolint.json`);
    const lines = [...Array(8).fill('#'), 'RUN apt-get install curl'];
    const before = { ...context, linesOf: () => lines };
    const after = { ...context, linesOf: () => ['# new', ...lines] };
    const [moved] = importReport(report.replace('"line": 9', '"line": 10'), after).findings;
    expect(moved?.fingerprint).toBe(importReport(report, before).findings[0]?.fingerprint);
  });
});

describe('cfn-nag', () => {
  it('keeps the finding of a resource when another one is fixed', () => {
    const report = own(`${DIRECTORY}cfn-nag.json`);
    const files = JSON.parse(report);
    files[0].file_results.violations[0].logical_resource_ids = ['RoleA'];
    const fixed = fingerprints(imported(JSON.stringify(files)));
    expect(fixed).toHaveLength(2);
    expect(fingerprints(imported(report))).toEqual(expect.arrayContaining(fixed));
  });
});
