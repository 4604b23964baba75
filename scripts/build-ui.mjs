import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Pages that were opened before may still ask for parts of an older build. */
const KEPT_MS = 7 * DAY_MS;

/** What a build depends on without being a module of it; a new file becomes one by a change of another. */
const SOURCES = ['ui', 'package-lock.json', 'scripts/build-ui.mjs'];

/** What the last build was made of. Beside dist/public, which is served. */
const MANIFEST = 'dist/ui-manifest.json';

/** Levels of Brotli: the best one takes ten times as long as this one, for 7 % fewer bytes. */
const FAST = 9;
const BEST = 11;

/**
 * Builds the web UI into `dist/public`, each file with compressed twins, unless what is there is newer than its sources.
 * @param root the checkout
 * @param fast compresses less, for a start that somebody waits for
 * @returns the directories of the packages in it, relative to the checkout
 */
export async function buildUi(root, { fast }) {
  const brotli = fast ? FAST : BEST;
  const manifest = join(root, MANIFEST);
  const last = await readFile(manifest, 'utf8').then(JSON.parse, () => undefined);
  if (last?.brotli >= brotli) {
    const paths = [MANIFEST, ...SOURCES, ...last.modules];
    const [built, ...changed] = await Promise.all(paths.map((path) => newest(join(root, path))));
    // What is gone has no time.
    if (changed.every((time) => time > 0 && time < built)) return last.packages;
  }

  if (fast) process.stdout.write('Building the web UI. Later starts skip this.\n');
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
  const made = {
    brotli,
    modules: unique(files.filter((file) => packageOf(file) === undefined)),
    packages: unique(packages.filter((dir) => dir !== undefined)),
  };
  await writeFile(manifest, JSON.stringify(made));
  return made.packages;
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
    const missing = unique(used.filter((name) => all.has(name) && !styled.has(name)));
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

const unique = (values) => [...new Set(values)].sort();

/** When the newest of what is at a path was changed, in ms; 0 where there is nothing. */
async function newest(path) {
  const found = await stat(path).catch(() => undefined);
  if (!found) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const names = await readdir(path);
  return Math.max(found.mtimeMs, ...(await Promise.all(names.map((name) => newest(join(path, name))))));
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
