import { describe, expect, it } from 'vitest';
import type { Finding } from '../../lib/importers/finding.ts';
import type { Workspace } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { context, fingerprints, own } from '../support/importers/importers.ts';

/** A workspace with some files. */
const workspace = (files: Record<string, string[]>, more: Partial<Workspace> = {}): Workspace => ({
  ...context,
  linesOf: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
  ...more,
});

const importIn = (report: unknown, where: Workspace, migrate = false): Finding[] =>
  importReport(typeof report === 'string' ? report : JSON.stringify(report), where, { migrate }).findings;

describe.each([
  ['npm-audit', own('npm-audit.json'), 'package-lock.json'],
  ['npm-audit of npm 6', own('dependencies/npm-audit-6.json'), 'package-lock.json'],
  ['pip-audit', own('pip-audit.json'), 'requirements.txt'],
])('%s', (_, report, manifest) => {
  const inFolder = (pathPrefix?: string) => workspace({ [manifest]: [] }, { pathPrefix });

  it('keeps two packages of a repository apart', () => {
    const [api, web, top] = ['packages/api', 'packages/web', undefined].map((folder) =>
      importIn(report, inFolder(folder)),
    );
    const all = [api, web, top].flatMap((findings) => fingerprints(findings ?? []));
    expect(new Set(all).size).toBe(all.length);
    // Neither takes the finding of another one.
    expect(
      [api, web].flatMap((found) => found?.flatMap(({ previous_fingerprints: known = [] }) => known)),
    ).toEqual([]);
    expect(api?.[0]).toMatchObject({ file: `packages/api/${manifest}` });
    expect(top?.[0]).toMatchObject({ file: manifest });
  });

  it('takes the findings of earlier releases on request', () => {
    const before = fingerprints(importIn(report, context));
    const migrated = importIn(report, inFolder('packages/api'), true);
    expect(migrated.map(({ previous_fingerprints: [known] = [] }) => known)).toEqual(before);
  });

  it('keeps the findings of a package that is moved', () => {
    const moved = { ...inFolder('apps/api'), formerPathsOf: () => [`packages/api/${manifest}`] };
    expect(importIn(report, moved).map(({ previous_fingerprints: [known] = [] }) => known)).toEqual(
      fingerprints(importIn(report, inFolder('packages/api'))),
    );
  });

  it('does not depend on the name of the manifest or on access to it', () => {
    const before = fingerprints(importIn(report, inFolder('packages/api')));
    for (const other of ['npm-shrinkwrap.json', 'pyproject.toml', 'none'])
      expect(
        fingerprints(importIn(report, workspace({ [other]: [] }, { pathPrefix: 'packages/api' }))),
      ).toEqual(before);
    expect(fingerprints(importIn(report, { ...context, pathPrefix: 'packages/api' }))).toEqual(before);
  });
});

describe('pip-audit', () => {
  it('names a manifest only if there is one', () => {
    const file = (files: Record<string, string[]>) =>
      importIn(own('pip-audit.json'), workspace(files))[0]?.file;
    expect(file({ 'poetry.lock': [], 'pyproject.toml': [] })).toBe('pyproject.toml');
    expect(file({})).toBeUndefined();
  });
});

const trivyReport = (ArtifactName: string, result: object, ArtifactType = 'filesystem') => ({
  SchemaVersion: 2,
  ArtifactName,
  ArtifactType,
  Results: [result],
});

const library = {
  Target: 'package-lock.json',
  Class: 'lang-pkgs',
  Type: 'npm',
  Vulnerabilities: [
    { VulnerabilityID: 'CVE-2026-10020', PkgName: 'merge', InstalledVersion: '1.0.0', Severity: 'HIGH' },
  ],
};

