import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Kills the processes that a test run has left when its runner exits, also by SIGKILL: standard input is a pipe from
 * the runner, which the system closes. The run's processes are those that work in the run's temporary directory, or have it
 * as their `TMPDIR`. PostgreSQL gets a moment to end in order, so that it frees its shared memory.
 */
const [dir] = process.argv.slice(2);
const POSTGRES_PATIENCE_MS = 3_000;
const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** On systems other than Linux, those are the PostgreSQL servers only. */
function processesOfRun() {
  const found = new Map();
  for (const name of process.platform === 'linux' ? readdirSync('/proc') : []) {
    const pid = Number(name);
    if (pid && pid !== process.pid && isOfRun(pid)) found.set(pid, isPostgres(pid));
  }
  // Also where the system does not show what other users' processes are: PostgreSQL runs as one of those under root.
  for (const pid of postmasters(dir, 3)) if (isRunning(pid)) found.set(pid, true);
  return [...found].map(([pid, isPostgres]) => ({ pid, isPostgres }));
}

function isOfRun(pid) {
  const cwd = attempt(() => readlinkSync(`/proc/${pid}/cwd`)) ?? '';
  const env = attempt(() => readFileSync(`/proc/${pid}/environ`, 'utf8')) ?? '';
  const temporary = /(?:^|\0)TMPDIR=([^\0]*)/.exec(env)?.[1] ?? '';
  // A run within this one has a directory in ours.
  return [cwd, temporary].some((path) => `${path}/`.startsWith(`${dir}/`));
}

const isPostgres = (pid) => attempt(() => readFileSync(`/proc/${pid}/comm`, 'utf8')) === 'postgres\n';

/** Process ids in the lock files of PostgreSQL data directories, which are so many levels deep at most. */
function postmasters(at, levels) {
  const entries = attempt(() => readdirSync(at, { withFileTypes: true })) ?? [];
  if (entries.some(({ name }) => name === 'PG_VERSION')) {
    return [Number(attempt(() => readFileSync(join(at, 'postmaster.pid'), 'utf8'))?.split('\n')[0] ?? 0)];
  }
  if (levels === 0) return [];
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => postmasters(join(at, name), levels - 1));
}

function isRunning(pid) {
  if (!(pid > 0) || attempt(() => process.kill(pid, 0)) !== true) return false;
  // The id may belong to another process by now, or to a zombie.
  return process.platform !== 'linux' || (isPostgres(pid) && !isZombie(pid));
}

const isZombie = (pid) => /\) Z /.test(attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '');

function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// The runner writes nothing; the pipe closes when it exits.
await text(process.stdin);
const began = Date.now();
for (
  let left = processesOfRun();
  left.length > 0 && Date.now() - began < PATIENCE_MS;
  left = processesOfRun()
) {
  const patient = Date.now() - began < POSTGRES_PATIENCE_MS;
  for (const { pid, isPostgres } of left) {
    attempt(() => process.kill(pid, isPostgres && patient ? 'SIGQUIT' : 'SIGKILL'));
  }
  await sleep(POLL_MS);
}
rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
