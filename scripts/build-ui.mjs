import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { build } from 'vite';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Pages that were opened before may still ask for parts of an older build. */
const KEPT_MS = 7 * DAY_MS;

/** What the pages are made of; the API's client has the types of the API. */
const SOURCES = ['ui', 'lib/client', 'package-lock.json', 'scripts/build-ui.mjs'];

/** Names the packages in the build, for the notices. Beside dist/public, which is served. */
const PACKAGES = 'dist/ui-packages.json';

/**
 * Builds the web UI into `dist/public`, each file with compressed twins, unless what is there is newer than its sources.
 * @param root the checkout
 * @returns the directories of the packages in it, relative to the checkout
 */
export async function buildUi(root) {
  const list = join(root, PACKAGES);
  const [built, ...sources] = await Promise.all(
    [list, ...SOURCES.map((path) => join(root, path))].map(newest),
  );
  if (built > Math.max(...sources)) return JSON.parse(await readFile(list, 'utf8'));

  // A test runner that builds has another one, by which React would come with its checks for development.
  process.env.NODE_ENV = 'production';
  const { output } = await build({ configFile: join(root, 'ui/vite.config.ts'), logLevel: 'warn' });
  const directory = join(root, 'dist/public/assets/ui');
  const assets = output.filter(({ fileName }) => fileName.startsWith('assets/'));
  await Promise.all(assets.map(({ fileName }) => compress(join(root, 'dist/public', fileName))));
  await Promise.all((await readdir(directory)).map((name) => removeOld(join(directory, name))));

  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const styles = ['@mantine/core', '@mantine/notifications', '@mantine/charts'];
  const packages = [
    ...new Set([
      ...modules.map((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(relative(root, id))?.[0]),
      ...styles.map((name) => `node_modules/${name}`),
    ]),
  ].filter((dir) => dir !== undefined);
  await writeFile(list, JSON.stringify(packages.sort()));
  return packages;
}

/** When the newest of what is at a path was changed, in ms; 0 where there is nothing. */
async function newest(path) {
  const found = await stat(path).catch(() => undefined);
  if (!found) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const names = await readdir(path);
  return Math.max(found.mtimeMs, ...(await Promise.all(names.map((name) => newest(join(path, name))))));
}

async function compress(file) {
  const text = await readFile(file);
  const [br, gz] = await Promise.all([promisify(brotliCompress)(text), promisify(gzip)(text, { level: 9 })]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

async function removeOld(file) {
  const { mtimeMs } = await stat(file);
  if (mtimeMs < Date.now() - KEPT_MS) await rm(file);
}
