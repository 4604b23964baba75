import { describe, expect, it } from 'vitest';
import { ReportError } from '../../../lib/importers/importer.ts';
import { importReport } from '../../../lib/importers/index.ts';
import { describeReport, type Expectation } from '../../support/importers/expectations.ts';
import { context, imported, own } from '../../support/importers/importers.ts';

const DIRECTORY = 'infrastructure/images/';

const REPORTS: Expectation[] = [
  {
    file: 'twistlock.json',
    format: 'twistlock',
    findings: [
      'high CVE-2026-1001 in libexample 1.2.0: A buffer overflow',
      'medium PRISMA-2026-0001 in left 0.1: x',
      'high 425: Private keys stored in image (registry.example.com/shop/web:1.4)',
    ],
    same: [
      ['important', 'low'],
      ['shop/web:1.4', 'shop/web:1.5'],
      ['1.2.0', '1.2.1'],
    ],
    other: [
      ['shop/web', 'shop/api'],
      ['"packageName": "libexample', '"packageName": "libother'],
    ],
  },
  {
    file: 'twistlock-coderepo.json',
    format: 'twistlock',
    findings: ['critical CVE-2026-1001 in libexample 1.2.0: A buffer overflow'],
    same: [['1.2.0', '1.2.1']],
    other: [
      ['api/build.gradle', 'web/build.gradle'],
      ['"shop"', '"other"'],
    ],
  },
  {
    file: 'twistlock.csv',
    format: 'twistlock',
    findings: [
      'high CVE-2026-1001 in libexample 1.2.0: A buffer overflow',
      'medium 41 (registry.example.com/shop/web:1.4)',
    ],
    skipped: { 'rows without a vulnerability or a compliance rule': 1 },
    same: [[',1.4,', ',1.5,']],
    other: [['shop/web', 'shop/api']],
  },
  {
    file: 'wiz-cli-dir.json',
    format: 'wiz-cli',
    findings: [
      'medium CVE-2026-1001 in example.com/net 0.1.0',
      'high Secret in api/main.go: Password in URL (postgresql://app:********@db:5432/x)',
    ],
    skipped: { 'dataFindings of Wiz': 1 },
    same: [
      ['"MEDIUM"', '"LOW"'],
      ['0.1.0', '0.1.1'],
    ],
    other: [['/api/go.mod', '/web/go.mod']],
  },
  {
    file: 'wiz-cli-iac.json',
    format: 'wiz-cli',
    findings: ['high Container runs as root', 'critical Privileged pod', 'critical Privileged pod'],
    errors: ['2 queries of Wiz failed'],
    same: [
      ['"lineNumber": 1,', '"lineNumber": 5,'],
      ['"HIGH"', '"LOW"'],
      ['No USER instruction', 'There is none'],
    ],
    other: [['FROM={{alpine}}', 'FROM={{debian}}']],
  },
  {
    file: 'dockle.json',
    format: 'dockle',
    findings: [
      'high CIS-DI-0010: Do not store credential in environment variables/files (registry.example.com/shop/web:1.4)',
      'medium CIS-DI-0001: Create a user for the container (registry.example.com/shop/web:1.4)',
    ],
    skipped: { passed: 12, ignored: 1, skipped: 1 },
    same: [
      ['"FATAL"', '"WARN"'],
      ['shop/web:1.4', 'shop/web:1.5'],
    ],
    other: [
      ['shop/web', 'shop/api'],
      ['CIS-DI-0010', 'CIS-DI-0011'],
    ],
  },
  {
    file: 'docker-bench.json',
    format: 'docker-bench',
    findings: [
      'medium 2.1: Ensure network traffic is restricted between containers',
      'info 2.4: Ensure users are trusted',
    ],
    skipped: { passed: 1, 'need a manual check': 1 },
    same: [
      ['"2.1"', '"2.2"'],
      ['bridge', 'other'],
      ['(Scored)', '(Automated)'],
    ],
    other: [['network traffic', 'nothing']],
  },
  {
    file: 'anchore/anchore.json',
    format: 'anchore',
    findings: ['high CVE-2026-1001 in libexample 1.2.0', 'medium CVE-2026-1002 in libexample 1.2.0'],
    warnings: ['Unknown severity “Unknown” of 1 result: rated as medium, or higher by the CVSS score'],
    same: [
      ['"High"', '"Low"'],
      ['shop/web:1.4', 'shop/web:1.5'],
      ['1.2.0', '1.2.1'],
    ],
    other: [
      ['shop/web', 'shop/api'],
      ['"package_name": "libexample"', '"package_name": "libother"'],
    ],
  },
  {
    file: 'anchore/anchorectl.json',
    format: 'anchore',
    findings: ['info CVE-2026-1001 in libexample 1.2.0: A flaw.'],
    same: [['Negligible', 'High']],
    other: [['"packageName": "libexample"', '"packageName": "libother"']],
  },
  {
    file: 'anchore/anchore-evaluation.json',
    format: 'anchore',
    findings: ['critical GHSA-0000-0000-0001 in tool 9.0.97'],
    same: [
      ['9.0.97', '9.0.96'],
      ['"tag": "1.4"', '"tag": "1.5"'],
    ],
    other: [['/app/lib', '/opt/lib']],
  },
  {
    file: 'anchore/anchore-policies.json',
    format: 'anchore-policies',
    findings: [
      'medium dockerfile effective_user: User root found as effective user (shop/web:1.4)',
      'critical vulnerabilities package: CRITICAL Vulnerability found in libexample (shop/web:1.4)',
    ],
    skipped: { 'allowed by the policy': 1, 'on an allowlist': 1 },
    same: [
      ['"warn"', '"stop"'],
      ['shop/web:1.4', 'shop/web:1.5'],
    ],
    other: [['"t-1"', '"t-9"']],
  },
  {
    file: 'anchore/anchore-enterprise.json',
    format: 'anchore-policies',
    findings: ['high dockerfile instruction: No HEALTHCHECK (shop/web:1.4)'],
    skipped: { 'on an allowlist': 1 },
    same: [['"stop"', '"warn"']],
    other: [['"t-1"', '"t-9"']],
  },
  {
    file: 'aqua/aqua.json',
    format: 'aqua',
    findings: [
      'high CVE-2026-1001 in tool 1.0.0: A flaw.',
      'high sensitive-data: Sensitive data in /app/id_rsa: RSA PRIVATE KEY (registry.example.com/shop/web:1.4)',
      'critical malware: Malware in /tmp/x: Eicar-Test-Signature (registry.example.com/shop/web:1.4)',
    ],
    skipped: { acknowledged: 1 },
    same: [
      ['"high"', '"low"'],
      ['shop/web:1.4', 'shop/web:1.5'],
      ['1.0.0', '1.0.0-r1'],
    ],
    other: [
      ['/app/node_modules/tool', '/opt/node_modules/tool'],
      ['shop/web', 'shop/api'],
    ],
  },
  {
    file: 'aqua/aqua-legacy.json',
    format: 'aqua',
    findings: ['medium CVE-2026-1003 in curl: x'],
    other: [['"file": "curl"', '"file": "wget"']],
  },
  {
    file: 'aqua/aqua-page.json',
    format: 'aqua',
    findings: ['low CVE-2026-1001 in tool 0.4.0'],
    same: [['"aqua_severity": "low"', '"aqua_severity": "high"']],
    other: [['/app/tool', '/opt/tool']],
  },
  {
    file: 'clair.json',
    format: 'clair',
    findings: ['medium CVE-2026-1001 in systemd 237-3: A flaw.'],
    skipped: { approved: 1 },
    same: [
      ['"Medium"', '"Low"'],
      ['shop/web:1.4', 'shop/web:1.5'],
    ],
    other: [['"systemd"', '"udev"']],
  },
  {
    file: 'clair-klar.json',
    format: 'clair',
    findings: ['critical RHSA-2026:0109 in perl-libs 5.16: x', 'low CVE-2026-1001 in x'],
    same: [['Defcon1', 'High']],
    other: [['perl-libs', 'perl']],
  },
  {
    file: 'harbor.json',
    format: 'harbor',
    findings: ['high CVE-2026-1001 in e2fsprogs 1.46.2: Out of bounds'],
    same: [
      ['"High"', '"Low"'],
      ['2026-01-01', '2026-02-01'],
    ],
    other: [['"e2fsprogs"', '"other"']],
  },
  { file: 'harbor-api.json', format: 'harbor', findings: [] },
  {
    file: 'neuvector.json',
    format: 'neuvector',
    findings: [
      'high CVE-2026-1001 in openssh 7.2: x',
      'high secret: Secret in /app/key.pem: Private.Key',
      'medium D.5.4: No privileged containers (nv.web)',
    ],
    skipped: { accepted: 1, passed: 1, 'need a manual check': 1 },
    same: [
      ['"High"', '"Low"'],
      ['"7.2"', '"7.1"'],
    ],
    other: [['"openssh"', '"other"']],
  },
  {
    file: 'neuvector-compliance.json',
    format: 'neuvector',
    findings: ['high K.1.1: No anonymous requests'],
    skipped: { informational: 1 },
    same: [['"HIGH"', '"WARN"']],
    other: [['"K.1.1"', '"K.9.9"']],
  },
  {
    file: 'gcloud-artifacts.json',
    format: 'gcloud-artifacts',
    findings: ['critical CVE-2026-1001 in go 1.17.6', 'info CVE-2026-1002 in tar 1'],
    same: [
      ['sha256:cccccccccccccccc', 'sha256:dddddddddddddddd'],
      ['1.17.6', '1.17.7'],
      ['2026-01-01', '2026-02-01'],
    ],
    other: [
      ['/app/tool', '/opt/tool'],
      ['shop/web/api', 'shop/web/other'],
    ],
  },
  {
    file: 'sysdig/sysdig.csv',
    format: 'sysdig',
    findings: ['critical CVE-2026-1001 in libexample 1.2.0'],
    skipped: { accepted: 1 },
    errors: ['A row has no vulnerability: High, shifted, 1.0'],
    same: [
      [',Critical,', ',Low,'],
      ['shop/web:1.4', 'shop/web:1.5'],
      ['1.2.0', '1.2.1'],
    ],
    other: [
      ['/app/libexample.jar', '/opt/libexample.jar'],
      ['shop/web', 'shop/api'],
    ],
  },
  {
    file: 'sysdig/sysdig-panels.json',
    format: 'sysdig',
    findings: ['info CVE-2026-1001 in tar 1.34'],
    same: [['Negligible', 'High']],
    other: [
      ['"kubernetes_namespace_name": "shop"', '"kubernetes_namespace_name": "blog"'],
      ['"kubernetes_cluster_name": "prod"', '"kubernetes_cluster_name": "dev"'],
    ],
  },
  {
    file: 'sysdig/sysdig-cli.json',
    format: 'sysdig',
    findings: ['high CVE-2026-1001 in tool 1.7.1'],
    skipped: { accepted: 1 },
    same: [
      ['1.7.1', '1.7.2'],
      ['shop/web:1.4', 'shop/web:1.5'],
    ],
    other: [['/usr/lib/tool', '/opt/tool']],
  },
];

