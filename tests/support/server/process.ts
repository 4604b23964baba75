import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** The built server as a process of its own. */
export interface ServerProcess {
  url: string;
  pid: number;
  /** What it has logged. */
  log(): string;
  /** Sends a signal and resolves with the exit code, null when the signal ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** Ends what a failed test left behind. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((child) => end(child, 'SIGTERM')));
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  running.delete(child);
  return child.exitCode;
}

function launch(env: Record<string, string>, cwd: string) {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [resolve(root, 'dist/server.js')], {
    cwd,
    env: { ...inherited, SVC_HOST: '127.0.0.1', SVC_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const said = { out: '', err: '' };
  child.stdout?.on('data', (data) => {
    said.out += data;
  });
  child.stderr?.on('data', (data) => {
    said.err += data;
  });
  return { child, said };
}

/** Starts the server and waits until it listens. */
export async function startServerProcess(env: Record<string, string>, cwd = root): Promise<ServerProcess> {
  const { child, said } = launch(env, cwd);
  const port = await new Promise<string>((listening, failed) => {
    child.stdout?.on('data', () => {
      const found = /listening.*:(\d+)"?[\s}]/.exec(said.out);
      if (found?.[1]) listening(found[1]);
    });
    child.once('exit', (code) => failed(new Error(`exit ${code}\n${said.out}${said.err}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    log: () => said.out,
    stop: (signal) => end(child, signal),
  };
}

/** Runs the server until it ends by itself. */
export async function runServer(env: Record<string, string>, cwd = root) {
  const { child, said } = launch(env, cwd);
  await once(child, 'exit');
  running.delete(child);
  return { code: child.exitCode, ...said };
}
