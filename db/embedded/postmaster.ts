import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, open, readdir } from 'node:fs/promises';
import net from 'node:net';
import type { Binaries } from './binaries.ts';
import { type Cluster, dataArgument, type LockFile, readLockFile } from './cluster.ts';
import { EmbeddedUnavailable, INSTEAD, inspect, type RunUser, run, sleep, spawnOptions } from './system.ts';

const LOG_MAX_BYTES = 1024 * 1024;
/** Timeout for writing the lock file, which a postmaster does first. The recovery that may follow has no timeout. */
const LOCK_TIMEOUT_MS = 10_000;
const POLL_MS = 10;

/**
 * Acquires the lock for creating and starting a cluster: an abstract socket, whose name the kernel frees when the process
 * ends. PostgreSQL's lock file is not sufficient if two postmasters find a stale one at the same time. The password makes the
 * name secret to other users.
 * @returns a function that releases the lock; undefined when another process holds it
 */
export async function tryStartLock(password: string): Promise<(() => void) | undefined> {
  if (process.platform !== 'linux') return () => {};
  const name = createHash('sha256').update(`start ${password}`).digest('base64url');
  const server = net.createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      // Without abstract sockets, PostgreSQL's lock file has to suffice.
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
  /** A lock file whose process does not exist. */
  stale: LockFile | undefined;
  /** Unset: any free port. */
  port: number | undefined;
  /** Aborts the start. */
  signal: AbortSignal;
}

/**
 * Starts a postmaster and waits until it is ready.
 * @returns the postmaster, or the reason of a failure that may be temporary, such as another process
 * @throws EmbeddedUnavailable when PostgreSQL cannot start
 */
export async function launch(options: Launch): Promise<ChildProcess | string> {
  const { cluster, binaries, user, settings, stale, signal } = options;
  const log = await openLog(cluster.logFile);
  try {
    const { size: logStart } = await log.stat();
    // Copied and restored files often have a mode that PostgreSQL refuses.
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
      // The sync after a crash. The default syncs file by file, which takes minutes with some thousand organizations.
      ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
      ...settings,
    };
    for (const [name, value] of Object.entries(all)) args.push('-c', `${name}=${value}`);
    const child = spawn(binaries.postgres, args, {
      // Makes PostgreSQL treat the lock file as stale even if another program has the process id now. Unlike deleting the
      // file, this keeps its check for remaining backends.
      ...spawnOptions(user, stale && { PG_GRANDPARENT_PID: `${stale.pid}` }),
      cwd: cluster.dir,
      // A session of its own, so that Ctrl-C in the terminal does not stop it before this process.
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
    if (['0', 'SIGKILL', 'lost'].includes(end) || lines.some((line) => isConflict(line, child.pid)))
      return why;
    throw new EmbeddedUnavailable(
      `the embedded PostgreSQL does not start (${why}): see ${cluster.logFile}, or ${INSTEAD}`,
    );
  } finally {
    await log.close();
  }
}

/**
 * Waits until a postmaster is ready or ends.
 * @returns `ready`; `lost` when it did not get the lock file in time; or its exit status, signal or error
 */
async function readyOrEnd(child: ChildProcess, dir: string, signal: AbortSignal): Promise<string> {
  let end: string | undefined;
  child.on('error', (error) => {
    end = error.message;
  });
  child.on('exit', (code, signal) => {
    end = `${code ?? signal}`;
  });
  for (let lockedAt = Date.now(); Date.now() - lockedAt < LOCK_TIMEOUT_MS; await sleep(POLL_MS)) {
    const lock = await readLockFile(dir);
    if (end !== undefined) return end;
    // The postmaster exits soon, even during recovery.
    if (signal.aborted) child.kill('SIGINT');
    if (lock?.pid !== child.pid) continue;
    if (lock?.status === 'ready') return 'ready';
    lockedAt = Date.now();
  }
  child.kill('SIGQUIT');
  return 'lost';
}

/** Whether a log line of the postmaster says that another process holds the lock file, the port or the shared memory. */
function isConflict(line: string, pid: number | undefined): boolean {
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
 * Below the ports that systems use for outgoing connections. Such a connection could take the port while the server restarts,
 * or even connect to itself.
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

function tryPort(requested: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen({ port: requested, host: '127.0.0.1', exclusive: true }, () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/**
 * Kills the remaining backends of a killed postmaster. A busy one would prevent the next server from starting; waiting ones
 * exit by themselves. Call it only if the cluster has no postmaster.
 */
export async function killBackends(dir: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!pid || (await inspect(pid, dir)) !== 'alive') continue;
    try {
      // Its transaction cannot be committed without a postmaster.
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended or belongs to another user.
    }
  }
}

/**
 * Shuts down a postmaster: first fast, then immediately (without a checkpoint).
 * @returns whether it has ended
 */
export async function shutDown(pid: number, dir: string, pgCtl: () => Promise<string>): Promise<boolean> {
  for (const [signal, timeoutMs] of [
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
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; ) {
      if ((await inspect(pid, dir)) === 'gone') return true;
      await sleep(POLL_MS);
    }
  }
  return false;
}
