import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

describe('checkov', () => {
  const [provider, secret, django] = imported(own('checkov.json'));

  it('imports one report or several', () => {
    const [only] = JSON.parse(own('checkov.json'));
    expect(importReport(JSON.stringify(only), context)).toMatchObject({
      format: 'checkov',
      findings: [provider],
    });
  });

  it('converts failed checks completely', () => {
    expect(provider).toEqual({
      fingerprint: expect.stringMatching(/^checkov:[0-9a-f]{64}$/),
      title: 'CKV_AWS_41: Ensure no hard coded AWS access key and secret key exists in provider',
      severity: 'medium',
      description: [
        'Ensure no hard coded AWS access key and secret key exists in provider',
        [
          '- **Check:** `CKV_AWS_41 Ensure no hard coded AWS access key and secret key exists in provider`',
          '- **Resource:** `aws.default`',
          '- **Location:** `infra/main.tf:1`',
        ].join('\n'),
        '```\nprovider "aws" {\n  region     = "********"\n  access_key = "AKIA********"\n}\n```',
        '**References**\n\n- <https://docs.example.com/CKV_AWS_41>',
      ].join('\n\n'),
      file: 'infra/main.tf',
      line: 1,
      source: 'checkov',
    });
  });

  it('masks secrets and omits their hashes', () => {
    expect(secret).toMatchObject({ severity: 'high', cwe: 'CWE-798', file: 'deploy.yml', line: 7 });
    expect(secret?.description).toContain('token: bm90********');
  });

  it('imports vulnerable packages', () => {
    expect(django).toMatchObject({
      title: 'CVE-2019-19844 in django 1.2',
      severity: 'critical',
      cve: 'CVE-2019-19844',
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: 'requirements.txt',
    });
    expect(django?.line).toBeUndefined();
    expect(django?.description).toContain('**Fix**\n\nUpdate to 1.11.27.');
  });

  it('has no findings if nothing was checked', () => {
    const report =
      '{"passed":0,"failed":0,"skipped":0,"parsing_errors":0,"resource_count":0,"checkov_version":"3.2.0"}';
    expect(importReport(report, context)).toMatchObject({ format: 'checkov', findings: [] });
  });

  it('keeps fingerprints when another finding in the resource is fixed', () => {
    const fixed = own('checkov.json').replace('us-west-2', 'eu-central-1');
    expect(fingerprints(imported(fixed))).toEqual(fingerprints(imported(own('checkov.json'))));
  });
});
