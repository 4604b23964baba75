import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, lchown, link, lstat, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
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
  user: RunUser | undefined;
}

/**
 * Creates the directory of the cluster, but not the cluster.
 * @throws EmbeddedUnavailable when this process is root, and there is no user to run PostgreSQL as
 */
export async function openCluster(dataDir: string): Promise<Cluster> {
  const home = resolve(dataDir, 'postgres');
  if (await createDirectory(home)) await chmod(home, 0o755);
  await sweepTemps(home);
  const dir = join(home, MAJOR);
  const user = process.geteuid?.() === 0 ? await findUser(dir) : undefined;
  return { home, dir, passwordFile: `${dir}.password`, logFile: join(home, 'postgres.log'), user };
}

/**
 * PostgreSQL refuses to run as root, so root runs it as the owner of an existing cluster, whose own processes PostgreSQL then
 * detects, and otherwise as a user for it alone, if there is one, or as `nobody`.
 */
async function findUser(dir: string): Promise<RunUser> {
  const owner = await lstat(dir).catch(() => undefined);
  if (owner?.uid) return { name: `uid ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const user = userIn(accounts);
  if (user) return user;
  throw new EmbeddedUnavailable(
    `PostgreSQL does not run as root and there is no user "nobody" to run it as: run this as another user, or ${INSTEAD}`,
  );
}

/** Other services may run as `nobody`, and could read the files of PostgreSQL. */
const USERS = ['svc-findings', 'nobody'];

/** The first of the users that a file in the format of `/etc/passwd` has. */
export function userIn(accounts: string): RunUser | undefined {
  for (const name of USERS) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(-?\\d+):(-?\\d+):`, 'm').exec(accounts) ?? [];
    // macOS writes -2 where stat() says 4294967294.
    if (Number(uid)) return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  return undefined;
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
    await withTemp(home, async (temp) => {
      const file = join(temp, 'password');
      await writeFile(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
      // Unlike a rename, a link fails if another process has written a password, which is then used.
      await link(file, passwordFile).catch((error) => {
        if (error.code !== 'EEXIST') throw error;
      });
    });
  }
  return (await readFile(passwordFile, 'utf8')).trim();
}

/** Creates the cluster atomically: runs initdb in a temporary directory and renames it. */
export async function createCluster(cluster: Cluster, password: string, initdb: string): Promise<void> {
  const { home, user } = cluster;
  await withTemp(home, async (temp) => {
    const dir = join(temp, 'data');
    const passwordFile = join(temp, 'password');
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
    const directory = await open(home).catch(() => undefined);
    await directory?.sync().finally(() => directory.close());
  });
}

export type LockFile = NonNullable<Awaited<ReturnType<typeof readLockFile>>>;

/**
 * Reads the lock file of a postmaster (`postmaster.pid`). Its status is `starting`, `ready` or `stopping`, and empty until the port
 * is open.
 * @returns undefined when the file does not exist or is empty
 */
export async function readLockFile({ dir }: Cluster) {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const [pid, , , port, , , , status = ''] = text?.split('\n') ?? [];
  return Number(pid) ? { pid: Number(pid), port: Number(port), status: status.trim() } : undefined;
}
