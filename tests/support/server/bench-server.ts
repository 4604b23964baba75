import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Site } from '../scenario/site.ts';

/** The service as its users run it: built, in a process of its own, logging to a file. */
export interface BenchServer {
  /** Without a path. */
  origin: string;
  /** What it says goes here. */
  logFile: string;
  /** Processor time it has used so far, in seconds; undefined where the system does not tell. */
  cpuSeconds(): Promise<number | undefined>;
  /** Resident memory now, in MiB; undefined where the system does not tell. */
  memory(): Promise<number | undefined>;
  pid: number;
  /** Sends a signal, and does not wait for what comes of it. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended: with its exit code, null when a signal ended it. */
  exited: Promise<number | null>;
  /** Ends it with SIGTERM. */
  stop(): Promise<void>;
}

export interface BenchServerOptions {
  /** The checkout whose server is started. */
  root: string;
  /** Unset: the embedded PostgreSQL, in the server's data directory. */
  databaseUrl?: string | undefined;
  /** What is run instead of the checkout's dist/server.js. */
  entry?: string | undefined;
  /** Settings beside those every benchmark has. */
  env?: Record<string, string>;
  /** Writes a CPU profile into this directory when it stops. */
  profileDir?: string | undefined;
}

const START_MS = 30_000;

/** Builds the server of a checkout. */
export async function buildServer(root: string): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: root });
}

/** Starts a server that was built; resolves when it listens. */
export async function startServer(site: Site, options: BenchServerOptions): Promise<BenchServer> {
  const { root, databaseUrl, env, profileDir, entry = join(root, 'dist/server.js') } = options;
  const home = join(site.workDir, `server-${randomBytes(4).toString('hex')}`);
  await mkdir(home);
  const logFile = join(home, 'server.log');
  const log = await open(logFile, 'a');
  const profile = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
  const child = spawn(process.execPath, [...profile, ...(await nodeFlags(root)), entry], {
    // Neither a `.env` file nor this shell's settings may change what is measured.
    cwd: home,
    env: {
      PATH: process.env.PATH,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      SVC_HOST: '127.0.0.1',
      SVC_PORT: '0',
      SVC_DATA_DIR: home,
      JWT_SECRET: 'a secret for benchmarks only',
      // All logins are of one account, which is timed with its mails.
      SVC_MAX_MAILS_PER_HOUR: '1000000',
      // So are thousands of organizations, and tokens of one project.
      SVC_MAX_ORGS_PER_ACCOUNT: '1000000',
      SVC_MAX_TOKENS_PER_ORG: '1000000',
      SVC_MAX_TOKENS_PER_PROJECT: '1000000',
      SVC_MAX_PROJECTS_PER_ORG: '1000000',
      SVC_MAX_MEMBERS_PER_ORG: '1000000',
      ...env,
    },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  site.onClose(() => stop(child));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return {
    exited,
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    origin: await listening(child, logFile),
    logFile,
    cpuSeconds: () => cpuSeconds(child),
    memory: () => memory(child),
    stop: () => stop(child),
  };
}

/** The flags `npm start` gives to Node. */
async function nodeFlags(root: string): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

async function listening(child: ChildProcess, logFile: string): Promise<string> {
  const deadline = Date.now() + START_MS;
  while (child.exitCode === null && Date.now() < deadline) {
    const port = /listening url=\S+:(\d+)/.exec(await readFile(logFile, 'utf8'))?.[1];
    if (port) return `http://127.0.0.1:${port}`;
    await sleep(20);
  }
  throw new Error(`the server does not start:\n${await readFile(logFile, 'utf8')}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const TICKS_PER_SECOND = 100;

async function cpuSeconds({ pid }: ChildProcess): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // After the command in parentheses; user and system time are the 14th and 15th field.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function memory({ pid }: ChildProcess): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}
