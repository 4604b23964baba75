import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeRunDir } from './memory-dir.ts';

const NPM_CHECK_MS = 500;

/**
 * Prepares this process for a test run: gives the run a temporary
 * directory that is removed when the run ends, whatever ends it, together with all processes that the run has left
 * (see watchdog.mjs). Vitest reads its configuration once per project; only the first call does anything.
 */
export function openRun(): void {
  const { env, pid } = process;
  if (env.SVC_TEST_RUNNER === `${pid}`) return;
  env.SVC_TEST_RUNNER = `${pid}`;
  const outside = { ...env };
  const dir = makeRunDir();
  // PostgreSQL runs as another user when we are root.
  chmodSync(dir, 0o711);
  watch(dir, outside);
  // Every temporary directory of the run is made in here, and processes of the run are recognized by it.
  env.TMPDIR = dir;
  env.SVC_OBSERVED_DIR = mkdtempSync(join(dir, 'observed-'));
}

function watch(dir: string, env: NodeJS.ProcessEnv): void {
  const watchdog = spawn(process.execPath, [resolve(import.meta.dirname, 'watchdog.mjs'), dir], {
    cwd: '/',
    env,
    // A session of its own: Ctrl-C is not for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // Neither keeps this process. The pipe is closed by the end of this process, also by SIGKILL.
  watchdog.unref();
  (watchdog.stdin as unknown as { unref(): void }).unref();
  // Nobody tells us when SIGKILL ends npm.
  if (!process.env.npm_lifecycle_event) return;
  const npm = findNpm();
  setInterval(() => {
    if (findNpm() !== npm) process.kill(process.pid, 'SIGKILL');
  }, NPM_CHECK_MS).unref();
}

/** The npm that has started this process, mostly by a shell; changes when npm ends. */
function findNpm(): number {
  const { ppid } = process;
  try {
    const [, name = '', grandparent] =
      /\((.*)\) \w (\d+)/s.exec(readFileSync(`/proc/${ppid}/stat`, 'utf8')) ?? [];
    return name.startsWith('npm') ? ppid : Number(grandparent);
  } catch {
    return ppid;
  }
}
