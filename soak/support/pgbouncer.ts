import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '../../tests/support/scenario/site.ts';
import { freePort } from '../../tests/support/server/proc.ts';

/** PgBouncer in front of a PostgreSQL. */
export interface PgBouncer {
  /** The URL of the same server through PgBouncer. */
  url: string;
  logFile: string;
}

export interface PgBouncerOptions {
  /** Maximum number of connections to each database. */
  poolSize: number;
}

const NOBODY = 65534;
const START_MS = 10_000;

/** Starts PgBouncer in transaction mode, on a free port of loopback, for all databases of a server. */
export async function startPgBouncer(
  site: Site,
  databaseUrl: string,
  { poolSize }: PgBouncerOptions,
): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const dir = join(site.workDir, 'pgbouncer');
  await mkdir(dir);
  const listenPort = await freePort();
  const logFile = join(dir, 'pgbouncer.log');
  const config = join(dir, 'pgbouncer.ini');
  const login = `user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  await writeFile(
    config,
    `[databases]
* = host=${hostname} port=${port || 5432} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 1000
; A database is copied and dropped while nobody is connected to it.
server_idle_timeout = 1
logfile = ${logFile}
`,
  );
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    // PgBouncer refuses to run as root.
    await chmod(site.workDir, 0o711);
    await chown(dir, NOBODY, NOBODY);
    await chown(config, NOBODY, NOBODY);
  }
  const child = spawn('pgbouncer', [config], {
    stdio: 'ignore',
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    ...(asRoot && { uid: NOBODY, gid: NOBODY }),
  });
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`pgbouncer does not start, is it installed? ${error.message}`);
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`pgbouncer has ended: ${logFile}`);
  });
  failed.catch(() => {});
  ended.catch(() => {});
  site.onClose(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  await Promise.race([listening(listenPort), failed, ended]);
  return { url: `postgres://postgres@127.0.0.1:${listenPort}/postgres`, logFile };
}

async function listening(port: number): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const socket = net.connect(port, '127.0.0.1');
    const answer = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (answer) return;
    if (Date.now() > deadline) throw new Error('pgbouncer does not listen');
    await sleep(50);
  }
}
