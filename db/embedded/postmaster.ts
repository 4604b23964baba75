import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { chmod, open, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { type Cluster, dataArgument, readLockFile } from './cluster.ts';
import { EmbeddedUnavailable, INSTEAD, run, spawnOptions } from './system.ts';

const LOG_MAX_BYTES = 1024 * 1024;
const POLL_MS = 10;
/**
 * Below the ports that systems use for outgoing connections. Such a connection could take the port while the server restarts,
 * or even connect to itself.
 */
const PORTS = { from: 15_000, to: 32_000 };

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
  settings: Record<string, string>;
  /** The process id in a lock file whose postmaster is dead. */
  stalePid: number | undefined;
  /** Unset: any port. */
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
  const { cluster, binaries, stalePid, port = randomInt(PORTS.from, PORTS.to), signal } = options;
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    // The sync after a crash. The default syncs file by file, which takes minutes with some thousand organizations.
    ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
    ...options.settings,
  };
  const args = ['-D', dataArgument(cluster.dir, cluster.user), '-p', `${port}`];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  const spawning = spawnOptions(cluster.user, cluster.dir);
  // Makes PostgreSQL treat the lock file as stale even if another program has the process id now, as happens after a reboot
  // and in containers. Unlike deleting the file, this keeps its check for a server that uses the shared memory.
  if (stalePid) spawning.env.PG_GRANDPARENT_PID = `${stalePid}`;

  const log = await open(cluster.logFile, 'a', 0o600);
  try {
    if ((await log.stat()).size > LOG_MAX_BYTES) await log.truncate();
    const { size: logStart } = await log.stat();
    // Copied and restored files often have a mode that PostgreSQL refuses.
    await chmod(cluster.dir, 0o700);
    // Detached, so that Ctrl-C in the terminal does not stop it before this process.
    const stdio = ['ignore' as const, log.fd, log.fd];
    const child = spawn(binaries.postgres, args, { ...spawning, detached: true, stdio });
    child.unref();
    let end = '';
    child.on('error', (error) => {
      end = error.message;
    });
    child.on('exit', (code, signal) => {
      end = `${code ?? signal}`;
    });
    while (!end) {
      const lock = await readLockFile(cluster);
      if (lock?.pid === child.pid && lock?.status === 'ready') return child;
      // The postmaster exits soon, even during recovery.
      if (signal.aborted) child.kill('SIGINT');
      await sleep(POLL_MS);
    }
    const output = (await readFile(cluster.logFile)).subarray(logStart).toString();
    const why = /(?:FATAL|PANIC):.*/.exec(output)?.[0] ?? (output.trim().split('\n').at(-1) || end);
    // Another process holds the lock file, the port or the shared memory.
    const isConflict = output
      .split('\n')
      .some(
        (line) =>
          line.includes('FATAL: ') &&
          /lock file .{0,4096} (?:already exists|is empty)|any TCP\/IP sockets|shared memory block/.test(
            line,
          ),
      );
    // Shut down by another process, or killed.
    if (isConflict || ['0', 'SIGKILL'].includes(end)) return why;
    throw new EmbeddedUnavailable(
      `the embedded PostgreSQL does not start (${why}): see ${cluster.logFile}, or ${INSTEAD}`,
    );
  } finally {
    await log.close();
  }
}

/**
 * Kills the remaining backends of a dead postmaster. A busy one would prevent the next server from starting; waiting ones exit by
 * themselves.
 * @returns false when the postmaster is alive
 */
export async function killBackends(cluster: Cluster, postmaster: number): Promise<boolean> {
  const dir = await realpath(cluster.dir);
  const pids: number[] = [];
  for (const pid of await readdir('/proc').catch(() => [])) {
    const program = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (program === 'postgres\n' && directory === dir) pids.push(Number(pid));
  }
  if (pids.includes(postmaster)) return false;
  for (const pid of pids) {
    try {
      // Its transaction cannot be committed without a postmaster.
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended.
    }
  }
  return true;
}

/**
 * Shuts down the server of a cluster: first fast, then immediately (without a checkpoint).
 * @returns whether it has ended
 */
export async function shutDown({ dir, user }: Cluster, { pgCtl }: Binaries): Promise<boolean> {
  for (const [mode, seconds] of Object.entries({ fast: '8', immediate: '7' })) {
    const args = ['stop', '-D', dataArgument(dir, user), '-m', mode, '-t', seconds];
    if ((await run(pgCtl, args, spawnOptions(user, dir))).code === 0) return true;
  }
  return false;
}
