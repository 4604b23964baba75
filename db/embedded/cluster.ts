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

/** In the paths, so that another major version, which cannot read these files, leaves them alone. */
const MAJOR = '18';

/** The superuser's name. */
export const SUPERUSER = 'svc';

/** Where things are below the data directory. */
export interface Cluster {
  /** Ours; stays with the account of this process. */
  home: string;
  /** PostgreSQL's data directory; belongs to the account PostgreSQL runs as. */
  dir: string;
  passwordFile: string;
  logFile: string;
  /** Room on the disk for bad times: files whose names begin so. */
  reserveFile: string;
}

/** Makes what surrounds the cluster; not the cluster. */
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
 * Where PostgreSQL is told to find its data. As another user it may not be able to enter the directories above; a
 * process that was put into a directory by root gets at it through /proc all the same.
 */
export const dataArgument = (dir: string, user: RunUser | undefined): string =>
  user && process.platform === 'linux' ? '/proc/self/cwd' : dir;

export const clusterExists = async (cluster: Cluster): Promise<boolean> =>
  (await stat(join(cluster.dir, 'PG_VERSION')).catch(notFound)) !== undefined;

/** @throws EmbeddedUnavailable when the cluster is there and the file with its password is not */
export async function readPassword(cluster: Cluster): Promise<string> {
  const there = await readFile(cluster.passwordFile, 'utf8').catch(notFound);
  if (there) return there.trim();
  if (await clusterExists(cluster)) {
    throw new EmbeddedUnavailable(
      `${cluster.passwordFile} is missing, and with it the way into the database beside it: restore that file, or ${INSTEAD}`,
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
  // Unlike a rename, this fails when another process was faster; then its password holds.
  await link(temp, cluster.passwordFile).catch(ignore('EEXIST'));
  await rm(temp);
  return (await readFile(cluster.passwordFile, 'utf8')).trim();
}

/** Runs initdb beside the final place and moves the result there, so that a cluster is complete or not there. */
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
      // Another process was faster, or else something that is no cluster is in the way.
      if (!(await clusterExists(cluster))) throw error;
    });
    await syncDirectory(cluster.home);
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

async function syncDirectory(dir: string): Promise<void> {
  // Windows cannot open directories, and needs no such thing.
  const handle = await open(dir).catch(() => undefined);
  await handle?.sync().finally(() => handle.close());
}

/** What a postmaster says about itself in its lock file. */
export interface LockFile {
  pid: number;
  port: number;
  /** `starting`, `ready`, `stopping`; empty when it has not got that far. */
  status: string;
  /** Key and id of the shared memory it uses, as in /proc/sysvipc/shm. */
  memory: string | undefined;
}

/** @returns undefined when there is none, or nothing in it yet */
export async function readLockFile(dir: string): Promise<LockFile | undefined> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(notFound);
  const [pid, , , port, , , memory = '', status = ''] = text?.split('\n') ?? [];
  if (!Number(pid)) return undefined;
  const [, key, id] = /^\s*(\d+)\s+(\d+)\s*$/.exec(memory) ?? [];
  return {
    // Negative when it is not a postmaster but a backend run by hand.
    pid: Math.abs(Number(pid)),
    port: Number(port),
    status: status.trim(),
    // The key is printed as unsigned here and as signed there.
    memory: key && id ? `${BigInt.asIntN(32, BigInt(key))} ${id}` : undefined,
  };
}

/** @throws EmbeddedUnavailable when the cluster belongs to another user, and this is not root */
export async function checkOwner(cluster: Cluster): Promise<void> {
  const owner = (await lstat(cluster.dir).catch(notFound))?.uid;
  const self = process.geteuid?.();
  if (owner === undefined || self === undefined || self === 0 || owner === self) return;
  throw new EmbeddedUnavailable(
    `${cluster.dir} belongs to another user (uid ${owner}): run this as that user or as root, set SVC_DATA_DIR to another directory, or ${INSTEAD}`,
  );
}

/**
 * Gives the cluster of a server that is not running to `user`, if it was another's so far.
 * @returns false when a server may be running after all; PostgreSQL itself notices only its own user's
 */
export async function adopt(cluster: Cluster, user: RunUser): Promise<boolean> {
  const before = await lstat(cluster.dir);
  if (before.uid === user.uid) return true;
  const lock = await readLockFile(cluster.dir);
  if (lock?.memory && (await memoryInUse(lock.memory))) return false;
  // Root's in between: keeps everyone from starting a server on it, and shows an interrupted change for what it is.
  await lchown(cluster.dir, 0, 0);
  await sleep(100);
  if ((await readLockFile(cluster.dir))?.pid !== lock?.pid) {
    await lchown(cluster.dir, before.uid, before.gid);
    return false;
  }
  for (const entry of await readdir(cluster.dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Nothing in a cluster is root's, unless its former owner linked to it to have it changed.
    if ((await lstat(path)).uid !== 0) await lchown(path, user.uid, user.gid);
  }
  await lchown(cluster.dir, user.uid, user.gid);
  return true;
}

/** Backends outlive a killed postmaster by a little; the memory they share tells. */
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
