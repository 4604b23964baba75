import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, decisionsKept, imported, own, workspace } from '../support/importers/importers.ts';

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
      rule_id: 'CKV_AWS_41',
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
    expect(importReport(report, context)).toMatchObject({
      format: 'checkov',
      findings: [],
      warnings: ['Checkov found nothing to check'],
    });
  });

  const check = (rest: object) => ({
    check_id: 'CKV_AWS_20',
    check_name: 'No public bucket',
    file_path: '/main.tf',
    file_line_range: [4, 8],
    resource: 'aws_s3_bucket.logs',
    ...rest,
  });
  const reportOf = (failed_checks: object[], check_type = 'terraform', results: object = {}) =>
    JSON.stringify({ check_type, results: { failed_checks, ...results } });

  it('reports files that it could not parse, and counts suppressed checks', () => {
    const report = reportOf([check({})], 'terraform', {
      parsing_errors: [`${context.directory}/infra/bad.tf`],
      skipped_checks: [check({}), check({})],
    });
    expect(importReport(report, context)).toMatchObject({
      findings: [{ file: 'main.tf' }],
      errors: ['infra/bad.tf was not checked: it cannot be parsed (terraform)'],
      skipped: { 'they are suppressed in Checkov': 2 },
    });
  });

  it('reports the number of files if the report does not name them', () => {
    const report = {
      checkov_version: '3.2.0',
      check_type: 'yaml',
      summary: { parsing_errors: 2, skipped: 1 },
    };
    expect(importReport(JSON.stringify(report), context)).toMatchObject({
      errors: ['2 files were not checked: they cannot be parsed (yaml)'],
      skipped: { 'they are suppressed in Checkov': 1 },
    });
    const one = { ...report, summary: { parsing_errors: 1 } };
    expect(importReport(JSON.stringify(one), context)).toMatchObject({
      errors: ['A file was not checked: it cannot be parsed (yaml)'],
      warnings: [],
    });
  });

  it('keeps the paths of a sub-folder apart', () => {
    const fileOf = (rest: object) =>
      importReport(reportOf([check(rest)]), { directory: '/repo/infra', pathPrefix: 'infra' }).findings[0]
        ?.file;
    expect(fileOf({ file_path: '/main.tf' })).toBe('infra/main.tf');
    expect(fileOf({ repo_file_path: '/infra/main.tf' })).toBe('infra/main.tf');
    expect(fileOf({ file_abs_path: '/repo/infra/main.tf', repo_file_path: '/x' })).toBe('infra/main.tf');
  });

  it('keeps the finding of a resource whose source or file name changes', () => {
    const old = imported(reportOf([check({ code_block: [[4, 'bucket = "x"']] })]));
    const edited = check({
      file_line_range: [40, 48],
      code_block: [[40, 'bucket = "y"']],
      file_path: '/s3.tf',
    });
    const { findings } = importReport(reportOf([edited]), workspace({}, { 's3.tf': 'main.tf' }));
    expect(decisionsKept(old, findings)).toEqual([true]);
  });

  it('decision transfer: another resource, or another instruction of a Dockerfile', () => {
    const old = imported(reportOf([check({})]));
    expect(decisionsKept(old, imported(reportOf([check({ resource: 'aws_s3_bucket.web' })])))).toEqual([
      false,
    ]);
    const run = (line: number, source: string) =>
      reportOf(
        [
          check({
            check_id: 'CKV2_DOCKER_1',
            resource: '/Dockerfile.RUN',
            file_line_range: [line, line],
            code_block: [[line, source]],
          }),
        ],
        'dockerfile',
      );
    const instruction = imported(run(3, 'RUN sudo id'));
    expect(decisionsKept(instruction, imported(run(3, 'RUN sudo sh setup.sh')))).toEqual([false]);
    expect(decisionsKept(instruction, imported(run(8, 'RUN  sudo id')))).toEqual([true]);
  });

  it('decision transfer: a step takes the position of one that was removed', () => {
    const step = (position: number, source: string) =>
      reportOf(
        [check({ resource: `jobs(build).steps[${position}]`, code_block: [[9, source]] })],
        'github_actions',
      );
    const old = imported(step(1, '- run: echo ok'));
    expect(decisionsKept(old, imported(step(1, '- run: curl $URL | sh')))).toEqual([false]);
    expect(decisionsKept(old, imported(step(2, '- run: echo ok')))).toEqual([true]);
  });
});