describe('trivy', () => {
  it('names files by the scanned directory and the prefix', () => {
    const file = (name: string, where: Workspace = context) =>
      importIn(trivyReport(name, library), where)[0]?.file;
    expect(file('.')).toBe('package-lock.json');
    expect(file('services/web')).toBe('services/web/package-lock.json');
    expect(file('/builds/team/app/services/web')).toBe('services/web/package-lock.json');
    expect(file('services/web/package-lock.json')).toBe('services/web/package-lock.json');
    expect(file('services/web', { ...context, pathPrefix: 'shop' })).toBe(
      'shop/services/web/package-lock.json',
    );
    expect(file('https://git.example.com/shop', { ...context, pathPrefix: 'shop' })).toBe(
      'package-lock.json',
    );
  });

  it('keeps a finding if the directory is named in another way, and if it is renamed', () => {
    const [found] = importIn(trivyReport('services/web', library), context);
    expect(importIn(trivyReport('/builds/team/app/services/web/', library), context)[0]?.fingerprint).toBe(
      found?.fingerprint,
    );
    const above = { ...library, Target: 'services/web/package-lock.json' };
    expect(importIn(trivyReport('.', above), context)[0]?.fingerprint).toBe(found?.fingerprint);
    const renamed = { ...context, formerPathsOf: () => ['services/web/package-lock.json'] };
    expect(importIn(trivyReport('apps/web', library), renamed)[0]?.previous_fingerprints).toContain(
      found?.fingerprint,
    );
  });

  it('keeps paths apart that contain the version of a package by chance', () => {
    const at = (folder: string, version: string) => {
      const [one] = library.Vulnerabilities;
      const found = { ...library, Vulnerabilities: [{ ...one, InstalledVersion: version }] };
      return importIn(trivyReport(folder, found), context)[0]?.fingerprint;
    };
    expect(at('app2', '2')).not.toBe(at('app', '2'));
    expect(at('lib-1.0', '1.0')).toBe(at('lib-1.1', '1.1'));
  });

  it('adds no prefix to the files of an image', () => {
    const jar = { ...library, Target: 'Java', Type: 'jar' };
    const report = trivyReport('shop:1', jar, 'container_image');
    expect(importIn(report, { ...context, pathPrefix: 'shop' })).toEqual(importIn(report, context));
  });

  it('keeps the findings of an image setting when the tag changes', () => {
    const check = {
      ID: 'DS002',
      Title: 'Root user',
      Message: 'Specify a user',
      Severity: 'HIGH',
      Status: 'FAIL',
    };
    const found = (tag: string) =>
      importIn(
        trivyReport(
          `shop:${tag}`,
          {
            Target: `shop:${tag} (debian 12.4)`,
            Class: 'config',
            Type: 'dockerfile',
            Misconfigurations: [check],
          },
          'container_image',
        ),
        context,
      );
    expect(found('1')[0]).toMatchObject({ file: undefined });
    expect(fingerprints(found('2'))).toEqual(fingerprints(found('1')));
  });

  const secretAt = (line: number) => ({
    Target: 'app/.env',
    Class: 'secret',
    Secrets: [{ RuleID: 'github-pat', StartLine: line, EndLine: line, Match: 'TOKEN=****************' }],
  });

  it('does not transfer the decision on one secret to another with the same masked text', () => {
    const first = 'TOKEN=ghp_0123456789abcdefABCDEF0123456789abcd';
    const second = 'TOKEN=ghp_zzzz456789abcdefABCDEF0123456789zzzz';
    const found = (lines: string[], line: number) =>
      importIn(trivyReport('.', secretAt(line)), workspace({ 'app/.env': lines }))[0]?.fingerprint;
    const decided = found([first], 1);
    expect(found(['# moved', first], 2)).toBe(decided);
    expect(found([second], 1)).not.toBe(decided);
    // Files in an image cannot be read: another line may be another secret.
    const inImage = (line: number) =>
      importIn(trivyReport('shop:1', secretAt(line), 'container_image'), context)[0]?.fingerprint;
    expect(inImage(2)).not.toBe(inImage(1));
  });

  it('keeps the resources and containers of a cluster apart', () => {
    const cluster = own('dependencies/trivy-cluster.json');
    const before = fingerprints(importIn(cluster, context));
    expect(new Set(before).size).toBe(4);
    expect(before.join()).not.toContain('#');
    expect(fingerprints(importIn(cluster.replaceAll('web:1.4', 'web:1.5'), context))).toEqual(before);
    const other = fingerprints(importIn(cluster.replace('shop-eu', 'shop-us'), context));
    expect(other.filter((fingerprint) => before.includes(fingerprint))).toEqual([]);
  });
});

