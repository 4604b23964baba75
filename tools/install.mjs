import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/*
 * Installs the packages of this directory unless they match the lock file. It installs into a directory of its own and renames it, so
 * that commands that run at the same time never see half an installation.
 */

const HOUR_MS = 60 * 60 * 1000;
/** Another process may replace the directory between two steps. */
const ATTEMPTS = 3;
const PREFIX = '.install-';
const tools = import.meta.dirname;
const target = join(tools, 'node_modules');
/** In `node_modules`: the hash of the lock file that it was installed from. */
const STAMP = '.lock-hash';
const FILES = ['package.json', 'package-lock.json'];

const hash = createHash('sha256');
for (const name of FILES) hash.update(readFileSync(join(tools, name)));
const wanted = hash.digest('hex');

if (!isCurrent()) install();

function isCurrent() {
  try {
    return readFileSync(join(target, STAMP), 'utf8') === wanted;
  } catch {
    return false;
  }
}

function install() {
  removeAbandoned();
  process.stderr.write('Installing the packages of tools/. Later runs skip this.\n');
  const dir = mkdtempSync(join(tools, PREFIX));
  try {
    for (const name of FILES) cpSync(join(tools, name), join(dir, name));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    // Within `npm run` this is npm itself, also where its command is a batch file.
    const { npm_execpath: npm } = process.env;
    const [command, ...first] = npm ? [process.execPath, npm] : ['npm'];
    const { status, error } = spawnSync(command, [...first, ...args], {
      cwd: dir,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (error) throw error;
    if (status !== 0) {
      process.stderr.write('The packages of tools/ could not be installed: npm ci failed.\n');
      process.exitCode = 1;
      return;
    }
    writeFileSync(join(dir, 'node_modules', STAMP), wanted);
    replace(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Moves the installed packages to their place, unless another process does so meanwhile. */
function replace(dir) {
  for (let attempt = 0; !isCurrent(); attempt++) {
    try {
      if (existsSync(target)) renameSync(target, join(dir, `replaced-${attempt}`));
      renameSync(join(dir, 'node_modules'), target);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** Removes what a killed process has left. */
function removeAbandoned() {
  for (const name of readdirSync(tools).filter((name) => name.startsWith(PREFIX))) {
    const dir = join(tools, name);
    const age = Date.now() - (statSync(dir, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > HOUR_MS) rmSync(dir, { recursive: true, force: true });
  }
}
