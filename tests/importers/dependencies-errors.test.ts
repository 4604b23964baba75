import { describe, expect, it } from 'vitest';
import type { Workspace } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { context, own } from '../support/importers/importers.ts';

const importJson = (document: unknown, format?: string, workspace: Workspace = context) =>
  importReport(JSON.stringify(document), workspace, { format });

describe('pip-audit', () => {
  const skipped = (name: string) => ({ name, skip_reason: `${name} was not found on PyPI` });

  it('reports skipped dependencies', () => {
    const checked = { name: 'certifi', version: '2026.1.1', vulns: [] };
    expect(importJson({ dependencies: [checked, skipped('shoplib')], fixes: [] })).toMatchObject({
      format: 'pip-audit',
      findings: [],
      errors: ['shoplib was not checked: shoplib was not found on PyPI'],
    });
  });

  it('says that nothing was checked, and summarizes many', () => {
    const names = Array.from({ length: 12 }, (_, index) => `lib${index}`);
    const { errors } = importJson({ dependencies: names.map(skipped) });
    expect(errors).toHaveLength(11);
    expect(errors[0]).toBe('None of the 12 dependencies was checked');
    expect(errors.at(-1)).toBe('3 more dependencies were not checked');
  });

  it('rates malicious packages as critical', () => {
    const vulns = [{ id: 'PYSEC-2026-9', aliases: ['MAL-2026-9'], fix_versions: [], description: '' }];
    const [found] = importJson({ dependencies: [{ name: 'requestz', version: '1', vulns }] }).findings;
    expect(found).toMatchObject({ severity: 'critical' });
    expect(found?.description).toContain('Remove the package');
  });

  it('skips only the entry that cannot be read', () => {
    const vulns = [{ id: 'PYSEC-2026-9', fix_versions: 'x', aliases: null }];
    const { findings, errors } = importJson(
      { dependencies: [{ vulns: [] }, { name: 'a', vulns }] },
      'pip-audit',
    );
    expect(findings).toHaveLength(1);
    expect(errors).toEqual([expect.stringContaining('at dependencies.0.name')]);
  });
});

