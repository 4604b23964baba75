import { existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { build } from 'esbuild';

// Everything a server needs, in dist/: its two entries, and below dist/public/ the files it serves as they are.
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

/** Puts a file where the server serves it, with a compressed twin; what is there already stays. */
async function publish(from, name) {
  const to = join(dist, 'public', name);
  if (existsSync(`${to}.gz`) && statSync(`${to}.gz`).mtimeMs >= statSync(from).mtimeMs) return;
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
  await writeFile(`${to}.gz`, await promisify(gzip)(await readFile(from), { level: 9 }));
}

await Promise.all([
  build({
    absWorkingDir: root,
    entryPoints: ['server.ts', 'admin.ts'],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    outdir: dist,
    logLevel: 'warning',
  }),
  ...['swagger-ui.css', 'swagger-ui-bundle.js'].map((file) =>
    publish(join(root, 'node_modules/swagger-ui-dist', file), `assets/swagger-ui-dist/${file}`),
  ),
]);
