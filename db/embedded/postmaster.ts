import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, open, readdir } from 'node:fs/promises';
import net from 'node:net';
import type { Binaries } from './binaries.ts';
import { type Cluster, dataArgument, type LockFile, readLockFile } from './cluster.ts';
import { EmbeddedUnavailable, INSTEAD, inspect, type RunUser, run, sleep, spawnOptions } from './system.ts';

const LOG_MAX_BYTES = 1024 * 1024;
/** A postmaster takes its lock file first of all, and keeps it. Recovery, later on, may take its time. */
const LOCKED_WITHIN_MS = 10_000;
const POLL_MS = 10;

/**
 * Lets one process at a time create and start a cluster. PostgreSQL's own lock file has a gap when two postmasters
 * find a stale one in the same moment. The kernel frees an abstract socket's name with the process; the password
 * keeps other users from guessing it.
 * @returns undefined when another process is at it
 */
export async function tryStartLock(password: string): Promise<(() => void) | undefined> {
  if (process.platform !== 'linux') return () => {};
  const name = createHash('sha256').update(`start ${password}`).digest('base64url');
  const server = net.createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      // Where it cannot be had at all, PostgreSQL's lock file has to do.
      resolve(error.code === 'EADDRINUSE' ? undefined : () => {}),
    );
    server.listen({ path: `\0svc-findings-${name}`, exclusive: true }, () => resolve(() => server.close()));
  });
}

export interface Launch {
  cluster: Cluster;
  binaries: Binaries;
  user: RunUser | undefined;
  settings: Record<string, string>;
  /** A lock file that is certainly nobody's. */
  stale: LockFile | undefined;
  /** Unset: any that is free. */
  port: number | undefined;
  /** Nobody waits for it any more. */
  signal: AbortSignal;
}

/**
 * Starts a postmaster and waits until it answers.
 * @returns the reason as text when something is in the way that may go away, another process mostly
 * @throws EmbeddedUnavailable when PostgreSQL does not start
 */
export async function launch(options: Launch): Promise<ChildProcess | string> {
  const { cluster, binaries, user, settings, stale, signal } = options;
  const log = await openLog(cluster.logFile);
  try {
    const { size: logStart } = await log.stat();
    // Copied and restored files often come with a mode that PostgreSQL refuses.
    await chmod(cluster.dir, 0o700);
    const port = options.port ?? (await freePort());
    const args = ['-D', dataArgument(cluster.dir, user), '-p', `${port}`];
    const all = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '100',
      timezone: 'UTC',
      log_timezone: 'UTC',
      log_line_prefix: '%m [%p] ',
      // After a crash everything is flushed first. File by file, which is the default, that takes minutes when there are
      // some thousand organizations.
      ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
      ...settings,
    };
    for (const [name, value] of Object.entries(all)) args.push('-c', `${name}=${value}`);
    const child = spawn(binaries.postgres, args, {
      // A lock file with this id is stale to PostgreSQL even while something else has the id. It still looks for
      // backends of that time, which it would not if the file were removed.
      ...spawnOptions(user, stale && { PG_GRANDPARENT_PID: `${stale.pid}` }),
      cwd: cluster.dir,
      // Its own session: the terminal's Ctrl-C is for us, and we need it until our last request is done.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    const end = await readyOrEnd(child, cluster.dir, signal);
    if (end === 'ready') return child;
    const lines = (await readFrom(log, logStart)).split('\n');
    const line =
      lines.find((line) => /\b(FATAL|PANIC):/.test(line)) ?? lines.findLast((line) => line.trim()) ?? end;
    const why = line.replace(/^.*?\b(?=(FATAL|PANIC):)/, '').trim();
    // Shut down by another process, or killed.
    if (['0', 'SIGKILL', 'lost'].includes(end) || lines.some((line) => inTheWay(line, child.pid))) return why;
    throw new EmbeddedUnavailable(
      `the embedded PostgreSQL does not start (${why}): see ${cluster.logFile}, or ${INSTEAD}`,
    );
  } finally {
    await log.close();
  }
}

/** How the wait for a postmaster ends: `ready`, `lost` (not to this process), its exit status, signal or error. */
async function readyOrEnd(child: ChildProcess, dir: string, signal: AbortSignal): Promise<string> {
  let end: string | undefined;
  child.on('error', (error) => {
    end = error.message;
  });
  child.on('exit', (code, signal) => {
    end = `${code ?? signal}`;
  });
  for (let locked = Date.now(); Date.now() - locked < LOCKED_WITHIN_MS; await sleep(POLL_MS)) {
    const lock = await readLockFile(dir);
    if (end !== undefined) return end;
    // During recovery this ends it soon; as long as it takes is waited for.
    if (signal.aborted) child.kill('SIGINT');
    if (lock?.pid !== child.pid) continue;
    if (lock?.status === 'ready') return 'ready';
    locked = Date.now();
  }
  child.kill('SIGQUIT');
  return 'lost';
}

function inTheWay(line: string, pid: number | undefined): boolean {
  if (!line.includes(`[${pid}]`)) return false;
  return /FATAL: .*(lock file .* (already exists|is empty)|could not create any TCP\/IP sockets|shared memory block)/.test(
    line,
  );
}

async function openLog(file: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW = 0 } = constants;
  const log = await open(file, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
  if ((await log.stat()).size > LOG_MAX_BYTES) await log.truncate();
  return log;
}

async function readFrom(log: FileHandle, start: number): Promise<string> {
  const { buffer, bytesRead } = await log.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, start);
  return buffer.toString('utf8', 0, bytesRead);
}

/**
 * Below the ports that systems give to outgoing connections: one of those could take it, or meet itself there, while
 * the server is down for a moment.
 */
const PORTS = { from: 15_000, to: 32_000 };
const PORT_TRIES = 20;

async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    const port = await tryPort(randomInt(PORTS.from, PORTS.to)).catch(() => undefined);
    if (port) return port;
  }
  return tryPort(0);
}

function tryPort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen({ port: wanted, host: '127.0.0.1', exclusive: true }, () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/**
 * Ends processes that a killed postmaster has left at work: those that wait for something end by themselves, one that
 * computes for minutes would keep the next server from starting. Only for a cluster without a postmaster.
 */
export async function endLeftovers(dir: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!pid || (await inspect(pid, dir)) !== 'alive') continue;
    try {
      // What it has not committed is gone with its postmaster anyway.
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or is another user's.
    }
  }
}

/**
 * Shuts a postmaster down: disconnects everyone, then without a checkpoint if it takes too long.
 * @returns whether it is gone
 */
export async function shutDown(pid: number, dir: string, pgCtl: () => Promise<string>): Promise<boolean> {
  for (const [signal, patience] of [
    ['INT', 8000],
    ['QUIT', 7000],
  ] as const) {
    if (process.platform === 'win32') {
      await run(await pgCtl(), ['kill', signal, `${pid}`], { ...spawnOptions(undefined), cwd: dir });
    } else {
      try {
        process.kill(pid, `SIG${signal}`);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') return false;
      }
    }
    for (const deadline = Date.now() + patience; Date.now() < deadline; ) {
      if ((await inspect(pid, dir)) === 'gone') return true;
      await sleep(POLL_MS);
    }
  }
  return false;
}