describe('npm-audit', () => {
  it.each([
    [
      { error: { code: 'ENOLOCK', summary: 'This command requires an existing lockfile.', detail: '' } },
      'This command requires an existing lockfile.',
    ],
    [
      { message: '405 Method Not Allowed', statusCode: 405, body: '', error: { summary: '', detail: '' } },
      '405 Method Not Allowed',
    ],
    [{ error: { code: 'ENOAUDIT', summary: '', detail: '' } }, 'ENOAUDIT'],
  ])('refuses the error document %j', (document, reason) => {
    expect(() => importJson(document)).toThrow(`npm audit failed: ${reason}`);
  });

  it('shows no credentials of a registry', () => {
    const message = 'request to https://ci:hunter22pass@npm.example.com/ failed';
    expect(() => importJson({ message, error: { summary: '', detail: '' } })).toThrow(/^(?!.*hunter22pass)/);
  });

  it('rates a package without a rating by CVSS, otherwise as medium', () => {
    const cvss = { score: 9.8, vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' };
    const vulnerabilities = { a: { via: [{ title: 'RCE', cvss }] }, b: { via: ['a'] } };
    expect(importJson({ auditReportVersion: 2, vulnerabilities }).findings).toMatchObject([
      { severity: 'critical' },
      { severity: 'medium' },
    ]);
  });
});

describe('grype', () => {
  it('reports a match that cannot be read', () => {
    const report = JSON.parse(own('dependencies/grype-0.7.json'));
    delete report.matches[0].vulnerability.id;
    const { findings, errors } = importJson(report);
    expect(findings).toHaveLength(1);
    expect(errors).toEqual([expect.stringContaining('at matches.0.vulnerability.id')]);
  });

  it('does not recognize the reports of Xeol, which have the same layout', () => {
    const report = { matches: [{ Cycle: {}, artifact: {} }], source: {}, descriptor: { name: 'xeol' } };
    expect(() => importJson(report)).toThrow('not recognized');
  });
});

describe('osv-scanner', () => {
  const report = (vulnerability: object, more: object = {}) => ({
    results: [
      {
        source: { path: '/builds/team/app/package-lock.json', type: 'lockfile' },
        packages: [
          {
            package: { name: 'left-pad', version: '1.3.0', ecosystem: 'npm' },
            vulnerabilities: [vulnerability],
            ...more,
          },
        ],
      },
    ],
  });

  it('rates malicious packages as critical', () => {
    const [found] = importJson(report({ id: 'MAL-2026-1', summary: 'Malicious code in left-pad' })).findings;
    expect(found).toMatchObject({ severity: 'critical', cwe: 'CWE-506' });
    expect(found?.description).toContain('Remove the package');
  });

  it('imports licenses that are not allowed, and counts experimental findings', () => {
    const more = { license_violations: ['AGPL-3.0'], groups: [{ ids: ['OSV-1'] }] };
    const { findings, skipped } = importJson({
      ...report({ id: 'OSV-1' }, more),
      experimental_generic_findings: [{}, {}],
    });
    expect(findings.map(({ title }) => title)).toEqual([
      'OSV-1 in left-pad 1.3.0',
      'License AGPL-3.0 of left-pad 1.3.0 is not allowed',
    ]);
    expect(skipped).toEqual({ 'they are experimental findings of OSV-Scanner': 2 });
  });

  it('reads the other packages if the advisories of one cannot be read', () => {
    const broken = report({ summary: 'without an id' });
    const whole = { results: [...broken.results, ...report({ id: 'OSV-1' }).results] };
    const { findings, errors } = importJson(whole);
    expect(findings).toHaveLength(1);
    expect(errors).toEqual([expect.stringContaining('at results.0.packages.0.vulnerabilities.0.id')]);
  });
});

describe('snyk', () => {
  const project = {
    ok: true,
    vulnerabilities: [],
    packageManager: 'npm',
    displayTargetFile: 'package-lock.json',
  };
  const failed = { ok: false, error: 'Missing node_modules', path: '/builds/team/app/web' };

  it('refuses a report without any tested project', () => {
    const message = 'Snyk could not test /builds/team/app/web: Missing node_modules';
    expect(() => importJson(failed)).toThrow(`${message} at error`);
    expect(() => importJson([failed, failed])).toThrow(`${message} at 0.error`);
    expect(() => importJson({ code: 'SNYK-CLI-0000', error: 'Authentication error' })).toThrow(
      'Snyk could not test: Authentication error',
    );
  });

  it('reports the projects that could not be tested', () => {
    expect(importJson([project, failed])).toMatchObject({
      findings: [],
      errors: ['Snyk could not test /builds/team/app/web: Missing node_modules at 1.error'],
    });
  });

  it('counts ignored and patched issues', () => {
    const filtered = { ignore: [{ id: 'a' }, { id: 'b' }], patch: [{ id: 'c' }] };
    expect(importJson({ ...project, filtered }).skipped).toEqual({
      'ignored in Snyk': 2,
      'patched by Snyk': 1,
    });
  });

  it('rates malicious packages as critical', () => {
    const vulnerabilities = [
      { id: 'SNYK-JS-LEFTPADD-1', title: 'Malicious Package', severity: 'medium', from: ['a@1', 'b@1'] },
    ];
    expect(importJson({ ...project, ok: false, vulnerabilities }).findings).toMatchObject([
      { severity: 'critical' },
    ]);
  });
});

describe('snyk-api', () => {
  const { findings } = importReport(own('dependencies/snyk-api.json'), context);

  it('imports open issues of packages and code', () => {
    expect(findings).toMatchObject([
      {
        title: 'CVE-2026-10018 in imagelib 9.5.0: Overflow',
        severity: 'high',
        cwe: 'CWE-122',
        cve: 'CVE-2026-10018',
        cvss_score: 8.1,
      },
      {
        title: 'Cross-Site Request Forgery (CSRF) in src/form.py',
        severity: 'low',
        file: 'src/form.py',
        line: 65,
      },
      { severity: 'critical' },
    ]);
    expect(findings[0]?.description).toContain('- **Exploit maturity:** `High (CVSSv3)`');
  });

  it('imports several pages', () => {
    const page = own('dependencies/snyk-api.json');
    const other = page.replaceAll('92867a20', '00007a20');
    expect(importReport(`${page}\n${other}`, context).findings).toHaveLength(6);
  });
});

describe('trivy', () => {
  const cluster = importReport(own('dependencies/trivy-cluster.json'), context);

  it('imports clusters: the same problem in two resources is two findings', () => {
    expect(cluster.findings.map(({ title, severity, file }) => ({ title, severity, file }))).toEqual([
      { title: 'KSV001: Process can elevate its own privileges', severity: 'medium', file: undefined },
      { title: 'KSV001: Process can elevate its own privileges', severity: 'medium', file: undefined },
      { title: 'CVE-2026-10015 in libexample 1.0: libexample: overflow', severity: 'high', file: undefined },
      { title: 'CVE-2026-10015 in libexample 1.0: libexample: overflow', severity: 'high', file: undefined },
    ]);
    expect(cluster.findings[3]?.description).toContain(
      'default/Deployment/worker: registry.example.com/web:1.4',
    );
  });

  it('reports resources that were not checked, and counts suppressed results', () => {
    expect(cluster.errors).toEqual([
      'jobs/Pod/backup was not checked: unable to pull registry.example.com/backup:2',
    ]);
    expect(cluster.skipped).toEqual({ 'excepted by a policy': 1, 'suppressed in Trivy': 1 });
  });

  it('imports clusters as Trivy before 0.40 wrote them', () => {
    const { Resources, ...document } = JSON.parse(own('dependencies/trivy-cluster.json'));
    const former = {
      ...document,
      Misconfigurations: Resources.slice(0, 1),
      Vulnerabilities: Resources.slice(1),
    };
    expect(importJson(former).findings).toHaveLength(4);
  });

  it('imports reports of Trivy before 0.20', () => {
    const { findings, errors } = importReport(own('dependencies/trivy-0.9.json'), context);
    expect(findings).toMatchObject([
      { severity: 'high', cve: 'CVE-2026-10017', file: 'web/package-lock.json' },
    ]);
    expect(errors).toEqual([expect.stringContaining('at 1.Vulnerabilities.0.VulnerabilityID')]);
  });

  it('warns of an operating system without updates', () => {
    const Metadata = { OS: { Family: 'alpine', Name: '3.15', EOSL: true } };
    const report = { SchemaVersion: 2, ArtifactName: 'shop:1', ArtifactType: 'container_image', Metadata };
    expect(importJson(report).warnings).toEqual([expect.stringContaining('shop:1 gets no updates')]);
  });
});

describe('nuclei', () => {
  it('reports templates that could not be tried', () => {
    const event = {
      'template-id': 'shop-login',
      info: { name: 'Shop' },
      type: 'http',
      host: 'https://a:pw123456@shop.example.com',
    };
    const { findings, errors } = importJson({
      ...event,
      'matcher-status': false,
      error: 'context deadline exceeded',
    });
    expect(findings).toEqual([]);
    expect(errors).toEqual([
      'shop-login could not be tried at https://a:********@shop.example.com: context deadline exceeded',
    ]);
    expect(importJson({ ...event, 'matcher-status': false }).errors).toEqual([]);
  });
});
