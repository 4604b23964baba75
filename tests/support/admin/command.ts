import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { type AdminIo, runAdmin } from '../../../lib/admin/run.ts';
import { JWT_SECRET } from '../server/app.ts';

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a command in this process. */
export async function admin(
  databaseUrl: string,
  args: readonly string[],
  options: Partial<Pick<AdminIo, 'tracks' | 'env' | 'ask'>> = {},
): Promise<Ended> {
  const said = { out: '', err: '' };
  const code = await runAdmin(args, {
    ...options,
    env: { DATABASE_URL: databaseUrl, JWT_SECRET, LOG_FORMAT: 'json', ...options.env },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

const root = resolve(import.meta.dirname, '../../..');

/** Runs a command of the build as a process of its own. */
export function spawnAdmin(
  databaseUrl: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = root,
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [resolve(root, 'dist/admin.js'), ...args], {
    cwd,
    env: { ...process.env, DATABASE_URL: databaseUrl, JWT_SECRET, LOG_FORMAT: 'json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (data) => {
    said.out += data;
  });
  child.stderr.on('data', (data) => {
    said.err += data;
  });
  return { child, ended: once(child, 'close').then(() => ({ code: child.exitCode, ...said })) };
}
