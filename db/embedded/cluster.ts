import { randomBytes } from 'node:crypto';
import {
  chmod,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EmbeddedUnavailable, INSTEAD, type RunUser, run, sleep, spawnOptions, tempIn } from './system.ts';

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
  /** Name prefix of the files that reserve disk space (`disk.ts`). */
  reserveFile: string;
}

/** Creates the directory of the cluster, but not the cluster. */
export async function openCluster(dataDir: string): Promise<Cluster> {
  const home = resolve(dataDir, 'postgres');
  if (await mkdir(home, { recursive: true })) await chmod(home, 0o755);
  const dir = join(home, MAJOR);
  return {
    home,
    dir,
    passwordFile: `${dir}.password`,
    logFile: join(home, 'postgres.log'),
    reserveFile: join(home, 'reserve'),
  };
}

/**
 * The data directory argument for PostgreSQL. Another user may not be able to enter the parent directories, but can reach the
 * working directory that root started the process in through /proc.
 */
export const dataArgument = (dir: string, user: RunUser | undefined): string =>
  user && process.platform === 'linux' ? '/proc/self/cwd' : dir;

export const clusterExists = async (cluster: Cluster): Promise<boolean> =>
  (await stat(join(cluster.dir, 'PG_VERSION')).catch(notFound)) !== undefined;

/**
 * Reads the superuser's password, which is generated for a new cluster.
 * @throws EmbeddedUnavailable when the cluster exists, but its password file does not
 */
export async function readPassword(cluster: Cluster): Promise<string> {
  const stored = await readFile(cluster.passwordFile, 'utf8').catch(notFound);
  if (stored) return stored.trim();
  if (await clusterExists(cluster)) {
    throw new EmbeddedUnavailable(
      `${cluster.passwordFile} is missing, so the database in ${cluster.dir} cannot be opened: restore that file, or ${INSTEAD}`,
    );
  }
  const temp = tempIn(cluster.home);
  const file = await open(temp, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(24).toString('base64url')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // Unlike a rename, a link fails if another process has written a password, which is then used.
  await link(temp, cluster.passwordFile).catch(ignore('EEXIST'));
  await rm(temp);
  return (await readFile(cluster.passwordFile, 'utf8')).trim();
}

/** Creates the cluster atomically: runs initdb in a temporary directory and renames it. */
export async function createCluster(
  cluster: Cluster,
  password: string,
  initdb: string,
  user: RunUser | undefined,
): Promise<void> {
  const temp = tempIn(cluster.home);
  const dir = join(temp, 'data');
  try {
    await mkdir(temp, 0o700);
    await mkdir(dir, 0o700);
    const file = await open(join(temp, 'password'), 'wx', 0o600);
    await file.writeFile(password).finally(() => file.close());
    if (user) for (const path of [join(temp, 'password'), dir, temp]) await lchown(path, user.uid, user.gid);
    const args = ['-D', dataArgument(dir, user), `--username=${SUPERUSER}`, '--pwfile=../password'];
    args.push('--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--locale-provider=builtin');
    args.push('--builtin-locale=C.UTF-8', '--no-instructions');
    const { code, output } = await run(initdb, args, { ...spawnOptions(user), cwd: dir });
    if (code !== 0) {
      const lines = output.trim().split('\n');
      const why = lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1);
      throw new EmbeddedUnavailable(`cannot create a database in ${cluster.dir} (${why}): ${INSTEAD}`);
    }
    await rename(dir, cluster.dir).catch(async (error) => {
      // Another process may have created the cluster meanwhile.
      if (!(await clusterExists(cluster))) throw error;
    });
    await syncDirectory(cluster.home);
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

async function syncDirectory(dir: string): Promise<void> {
  // Windows cannot open directories, and does not need to sync them.
  const handle = await open(dir).catch(() => undefined);
  await handle?.sync().finally(() => handle.close());
}

/** The lock file of a postmaster (`postmaster.pid`). */
export interface LockFile {
  pid: number;
  port: number;
  /** `starting`, `ready`, `stopping`; empty at first. */
  status: string;
  /** Key and id of its shared memory, as in /proc/sysvipc/shm. */
  memory: string | undefined;
}

/** @returns undefined when the file does not exist or is empty */
export async function readLockFile(dir: string): Promise<LockFile | undefined> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(notFound);
  const [pid, , , port, , , memory = '', status = ''] = text?.split('\n') ?? [];
  if (!Number(pid)) return undefined;
  const [, key, id] = /^\s*(\d+)\s+(\d+)\s*$/.exec(memory) ?? [];
  return {
    // Negative for a standalone backend.
    pid: Math.abs(Number(pid)),
    port: Number(port),
    status: status.trim(),
    // The key is unsigned in the lock file and signed in /proc.
    memory: key && id ? `${BigInt.asIntN(32, BigInt(key))} ${id}` : undefined,
  };
}

/** @throws EmbeddedUnavailable when the cluster belongs to another user and this process is not root */
export async function checkOwner(cluster: Cluster): Promise<void> {
  const owner = (await lstat(cluster.dir).catch(notFound))?.uid;
  const self = process.geteuid?.();
  if (owner === undefined || self === undefined || self === 0 || owner === self) return;
  throw new EmbeddedUnavailable(
    `${cluster.dir} belongs to another user (uid ${owner}): run this as that user or as root, set SVC_DATA_DIR to another directory, or ${INSTEAD}`,
  );
}

/**
 * Makes `user` the owner of a cluster whose server is not running.
 * @returns false when a server may be running. PostgreSQL itself detects only servers of its own user
 */
export async function changeOwner(cluster: Cluster, user: RunUser): Promise<boolean> {
  const before = await lstat(cluster.dir);
  if (before.uid === user.uid) return true;
  const lock = await readLockFile(cluster.dir);
  if (lock?.memory && (await memoryInUse(lock.memory))) return false;
  // Root owns the directory during the change: nobody can start a server on it, and an interrupted change is visible.
  await lchown(cluster.dir, 0, 0);
  await sleep(100);
  if ((await readLockFile(cluster.dir))?.pid !== lock?.pid) {
    await lchown(cluster.dir, before.uid, before.gid);
    return false;
  }
  for (const entry of await readdir(cluster.dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Skips root's files: the former owner may have linked to one to get access to it.
    if ((await lstat(path)).uid !== 0) await lchown(path, user.uid, user.gid);
  }
  await lchown(cluster.dir, user.uid, user.gid);
  return true;
}

/** Whether processes are attached to a shared memory segment: backends may outlive a killed postmaster. */
async function memoryInUse(memory: string): Promise<boolean> {
  const segments = await readFile('/proc/sysvipc/shm', 'utf8').catch(() => '');
  return segments.split('\n').some((line) => {
    const [key, id, , , , , attached] = line.trim().split(/\s+/);
    return `${key} ${id}` === memory && attached !== '0';
  });
}

function notFound(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function ignore(code: string) {
  return (error: NodeJS.ErrnoException) => {
    if (error.code !== code) throw error;
  };
}
