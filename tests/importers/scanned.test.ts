import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, own } from '../support/importers/importers.ts';

const scannedOf = (report: unknown, format?: string) => {
  const text = typeof report === 'string' ? report : JSON.stringify(report);
  const { sources, category } = importReport(text, context, { format });
  return { sources, category };
};

describe('the sources of a report', () => {
  const run = (name: string, results: unknown[] = []) => ({ tool: { driver: { name } }, results });

  it('are the tools that it names, also those that found nothing', () => {
    const result = { ruleId: 'r', message: { text: 'Found' } };
    const runs = [run('ESLint', [result]), run('CodeQL'), run('ESLint')];
    expect(scannedOf({ version: '2.1.0', runs }).sources).toEqual(['eslint', 'codeql']);
    expect(scannedOf({ version: '2.1.0', runs: [] }).sources).toEqual([]);
  });

  it('are those of its findings, if the report itself names none', () => {
    const finding = (source?: string) => ({ title: 'Found', severity: 'high', source });
    expect(scannedOf({ findings: [finding('one'), finding('two'), finding('one')] }).sources).toEqual([
      'one',
      'two',
    ]);
    expect(scannedOf({ findings: [finding()] }).sources).toEqual(['generic-json']);
  });

  it('are the format otherwise', () => {
    expect(scannedOf(own('bandit.json')).sources).toEqual(['bandit']);
    expect(scannedOf({ results: [], errors: [] }, 'bandit').sources).toEqual(['bandit']);
    expect(scannedOf('', 'nuclei').sources).toEqual(['nuclei']);
  });
});

describe('the category of a report', () => {
  const trivy = (ArtifactName: string, ArtifactType: string) => ({
    SchemaVersion: 2,
    ArtifactName,
    ArtifactType,
    Results: [],
  });
  const grype = (type: string, target: unknown) => ({
    matches: [],
    descriptor: {},
    source: { type, target },
  });
  const run = (id: string) => ({
    tool: { driver: { name: 'CodeQL' } },
    results: [],
    automationDetails: { id },
  });
  const zap = (...sites: string[]) => ({
    '@version': '2',
    site: sites.map((name) => ({ '@name': name, alerts: [] })),
  });
  const checkov = (check_type: string) => ({ check_type, results: { failed_checks: [] } });

  it.each<[string, unknown, string | undefined]>([
    ['a SARIF analysis without its run', { runs: [run('language:js/2026-11-28')] }, 'language:js'],
    ['a SARIF analysis without a run', { runs: [run('language:js/')] }, 'language:js'],
    ['a SARIF run without a category', { runs: [run('run-7')] }, undefined],
    ['several SARIF analyses', { runs: [run('b/1'), run('a/2'), run('b/3')] }, 'a, b'],
    ['an image without its tag', trivy('registry:5000/app:1.2', 'container_image'), 'registry:5000/app'],
    ['an image without its digest', trivy(`app@sha256:${'a'.repeat(64)}`, 'container_image'), 'app'],
    ['a folder of the workspace', trivy('services/web', 'filesystem'), 'services/web'],
    ['an absolute folder', trivy('/builds/team/app/services/web', 'filesystem'), 'services/web'],
    ['the workspace', trivy('.', 'filesystem'), undefined],
    ['the workspace by its path', trivy('/builds/team/app', 'filesystem'), undefined],
    ['a folder of a machine', trivy('/tmp/tmp.x1', 'filesystem'), undefined],
    [
      'a repository',
      trivy('https://user:secret@git.example.com/web.git', 'repository'),
      'git.example.com/web',
    ],
    ['an image of Grype', grype('image', { userInput: 'app:1', imageID: 'sha256:1' }), 'app'],
    ['a folder of Grype', grype('directory', '/builds/team/app/api'), 'api'],
    ['a site', zap('https://user:secret@shop.example:8443'), 'shop.example:8443'],
    ['a site and others that it refers to', zap('https://shop.example', 'https://cdn.example'), undefined],
    ['a framework', checkov('terraform'), 'terraform'],
    ['several frameworks', [checkov('terraform'), checkov('dockerfile')], undefined],
  ])('is %s', (_, report, category) => expect(scannedOf(report).category).toBe(category));

  it.each([
    ['web/acunetix.xml', 'shop.example.org:8443'],
    ['web/invicti.json', 'shop.example.org'],
    ['network/nessus.xml', 'Office'],
    ['infrastructure/images/dockle.json', 'registry.example.com/shop/web'],
    ['infrastructure/images/sysdig/sysdig-cli.json', 'shop/web'],
    ['infrastructure/cloud/scout-suite.js.txt', '111122223333'],
    ['infrastructure/kubernetes/kubescape.json', 'prod'],
    ['dependencies/cyclonedx.json', 'registry.example.com/shop'],
    ['dependencies/dependency-check.xml', 'shop'],
    ['code/veracode.xml', 'shop'],
  ])('is in the header of %s', (name, category) => expect(scannedOf(own(name)).category).toBe(category));

  it('is limited to 255 characters without making two equal', () => {
    const categoryOf = (id: string) =>
      scannedOf({ runs: [{ tool: {}, automationDetails: { id } }] }).category ?? '';
    const [a, b] = ['a', 'b'].map((end) => categoryOf(`${'long '.repeat(60)}${end}/1`));
    expect(a).not.toBe(b);
    expect(a?.length).toBeLessThanOrEqual(255);
    expect(categoryOf(`${'é'.repeat(255)}/`)).toBe('é'.repeat(255));
  });
});
