import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { distributedDependencies, readManifest, readPackages } from '../../scripts/dependencies/packages.ts';
import { publishedManifest } from '../../scripts/published-manifest.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);

it('workflows use actions by their commit, which nobody can move as a tag', () => {
  const uses = workflows.flatMap((file) => read(file).match(/^.*\buses:.*$/gm) ?? []);
  expect(uses.length).toBeGreaterThan(5);
  expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
    [],
  );
});

it('packages are installed without their scripts', () => {
  const files = [
    ...workflows,
    '.gitlab-ci.yml',
    'Dockerfile',
    'tools/install.mjs',
    'scripts/release-check.ts',
  ];
  const installs = files.flatMap((file) =>
    read(file)
      .split('\n')
      .filter(
        (line) =>
          /\bnpm (?:ci|install)\b(?! failed)|\['(?:ci|install)',/.test(line) &&
          !/^\s*(?:#|\/\/|\*)/.test(line),
      ),
  );
  expect(installs.length).toBeGreaterThan(6);
  expect(installs.filter((line) => !line.includes('--ignore-scripts'))).toEqual([]);
});

it('the published package has no scripts', () => {
  expect(publishedManifest(readManifest(root))).not.toHaveProperty('scripts');
});

it('a release is published with provenance, by the only job that may sign it', () => {
  const { permissions, jobs } = parse(read('.github/workflows/release.yml'));
  expect(permissions).toEqual({ contents: 'read' });
  const signing = Object.entries<{ permissions?: Record<string, string>; environment?: string }>(jobs).filter(
    ([, job]) => job.permissions?.['id-token'],
  );
  expect(signing).toMatchObject([['publish', { environment: 'npm', needs: 'release' }]]);
  expect(jobs.publish.steps.at(-1).run).toMatch(/^npm publish .* --provenance /m);
  expect(JSON.stringify(jobs.release)).toContain('.cdx.json SHA256SUMS');
});

it('the bill of materials lists what users get, and nothing else', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['node_modules/tsx/dist/cli.mjs', 'scripts/sbom.ts'],
    {
      cwd: root,
      maxBuffer: 2 ** 26,
    },
  );
  const bom = JSON.parse(stdout);
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'svc-findings' } } });
  const listed = bom.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`);
  const distributed = readPackages(root, distributedDependencies(root)).filter((one) => one.distributed);
  expect(new Set(listed)).toEqual(new Set(distributed.map(({ name, version }) => `${name}@${version}`)));
  // The web UI is bundled from devDependencies; tests and the build stay out.
  const names = bom.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['hono', 'react', 'postgres']));
  for (const name of ['vitest', 'esbuild', 'typescript', 'tsx']) expect(names).not.toContain(name);
  expect(stdout).not.toContain('cdx:npm:package:development');
  expect(bom.components.filter(({ hashes = [] }: { hashes?: object[] }) => hashes.length === 0)).toEqual([]);
}, 60_000);