for (const report of REPORTS) describeReport({ ...report, file: DIRECTORY + report.file });

const image = (file: string) => own(DIRECTORY + file);

describe('vulnerable packages', () => {
  it('have CVE, CWE, CVSS and the fix', () => {
    const [found] = imported(image('aqua/aqua.json'));
    expect(found).toMatchObject({
      cve: 'CVE-2026-1001',
      cwe: 'CWE-79',
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      // Not a file of the workspace.
      file: undefined,
    });
    expect(found?.description).toContain('**Fix**\n\nUpgrade tool to 1.0.1.');
  });

  it('are rated by their CVSS score if the tool does not rate them', () => {
    expect(imported(image('twistlock.json'))[1]).toMatchObject({ severity: 'medium', cvss_score: 6.5 });
  });

  it('have the CVE id from an alias', () => {
    expect(imported(image('anchore/anchore-evaluation.json'))[0]).toMatchObject({ cve: 'CVE-2026-1001' });
  });
});

describe('wiz-cli', () => {
  it('reports a scan that failed', () => {
    const failed = image('wiz-cli-dir.json').replace('"SUCCESS"', '"FAILED"');
    expect(importReport(failed, context).errors).toEqual(['The scan of Wiz ended as failed']);
  });
});

describe('anchore-policies', () => {
  it('refuses an evaluation that cannot be read', () => {
    const report = image('anchore/anchore-enterprise.json').replace('"result": {', '"other": {');
    expect(() => imported(report)).toThrow(ReportError);
  });
});

describe('gcloud-artifacts', () => {
  it.each([
    ['MINIMAL', 'info'],
    ['LOW', 'low'],
    ['SEVERITY_UNSPECIFIED', 'critical'],
  ])('rates by the effective severity, otherwise by CVSS: %s is %s', (rating, severity) => {
    const text = own(`${DIRECTORY}gcloud-artifacts.json`)
      .replace('"effectiveSeverity": "CRITICAL"', `"effectiveSeverity": "${rating}"`)
      .replace('"CRITICAL": [', '"SEVERITY_UNSPECIFIED": [');
    expect(imported(text)[0]).toMatchObject({ severity, cvss_score: 9.8 });
  });
});
