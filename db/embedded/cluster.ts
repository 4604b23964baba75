import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedUnavailable, INSTEAD, type RunUser, run, spawnOptions, TEMP } from './system.ts';

/** Part of the paths, because another major version cannot read these files. */
const MAJOR = '18';

export const SUPERUSER = 'svc';

/** Paths in the data directory. */
export interface Cluster {
  /** The parent directory, owned by the user of this process. */
  home: string;
  /** PostgreSQL's data directory, owned by the user PostgreSQL runs as. */
  dir: string;
  passwordFile: string;
  logFile: string;
}

/** Creates the directory of the cluster, but not the cluster. */
export async function openCluster(dataDir: string): Promise<Cluster> {
  const home = resolve(dataDir, 'postgres');
  if (await mkdir(home, { recursive: true })) await chmod(home, 0o755);
  const dir = join(home, MAJOR);
  return { home, dir, passwordFile: `${dir}.password`, logFile: join(home, 'postgres.log') };
}

/**
 * The data directory argument for PostgreSQL. Another user may not be able to enter the parent directories, but can reach the
 * working directory that root started the process in through /proc.
 */
export const dataArgument = (dir: string, user: RunUser | undefined): string =>
  user && process.platform === 'linux' ? '/proc/self/cwd' : dir;

export const clusterExists = ({ dir }: Cluster): boolean => existsSync(join(dir, 'PG_VERSION'));

/**
 * Reads the superuser's password, which is generated for a new cluster.
 * @throws EmbeddedUnavailable when the cluster exists, but its password file does not
 */
export async function readPassword(cluster: Cluster): Promise<string> {
  const { home, dir, passwordFile } = cluster;
  if (!existsSync(passwordFile)) {
    if (clusterExists(cluster)) {
      throw new EmbeddedUnavailable(
        `${passwordFile} is missing, so the database in ${dir} cannot be opened: restore that file, or ${INSTEAD}`,
      );
    }
    const temp = await mkdtemp(join(home, TEMP));
    const file = join(temp, 'password');
    await writeFile(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
    // Unlike a rename, a link fails if another process has written a password, which is then used.
    await link(file, passwordFile).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(temp, { recursive: true });
  }
  return (await readFile(passwordFile, 'utf8')).trim();
}

/** Creates the cluster atomically: runs initdb in a temporary directory and renames it. */
export async function createCluster(
  cluster: Cluster,
  password: string,
  initdb: string,
  user: RunUser | undefined,
): Promise<void> {
  const temp = await mkdtemp(join(cluster.home, TEMP));
  const dir = join(temp, 'data');
  const passwordFile = join(temp, 'password');
  try {
    await mkdir(dir, 0o700);
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) for (const path of [passwordFile, dir, temp]) await lchown(path, user.uid, user.gid);
    const args = ['-D', dataArgument(dir, user), `--username=${SUPERUSER}`, '--pwfile=../password'];
    args.push('--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--locale-provider=builtin');
    args.push('--builtin-locale=C.UTF-8', '--no-instructions');
    const { code, output } = await run(initdb, args, spawnOptions(user, dir));
    if (code !== 0) {
      const lines = output.trim().split('\n');
      const why = lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1);
      throw new EmbeddedUnavailable(`cannot create a database in ${cluster.dir} (${why}): ${INSTEAD}`);
    }
    await rename(dir, cluster.dir).catch((error) => {
      // Another process may have created the cluster meanwhile.
      if (!clusterExists(cluster)) throw error;
    });
    // Windows cannot open directories, and does not need to sync them.
    const home = await open(cluster.home).catch(() => undefined);
    await home?.sync().finally(() => home.close());
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

/** The lock file of a postmaster (`postmaster.pid`). */
export interface LockFile {
  pid: number;
  port: number;
  /** `starting`, `ready`, `stopping`; empty until the port is open. */
  status: string;
}

/** @returns undefined when the file does not exist or is empty */
export async function readLockFile({ dir }: Cluster): Promise<LockFile | undefined> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const [pid, , , port, , , , status = ''] = text?.split('\n') ?? [];
  return Number(pid) ? { pid: Number(pid), port: Number(port), status: status.trim() } : undefined;
}

/**
 * Makes `user` the owner of a cluster.
 * @param isStopped whether no process of its server is left. PostgreSQL itself detects only servers of its own user
 * @returns false when another user's server is running
 */
export async function changeOwner(cluster: Cluster, user: RunUser, isStopped: boolean): Promise<boolean> {
  const { dir } = cluster;
  const before = await lstat(dir);
  if (before.uid === user.uid) return true;
  if (!isStopped) return false;
  const lock = await readLockFile(cluster);
  // Root owns the directory during the change: nobody can start a server on it, and an interrupted change is visible.
  await lchown(dir, 0, 0);
  await sleep(100);
  if ((await readLockFile(cluster))?.pid !== lock?.pid) {
    await lchown(dir, before.uid, before.gid);
    return false;
  }
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Skips root's files: the former owner may have linked to one to get access to it.
    if ((await lstat(path)).uid !== 0) await lchown(path, user.uid, user.gid);
  }
  await lchown(dir, user.uid, user.gid);
  return true;
}
