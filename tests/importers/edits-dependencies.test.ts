import { describe, expect, it } from 'vitest';
import type { Workspace } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { Store } from '../support/importers/edits/store.ts';

/* Changes of dependencies between two reports: every decision must stay with its package and advisory. */

/** A vulnerable package: name, version and advisory. */
type Vulnerable = [name: string, version: string, advisory: string];

const LODASH: Vulnerable = ['lodash', '4.17.20', 'GHSA-aaaa-bbbb-cccc'];
const UPGRADED: Vulnerable = ['lodash', '4.17.21', 'GHSA-aaaa-bbbb-cccc'];
const AGAIN: Vulnerable = ['lodash', '4.17.20', 'GHSA-dddd-eeee-ffff'];
const OTHER: Vulnerable = ['minimist', '1.2.0', 'GHSA-gggg-hhhh-jjjj'];

interface Tool {
  name: string;
  manifest: string;
  report(found: readonly Vulnerable[], words: string): unknown;
}

const TOOLS: Tool[] = [
  {
    ...{ name: 'npm-audit', manifest: 'package-lock.json' },
    report: (found, words) => ({
      auditReportVersion: 2,
      vulnerabilities: Object.fromEntries(
        found.map(([name, version, id], index) => [
          name,
          {
            ...{ name, severity: 'high', range: `<=${version}`, nodes: [`node_modules/${name}`] },
            via: [{ source: index, name, title: words, url: `https://github.com/advisories/${id}` }],
          },
        ]),
      ),
    }),
  },
  {
    ...{ name: 'pip-audit', manifest: 'requirements.txt' },
    report: (found, words) => ({
      dependencies: found.map(([name, version, id]) => ({
        ...{ name, version },
        vulns: [{ id, fix_versions: [], aliases: [], description: words }],
      })),
    }),
  },
  {
    ...{ name: 'trivy', manifest: 'package-lock.json' },
    report: (found, words) => ({
      ...{ SchemaVersion: 2, ArtifactName: '.', ArtifactType: 'filesystem' },
      Results: [
        {
          ...{ Target: 'package-lock.json', Class: 'lang-pkgs', Type: 'npm' },
          Vulnerabilities: found.map(([PkgName, InstalledVersion, VulnerabilityID]) => ({
            ...{ PkgName, InstalledVersion, VulnerabilityID, Title: words, Severity: 'HIGH' },
          })),
        },
      ],
    }),
  },
];

describe.each(TOOLS)('$name', ({ name, manifest, report }) => {
  const push = (store: Store, found: readonly Vulnerable[], { words = 'Some words', prefix = '' } = {}) => {
    const workspace: Workspace = {
      ...{ directory: '/builds/team/app', pathPrefix: prefix },
      linesOf: (path) => (path === manifest ? ['{}'] : undefined),
    };
    const { findings } = importReport(JSON.stringify(report(found, words)), workspace, { format: name });
    expect(findings).toHaveLength(found.length);
    const problems = new Map(
      findings.map((finding, index) => [
        finding,
        `${prefix} ${found[index]?.[0]} ${found[index]?.[2]}`.trim(),
      ]),
    );
    return store.push(findings, (finding) => problems.get(finding) ?? '');
  };
  const [lodash, again, other] = [LODASH, AGAIN, OTHER].map(([pkg, , id]) => `${pkg} ${id}`);

  it.each([
    ['the same', [LODASH, OTHER], {}, [lodash, other], []],
    ['another order', [OTHER, LODASH], {}, [other, lodash], []],
    ['an upgrade that fixes nothing', [UPGRADED, OTHER], {}, [lodash, other], []],
    ['another wording', [LODASH, OTHER], { words: 'Revised words' }, [lodash, other], []],
    ['one fixed', [OTHER], {}, [other], []],
    ['one fixed, another advisory of the same package', [AGAIN, OTHER], {}, [other], [again]],
  ] as const)('%s', (_, found, options, kept, added) => {
    const store = new Store();
    push(store, [LODASH, OTHER]);
    expect(push(store, found, options)).toMatchObject({ again: kept, new: added, transferred: [] });
  });

  it('two packages of a repository have problems of their own', () => {
    const store = new Store();
    push(store, [LODASH, OTHER], { prefix: 'packages/a' });
    expect(push(store, [LODASH, OTHER], { prefix: 'packages/b' })).toMatchObject({
      ...{ again: [], transferred: [] },
      new: [`packages/b ${lodash}`, `packages/b ${other}`],
    });
  });
});
