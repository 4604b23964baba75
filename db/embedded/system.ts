import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The log of the embedded server. */
export interface EmbeddedLog {
  debug(msg: string, fields?: Record<string, unknown>): void;
  info(msg: string, fields?: Record<string, unknown>): void;
  warn(msg: string, fields?: Record<string, unknown>): void;
}

/** Thrown with a one-line message meant for the user. */
export class EmbeddedUnavailable extends Error {
  override name = 'EmbeddedUnavailable';
}

/** The advice in error messages when the embedded PostgreSQL does not work. */
export const INSTEAD = 'set DATABASE_URL to a PostgreSQL server of your own';

/** The user PostgreSQL runs as, if it is not the user of this process. */
export interface RunUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root, so root runs it as the user `nobody`.
 * @returns undefined when this process is not root
 * @throws EmbeddedUnavailable when that user does not exist
 */
export async function unprivilegedUser(): Promise<RunUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const line of accounts.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    // macOS writes -2 where stat() says 4294967294.
    if (name === 'nobody' && Number(uid)) return { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  throw new EmbeddedUnavailable(
    `PostgreSQL does not run as root and there is no user "nobody" to run it as: run this as another user, or ${INSTEAD}`,
  );
}

/** Spawn options for PostgreSQL's programs: the user, and an environment without the service's secrets. */
export function spawnOptions(user: RunUser | undefined, extraEnv: Record<string, string> = {}) {
  const env: Record<string, string> = { TZ: 'UTC', LC_ALL: 'C', ...extraEnv };
  for (const name of ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { env, windowsHide: true, ...(user && { uid: user.uid | 0, gid: user.gid | 0 }) };
}

/** The result of a program. `code` is the errno name if it could not be started. */
export interface Finished {
  code: number | string;
  output: string;
}

/** Runs a program to its end. */
export function run(
  file: string,
  args: readonly string[],
  options: ReturnType<typeof spawnOptions> & { cwd: string },
): Promise<Finished> {
  return new Promise((resolve) => {
    let output = '';
    const failed = (error: NodeJS.ErrnoException) =>
      resolve({ code: error.code ?? 'failed', output: error.message });
    try {
      const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.on('data', (data) => (output += data));
      child.stderr.on('data', (data) => (output += data));
      child.on('error', failed);
      child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'failed', output }));
    } catch (error) {
      failed(error as NodeJS.ErrnoException);
    }
  });
}

/** Whether `user` can read `path`, according to owners and modes. */
export async function canReach(path: string, { uid, gid }: RunUser): Promise<boolean> {
  for (let at = path, needed = 4; ; at = dirname(at), needed = 1) {
    const found = await stat(at).catch(() => undefined);
    if (!found) return false;
    const shift = found.uid === uid ? 6 : found.gid === gid ? 3 : 0;
    const bits = needed | (found.isDirectory() ? 1 : 0);
    if (((found.mode >> shift) & bits) !== bits) return false;
    if (at === dirname(at)) return true;
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const TEMP_MAX_AGE_MS = 10 * 60_000;

/** Path of a new temporary entry in `dir`. Its name contains the process id, for `sweepTemps`. */
export const tempIn = (dir: string): string =>
  join(dir, `tmp-${process.pid}-${randomBytes(6).toString('hex')}`);

/** Removes temporary entries of dead processes, and old ones, because the process id may be in use again. */
export async function sweepTemps(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const pid = /^tmp-(\d+)-/.exec(name)?.[1];
    if (!pid) continue;
    const path = join(dir, name);
    const stats = await stat(path).catch(() => undefined);
    if (!stats || (exists(Number(pid)) && Date.now() - stats.mtimeMs < TEMP_MAX_AGE_MS)) continue;
    // An initdb may still write there after its parent died. The next start removes the rest.
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Determines whether `pid` from a lock file in `clusterDir` is a postmaster of that cluster. `gone` is certain, even if
 * another program has the process id now, as happens after a reboot and in containers.
 */
export async function inspect(pid: number, clusterDir: string): Promise<'gone' | 'alive' | 'unclear'> {
  if (!exists(pid)) return 'gone';
  if (process.platform === 'darwin') {
    const { code, output } = await run('/bin/ps', ['-o', 'comm=', '-p', `${pid}`], {
      ...spawnOptions(undefined),
      cwd: '/',
    });
    return code === 0 && basename(output.trim()) !== 'postgres' ? 'gone' : 'unclear';
  }
  if (process.platform !== 'linux') return 'unclear';
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  if (!status) return (await stat('/proc/self').catch(() => undefined)) ? 'gone' : 'unclear';
  const [, command, state] = /\((.*)\) (\w)/s.exec(status) ?? [];
  // A zombie holds no resources. It stays for ever if process 1 does not reap it.
  if (command !== 'postgres' || state === 'Z' || state === 'X') return 'gone';
  const cluster = await stat(clusterDir, { bigint: true });
  try {
    // Compares the path as well, because inode numbers are not stable on every file system.
    if ((await readlink(`/proc/${pid}/cwd`)) === (await realpath(clusterDir))) return 'alive';
    const cwd = await stat(`/proc/${pid}/cwd`, { bigint: true });
    return cwd.dev === cluster.dev && cwd.ino === cluster.ino ? 'alive' : 'gone';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    // In containers, root may not inspect other users' processes. It can only see their owner, or root in its place.
    const owner = await stat(`/proc/${pid}`, { bigint: true }).catch(() => undefined);
    return owner?.uid === cluster.uid || owner?.uid === 0n ? 'unclear' : 'gone';
  }
}
