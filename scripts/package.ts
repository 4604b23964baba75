import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readManifest } from './dependencies/packages.ts';
import { publishedManifest } from './published-manifest.ts';

/*
 * Packs what `npm run build` has built into a tarball in the checkout, with a manifest of its own. Options are those of `npm pack`.
 * `npm run package` builds first.
 */

/** The directories that `files` in package.json selects from, and the files that npm always adds. */
const STAGED = ['dist', 'docs', 'README.md', 'LICENSE', 'CHANGELOG.md', '.env.example'];

const root = resolve(import.meta.dirname, '..');
const stage = mkdtempSync(join(tmpdir(), 'svc-package-'));
try {
  for (const name of STAGED) {
    const filter = (path: string) => !path.endsWith('node_modules');
    cpSync(join(root, name), join(stage, name), { recursive: true, filter });
  }
  const manifest = publishedManifest(readManifest(root));
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // Within `npm run` this is npm itself, also where its command is a batch file.
  const { npm_execpath: npm } = process.env;
  const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
  const args = ['pack', '--pack-destination', root, ...process.argv.slice(2)];
  execFileSync(command, [...first, ...args], { cwd: stage, stdio: 'inherit' });
} finally {
  rmSync(stage, { recursive: true, force: true });
}