describe('grype', () => {
  const report = (target: string, path = '/package-lock.json') => {
    const { matches, ...document } = JSON.parse(own('grype.json'));
    matches[0].artifact.locations = [{ path }];
    return { ...document, matches: matches.slice(0, 1), source: { type: 'directory', target } };
  };

  it('names files by the scanned directory and the prefix', () => {
    const file = (target: string, pathPrefix?: string) =>
      importIn(report(target), { ...context, pathPrefix })[0]?.file;
    expect(file('.')).toBe('package-lock.json');
    expect(file('.', 'packages/api')).toBe('packages/api/package-lock.json');
    expect(file('web', 'packages/api')).toBe('packages/api/web/package-lock.json');
    expect(file('/builds/team/app/web')).toBe('web/package-lock.json');
  });

  it('keeps a finding if a directory above is scanned', () => {
    const [found] = importIn(report('services/web'), context);
    expect(importIn(report('.', '/services/web/package-lock.json'), context)[0]?.fingerprint).toBe(
      found?.fingerprint,
    );
    expect(importIn(report('services/api'), context)[0]?.fingerprint).not.toBe(found?.fingerprint);
  });

  it('adds no prefix to the files of an image', () => {
    const image = own('dependencies/grype-0.7.json');
    expect(importIn(image, { ...context, pathPrefix: 'shop' })).toEqual(importIn(image, context));
    expect(importIn(image, context)).toMatchObject([
      { severity: 'info', file: 'var/lib/dpkg/status', cvss_score: 5 },
      { severity: 'critical', file: 'app/shoplib-1.1.dist-info/METADATA', cvss_score: 9.8 },
    ]);
  });
});

describe('snyk', () => {
  const issue = {
    id: 'SNYK-JS-MERGE-1',
    name: 'merge',
    version: '1.0.0',
    severity: 'high',
    from: ['app@1', 'merge@1.0.0'],
  };
  const container = (name: string) => ({
    ok: false,
    docker: {},
    packageManager: 'deb',
    projectName: `docker-image|${name}`,
    path: `${name}:1`,
    vulnerabilities: [],
    applications: [
      {
        ok: false,
        packageManager: 'npm',
        projectName: 'app',
        targetFile: '/srv/package.json',
        vulnerabilities: [issue],
      },
    ],
  });

  it('keeps the applications of two images apart, and adds no prefix to their files', () => {
    const [shop] = importIn(container('shop'), { ...context, pathPrefix: 'deploy' });
    expect(shop).toMatchObject({ file: 'srv/package.json' });
    expect(importIn(container('office'), context)[0]?.fingerprint).not.toBe(shop?.fingerprint);
    expect(importIn(container('shop'), context)[0]?.fingerprint).toBe(shop?.fingerprint);
  });

  it('names manifests with the prefix once', () => {
    const project = {
      ok: false,
      packageManager: 'npm',
      displayTargetFile: 'package-lock.json',
      path: '/builds/team/app/web',
      vulnerabilities: [issue],
    };
    expect(importIn(project, { ...context, pathPrefix: 'shop' })[0]?.file).toBe('shop/web/package-lock.json');
    expect(importIn(project, context)[0]?.file).toBe('web/package-lock.json');
  });
});

describe('osv-scanner', () => {
  it('keeps the finding of a renamed manifest', () => {
    const report = own('osv-scanner.json');
    const [before] = importIn(report, context);
    const renamed = {
      ...context,
      formerPathsOf: (path: string) => (path === 'api/requirements.txt' ? ['web/requirements.txt'] : []),
    };
    const [after] = importIn(report.replaceAll('web/requirements', 'api/requirements'), renamed);
    expect(after?.previous_fingerprints).toContain(before?.fingerprint);
  });
});

describe('nuclei', () => {
  const match = {
    'template-id': 'private-key',
    info: { name: 'Private Key', severity: 'high' },
    type: 'file',
    'matched-at': 'conf/keys.txt',
    'matched-line': [2],
  };

  it('does not transfer the decision on a line of a file to another line', () => {
    const found = (...lines: string[]) =>
      importIn(match, workspace({ 'conf/keys.txt': lines }))[0]?.fingerprint;
    expect(found('# keys', 'key: aaaa')).toBe(found('# all keys', 'key: aaaa'));
    expect(found('# keys', 'key: aaaa')).not.toBe(found('# keys', 'other: bbbb'));
  });
});
