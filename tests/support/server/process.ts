import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cpuSecondsOf, memoryOf } from './proc.ts';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** The built server as a process of its own, possibly still starting. */
export interface LaunchedServer {
  pid: number;
  /** Standard output so far. */
  log(): string;
  /** Standard error so far. */
  errors(): string;
  /** Resolves with the server's URL, without a path, when it listens; rejects when it exits earlier. */
  listening: Promise<string>;
  /** Resolves with the exit code, null when a signal ended the process. */
  exited: Promise<number | null>;
  /** Sends a signal without waiting for its effect. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal, SIGTERM by default, and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** Processor time used so far, in seconds. NaN where /proc does not exist. */
  cpuSeconds(): Promise<number>;
  /** Resident memory in MiB. NaN where /proc does not exist. */
  memory(): Promise<number>;
}

export interface ServerProcess extends LaunchedServer {
  url: string;
}

export interface LaunchOptions {
  /** All settings; the server inherits none from this process. */
  env?: Record<string, string>;
  /** Where the server's working directory is made. */
  workDir?: string;
  /** The checkout whose dist/server.js runs. */
  root?: string;
  /** A file that runs instead of dist/server.js. */
  entry?: string | undefined;
  /** Writes a CPU profile into this directory when the server stops. */
  profileDir?: string | undefined;
  /** Whether {@link stopServers} leaves it running, because several suites use it. */
  isShared?: boolean;
}

const START_MS = 60_000;
const running = new Set<LaunchedServer>();

/** Builds the server of a checkout: as for a release, or `fast`, as `npm start` does. */
export async function buildServer(root = ROOT, { fast = false } = {}): Promise<void> {
  const options = fast ? ['--fast'] : [];
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', ...options], { cwd: root });
}

/** Starts the built server on a free port of loopback, with the flags of `npm start`. */
export function launchServer({
  env,
  workDir = tmpdir(),
  root = ROOT,
  entry = join(root, 'dist/server.js'),
  profileDir,
  isShared = false,
}: LaunchOptions): LaunchedServer {
  // Neither a `.env` file nor this shell's settings may change what is tested.
  const home = mkdtempSync(join(workDir, 'server-'));
  const files = [join(home, 'server.log'), join(home, 'server.err')] as const;
  const [out, err] = files.map((file) => openSync(file, 'a')) as [number, number];
  const profile = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
  const child = spawn(process.execPath, [...profile, ...nodeFlags(root), entry], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      // The watchdog of a test run recognizes its processes by TMPDIR.
      ...(process.env.TMPDIR && { TMPDIR: process.env.TMPDIR }),
      SVC_HOST: '127.0.0.1',
      SVC_PORT: '0',
      ...env,
    },
    stdio: ['ignore', out, err],
  });
  for (const file of [out, err]) closeSync(file);
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const [log, errors] = files.map((file) => () => readFileSync(file, 'utf8')) as [() => string, () => string];
  const pid = child.pid ?? 0;
  const server: LaunchedServer = {
    ...{ pid, log, errors, exited },
    listening: listening(child, log, errors),
    signal: (signal) => void child.kill(signal),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exited;
    },
    cpuSeconds: () => cpuSecondsOf(pid),
    memory: () => memoryOf(pid),
  };
  // Nothing awaits this when the server is stopped while it starts.
  server.listening.catch(() => {});
  if (!isShared) running.add(server);
  void exited.then(() => running.delete(server));
  return server;
}

/** Starts the built server and waits until it listens. */
export async function startServerProcess(options: LaunchOptions): Promise<ServerProcess> {
  const server = launchServer(options);
  return { ...server, url: await server.listening };
}

/** Stops all servers of this process that still run, such as those of a failed test. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop()));
}

/** The flags `npm start` gives to Node. */
function nodeFlags(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return scripts.start.split(' ').filter((word: string) => word.startsWith('--'));
}

async function listening(child: ChildProcess, log: () => string, errors: () => string): Promise<string> {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  for (const deadline = Date.now() + START_MS; isRunning() && Date.now() < deadline; await sleep(20)) {
    const port = /listening.*:(\d+)"?[\s}]/.exec(log())?.[1];
    if (port) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`the server does not start, exit code ${child.exitCode}:\n${log()}${errors()}`);
}
