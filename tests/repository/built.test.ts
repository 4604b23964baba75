import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { lastBuild, writeManifest } from '../../scripts/built.mjs';
import { createWorkspace } from '../support/agent/agent.ts';

const FILE = 'dist/manifest.json';
let root: string;
const at = (path: string) => join(root, path);
const isFresh = async () => (await lastBuild(root, FILE)) !== undefined;

beforeEach(async () => {
  root = createWorkspace();
  for (const dir of ['dist', 'ui/src']) await mkdir(at(dir), { recursive: true });
  for (const file of ['server.ts', 'ui/src/main.ts', 'dist/server.js']) await writeFile(at(file), '');
  await writeManifest(root, FILE, {
    began: Date.now() + 1_000,
    inputs: ['server.ts', 'ui'],
    outputs: ['dist/server.js'],
    packages: [],
  });
});

it('a build stays while its sources are older', async () => {
  expect(await isFresh()).toBe(true);
});

it.each<[string, () => Promise<unknown>]>([
  ['a file is changed', () => utimes(at('server.ts'), 0, Date.now() / 1_000 + 60)],
  ['a file in a directory is changed', () => utimes(at('ui/src/main.ts'), 0, Date.now() / 1_000 + 60)],
  ['a source is gone', () => rm(at('server.ts'))],
  ['an output is gone', () => rm(at('dist/server.js'))],
  ['there is no manifest', () => rm(at(FILE))],
  ['the manifest is of an earlier version', () => writeFile(at(FILE), '{"brotli":11,"modules":[]}')],
  ['the manifest is damaged', () => writeFile(at(FILE), '{"began":')],
])('it is built again when %s', async (_, change) => {
  await change();
  expect(await isFresh()).toBe(false);
});
