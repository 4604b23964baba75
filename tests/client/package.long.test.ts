import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { clientBuild } from '../../scripts/client-build.mjs';
import { readManifest } from '../../scripts/dependencies/packages.ts';
import { publishedManifest } from '../../scripts/published-manifest.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript-native/bin/tsc');

/** Packages that the published types name. npm installs them as dependencies. */
const DEPENDENCIES = ['openapi-fetch', 'openapi-typescript-helpers'];

let home: string;
let files: string[];

/** Packs the client as `npm run package` does, and unpacks the tarball where npm would install it. */
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'package-'));
  const stage = join(dir, 'stage');
  await mkdir(stage);
  await writeFile(join(stage, 'package.json'), JSON.stringify(publishedManifest(readManifest(root))));
  await build(clientBuild(root, join(stage, 'dist/client')));
  await run(process.execPath, [
    tsc,
    '-p',
    join(root, 'tsconfig.types.json'),
    '--outDir',
    join(stage, 'dist/types'),
  ]);
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--ignore-scripts', '--offline'], {
    cwd: stage,
  });
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error(stdout);
  files = packed.files.map(({ path }) => path);
  home = join(dir, 'home');
  const installed = join(home, 'node_modules/svc-findings');
  await mkdir(installed, { recursive: true });
  await run('tar', ['xzf', join(stage, packed.filename), '-C', installed, '--strip-components=1']);
  for (const name of DEPENDENCIES)
    await symlink(join(root, 'node_modules', name), join(home, 'node_modules', name));
  await writeFile(join(home, 'package.json'), '{"private":true,"type":"module"}');
});

/** Type-checks a program of a user. @returns the errors */
async function check(name: string, program: string, lib = 'es2023,dom'): Promise<string> {
  await writeFile(join(home, `${name}.ts`), program);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', ''];
  return run(process.execPath, [tsc, ...options, '--lib', lib, `${name}.ts`], { cwd: home }).then(
    () => '',
    ({ stdout }) => stdout,
  );
}

describe('the manifest of the published package', () => {
  it('lists what is not bundled, and nothing that only the checkout uses', async () => {
    const manifest = JSON.parse(await readFile(join(home, 'node_modules/svc-findings/package.json'), 'utf8'));
    expect(Object.keys(manifest).sort()).toEqual(
      [
        ...['name', 'version', 'description', 'license', 'repository', 'homepage', 'bugs', 'type', 'engines'],
        ...['bin', 'files', 'exports', 'dependencies', 'optionalDependencies'],
      ].sort(),
    );
    expect(Object.keys(manifest.dependencies)).toEqual([
      ...['@node-rs/argon2', 'openapi-fetch', 'openapi-typescript-helpers', 'zod'],
    ]);
    const { optionalDependencies } = readManifest(root);
    expect(manifest.optionalDependencies).toEqual(optionalDependencies);
  });

  it('is not that of the checkout, which npm refuses to publish', () => {
    expect(readManifest(root).private).toBe(true);
  });
});

describe('the packed client', () => {
  it('has its code and types', () => {
    expect(files).toEqual(expect.arrayContaining(['dist/client/index.js', 'dist/types/client/index.d.ts']));
  });

  it('can be imported, and has no other exports', async () => {
    const program = "console.log(Object.keys(await import('svc-findings/client')).sort().join())";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: home });
    expect(stdout.trim()).toBe('ServiceError,TransportError,createFindingsClient');
  });

  it('uses no module of Node.js and no package', async () => {
    const code = await readFile(join(home, 'node_modules/svc-findings/dist/client/index.js'), 'utf8');
    expect(code).not.toMatch(/^import |\bimport\(|\brequire\(|\bBuffer\b/m);
  });

  it('has types that hold a program to the API', async () => {
    const program = `
import { createFindingsClient, type Schemas } from 'svc-findings/client';
const client = createFindingsClient({ baseUrl: 'http://127.0.0.1:9' });
export async function program() {
  const { result } = await client.get('/findings/{id}', { params: { path: { id: '' } } });
  const finding: Schemas['Finding'] = result;
  // @ts-expect-error a finding has no such field
  finding.nothing;
  // @ts-expect-error no such severity
  client.findings({ severity: ['worst'] });
  // @ts-expect-error the id is required
  client.get('/findings/{id}');
  // @ts-expect-error not a list with pages
  client.list('/projects');
}`;
    expect(await check('program', program)).toBe('');
  });

  it('has the types that docs/client.md uses', async () => {
    const page = await readFile(join(root, 'docs/client.md'), 'utf8');
    const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
    expect(examples.length).toBeGreaterThan(5);
    for (const [i, code] of examples.entries()) expect(await check(`example-${i}`, code)).toBe('');
  });
});
