import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The record of a build. It is in `dist/`, beside the outputs.
 * @typedef {object} Manifest
 * @property {number} began when the build began, in ms since 1970: what was changed during it counts as changed after it
 * @property {string[]} inputs files and directories it depends on, relative to the checkout; packages by the lock file
 * @property {string[]} outputs what it made
 * @property {string[]} packages the directories of the packages in it
 */

/**
 * The manifest of the last build, unless an input has changed since, or an output is gone.
 * @param {string} root the checkout
 * @param {string} file
 * @returns {Promise<Manifest | undefined>}
 */
export async function lastBuild(root, file) {
  const last = await readFile(join(root, file), 'utf8')
    .then(JSON.parse)
    .catch(() => undefined);
  // An earlier version wrote no outputs, and one that was killed half a file.
  if (!last?.outputs?.every((path) => existsSync(join(root, path)))) return;
  const times = await Promise.all(last.inputs.map((path) => newest(join(root, path))));
  // A deleted file has the time 0.
  return times.every((time) => time > 0 && time < last.began) ? last : undefined;
}

/**
 * @template {Manifest} M
 * @param {string} root the checkout
 * @param {string} file
 * @param {M} made
 * @returns {Promise<M>} what was made
 */
export async function writeManifest(root, file, made) {
  await writeFile(join(root, file), JSON.stringify(made));
  return made;
}

/** Selects the files of the checkout from the modules that a bundler has read. */
export const ownInputs = (modules) =>
  [...new Set(modules)].filter((path) => !path.includes('node_modules/') && !path.includes(':')).sort();

/** When the newest of what is at a path was changed, in ms; 0 where there is nothing. */
async function newest(path) {
  const found = await stat(path).catch(() => undefined);
  if (!found) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const names = await readdir(path);
  return Math.max(found.mtimeMs, ...(await Promise.all(names.map((name) => newest(join(path, name))))));
}
