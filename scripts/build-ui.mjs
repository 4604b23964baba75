import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { lastBuild, ownInputs, writeManifest } from './built.mjs';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Pages that were opened before may still ask for parts of an older build. */
const KEPT_MS = 7 * DAY_MS;

/** Files that a build depends on and that are not its modules; a new file becomes one by a change of another. */
const SOURCES = ['ui', 'package-lock.json', 'scripts/build-ui.mjs', 'scripts/built.mjs'];

const MANIFEST = 'dist/ui-manifest.json';

/** Levels of Brotli. From 6 to 9 the time grows tenfold, for 1 % fewer bytes. */
const FAST = 6;
const BEST = 11;

/**
 * Builds the web UI into `dist/public`, each file with compressed twins, unless what is there is newer than its sources.
 * @param {string} root the checkout
 * @param {{ fast: boolean, onBuild: () => void }} options `fast` compresses less, for a start that somebody waits for
 * @returns {Promise<import('./built.mjs').Manifest>}
 */
export async function buildUi(root, { fast, onBuild }) {
  const brotli = fast ? FAST : BEST;
  const last = await lastBuild(root, MANIFEST);
  if (last?.brotli >= brotli) return last;
  const began = Date.now();
  onBuild();
  // A test runner that builds has another one, by which React would come with its checks for development.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const { output } = await build({ configFile: join(root, 'ui/vite.config.ts'), logLevel: 'warn' });
  const directory = join(root, 'dist/public/assets/ui');
  await requireStyles(root, output);
  const assets = output.filter(({ fileName }) => fileName.startsWith('assets/'));
  await Promise.all(assets.map(({ fileName }) => compress(join(root, 'dist/public', fileName), brotli)));
  await Promise.all((await readdir(directory)).map((name) => removeOld(join(directory, name))));

  const files = output
    .flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
    .filter((id) => isAbsolute(id))
    .map((id) => relative(root, id.replace(/\?.*$/, '')));
  const styles = ['@mantine/core', '@mantine/notifications', '@mantine/charts'];
  const packageOf = (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
  const packages = [...files.map(packageOf), ...styles.map((name) => `node_modules/${name}`)];
  return writeManifest(root, MANIFEST, {
    began,
    brotli,
    inputs: [...SOURCES, ...ownInputs(files)],
    outputs: output.map(({ fileName }) => `dist/public/${fileName}`),
    packages: [...new Set(packages.filter((dir) => dir !== undefined))].sort(),
  });
}

const MANTINE_CLASS = /\bm_[0-9a-f]{6,}\b/g;

/**
 * Fails if the code uses a component of Mantine whose styles `ui/src/mantine.css` and `ui/src/late.css` do not import, or if
 * the first load shows one whose styles are loaded later.
 */
async function requireStyles(root, output) {
  const classesIn = (text) => text.match(MANTINE_CLASS) ?? [];
  const all = new Set(classesIn(await readFile(join(root, 'node_modules/@mantine/core/styles.css'), 'utf8')));
  const require = (chunks, sheets, where) => {
    const styled = new Set(sheets.flatMap(({ source }) => classesIn(`${source}`)));
    const used = chunks.flatMap(({ code }) => classesIn(code));
    const missing = [...new Set(used.filter((name) => all.has(name) && !styled.has(name)))].sort();
    if (missing.length > 0)
      throw new Error(`${where} lacks the styles of a used component: ${missing.join(', ')}`);
  };
  const chunks = output.filter(({ type }) => type === 'chunk');
  const sheets = output.filter(({ fileName }) => fileName.endsWith('.css'));
  require(chunks, sheets, 'ui/src/late.css');

  const first = new Set();
  const reach = (chunk) => {
    if (!chunk || first.has(chunk)) return;
    first.add(chunk);
    for (const name of chunk.imports) reach(chunks.find(({ fileName }) => fileName === name));
  };
  for (const chunk of chunks)
    if (chunk.isEntry || chunk.facadeModuleId?.endsWith('/findings/list/Findings.tsx')) reach(chunk);
  const early = sheets.filter(({ fileName }) => !/\/late-[^/]*$/.test(fileName));
  require([...first], early, 'ui/src/mantine.css');
}

async function compress(file, level) {
  const text = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: level };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(text, { params }),
    promisify(gzip)(text, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

async function removeOld(file) {
  const { mtimeMs } = await stat(file);
  if (mtimeMs < Date.now() - KEPT_MS) await rm(file);
}
