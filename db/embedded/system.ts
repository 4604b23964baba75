import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The log of the embedded server. */
export type EmbeddedLog = Record<
  'debug' | 'info' | 'warn',
  (msg: string, fields?: Record<string, unknown>) => void
>;

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

/** Spawn options for PostgreSQL's programs: the user, and an environment without the service's secrets. */
export function spawnOptions(user: RunUser | undefined, cwd: string) {
  const env: Record<string, string> = { TZ: 'UTC', LC_ALL: 'C' };
  for (const name of ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { env, cwd, windowsHide: true, ...(user && { uid: user.uid | 0, gid: user.gid | 0 }) };
}

/** Runs a program to its end. `code` is the errno name if it could not be started. */
export const run = async (
  file: string,
  args: readonly string[],
  options: ReturnType<typeof spawnOptions>,
): Promise<{ code: number | string; output: string }> =>
  promisify(execFile)(file, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout = '', stderr = '', message }) => ({ code, output: stdout + stderr || message }),
  );

const TEMP_MAX_AGE_MS = 10 * 60_000;

/** Calls `use` with a temporary directory in `dir`. */
export async function withTemp(dir: string, use: (temp: string) => Promise<unknown>): Promise<void> {
  const temp = await mkdtemp(join(dir, 'tmp-'));
  await use(temp).finally(() => rm(temp, { recursive: true, force: true }));
}

/** Removes temporary directories that a process left when it died. */
export async function sweepTemps(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const found = name.startsWith('tmp-') && (await stat(path).catch(() => undefined));
    if (!found || Date.now() - found.mtimeMs < TEMP_MAX_AGE_MS) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}
