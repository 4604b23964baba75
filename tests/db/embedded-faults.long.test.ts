import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { DiskSpace } from '../../db/embedded/disk.ts';
import { type EmbeddedOptions, startEmbedded } from '../../db/embedded/embedded.ts';
import { isRunning } from '../support/server/proc.ts';

const onLinux = process.platform === 'linux';
const MIB = 1024 * 1024;
const HOLDERS = "select pid from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted";

let dataDir: string;
let said: string[] = [];
const cleanUp: (() => unknown)[] = [];

// One cluster for all, because making one takes longer than any of them.
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-'));
  await start();
  await cleanUp.pop()?.();
});
beforeEach(() => {
  said = [];
});
afterAll(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
  expect(existsSync(join(clusterDir(), 'postmaster.pid'))).toBe(false);
});

async function start(options: Partial<EmbeddedOptions> = {}) {
  const say = (msg: string) => void said.push(msg);
  const server = await startEmbedded({ dataDir, log: { debug() {}, info: say, warn: say }, ...options });
  cleanUp.push(server.stop);
  return server;
}

async function query<T extends object>(url: string, text: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    return await sql.unsafe<T[]>(text);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const makeTable = (url: string) => query(url, 'drop table if exists kept; create table kept (n int)');

const clusterDir = () => join(dataDir, 'postgres', '18');

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(clusterDir(), 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

async function kill(pid: number) {
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await isRunning(pid)).toBe(false));
}

/** Waits until the server answers where it did before, and its shares are held. */
const untilBack = (url: string, shares = 1) =>
  vi.waitFor(async () => expect(await query(url, HOLDERS)).toHaveLength(shares), {
    timeout: 10_000,
    interval: 20,
  });

describe('a server that dies', () => {
  test('is started again where it was, with all that was committed, every time', async () => {
    const { adminUrl: url } = await start();
    await makeTable(url);
    for (const n of [1, 2]) {
      await query(url, `insert into kept values (${n})`);
      await kill(await postmasterPid());
      await untilBack(url);
    }
    expect(await query(url, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
    const story = ['database server lost', 'database server started', 'database server is back'];
    expect(said.slice(1)).toEqual([...story, ...story]);
  });

  test('is back by itself when only one of its processes was killed', async () => {
    const { adminUrl: url } = await start();
    const pid = await postmasterPid();
    const [holder] = await query<{ pid: number }>(url, HOLDERS);
    process.kill(holder?.pid ?? 0, 'SIGKILL');
    await untilBack(url);
    expect(await postmasterPid()).toBe(pid);
  });

  test('is not left running by a process that stops while it comes back', async () => {
    const { adminUrl: url, stop } = await start();
    const [holder] = await query<{ pid: number }>(url, HOLDERS);
    process.kill(holder?.pid ?? 0, 'SIGKILL');
    await stop();
    await expect(query(url, 'select 1')).rejects.toThrow();
  });

  test.skipIf(!onLinux)('is not kept from starting by its own remaining processes', async () => {
    const { adminUrl: url } = await start();
    const busy = query(url, 'select count(*) from generate_series(1, 100000000000)');
    busy.catch(() => {});
    await vi.waitFor(async () =>
      expect(
        await query(
          url,
          "select from pg_stat_activity where query ~ 'generate_series' and state = 'active' and pid <> pg_backend_pid()",
        ),
      ).toHaveLength(1),
    );
    await kill(await postmasterPid());
    await untilBack(url);
    await expect(busy).rejects.toThrow();
  });

  test('is started once for all that share it, and stopped by the last of them', async () => {
    const shares = [await start(), await start(), await start()];
    const [{ adminUrl: url }] = shares as [(typeof shares)[0]];
    await kill(await postmasterPid());
    await untilBack(url, shares.length);
    expect(said.filter((line) => line === 'database server started')).toHaveLength(2);
    await shares[0]?.stop();
    await shares[2]?.stop();
    expect(await query(url, HOLDERS)).toHaveLength(1);
  });

  test('is waited for while something else has its port', async () => {
    const { adminUrl: url } = await start();
    const port = Number(new URL(url).port);
    // The lock file of a server that cannot be started is in the way of one that can.
    await writeFile(join(clusterDir(), 'postgresql.auto.conf'), 'shared_buffers = plenty\n');
    await kill(await postmasterPid());
    await vi.waitFor(() => expect(said).toContain('database server not back'), { timeout: 5_000 });
    const other = net.createServer((socket) => socket.destroy());
    await new Promise<void>((listening) => other.listen(port, '127.0.0.1', listening));
    await rm(join(clusterDir(), 'postgresql.auto.conf'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await new Promise((closed) => other.close(closed));
    await untilBack(url);
    // Said once, however often it was tried.
    expect(said.filter((line) => line === 'database server not back')).toHaveLength(1);
  });

  test('is not started any more by a process that is stopping', async () => {
    const { stop } = await start();
    const pid = await postmasterPid();
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(said).toContain('database server lost'), { timeout: 5_000, interval: 1 });
    await stop();
    const running = (await readdir(clusterDir())).includes('postmaster.pid') ? await postmasterPid() : pid;
    expect(await isRunning(running)).toBe(false);
    await rm(join(clusterDir(), 'postmaster.pid'), { force: true });
  });
});

describe('a disk that is full', () => {
  const reserves = async () =>
    (await readdir(join(dataDir, 'postgres'))).filter((name) => name.startsWith('reserve'));
  let free: number;
  const measureDisk = async (): Promise<DiskSpace> => ({ total: 100_000 * MIB, free: free * MIB });
  beforeEach(() => {
    free = 50_000;
  });

  const insert = (url: string) => query(url, 'insert into kept values (1)');
  const refusal = { code: '25006' };
  const untilRefused = (url: string) =>
    vi.waitFor(() => expect(insert(url)).rejects.toMatchObject(refusal), { timeout: 5_000 });
  const untilTaken = (url: string) => vi.waitFor(() => insert(url), { timeout: 5_000 });

  test('takes no writes, and is read; takes writes when there is room again, and not a bit of it', async () => {
    const { adminUrl: url } = await start({ measureDisk });
    await makeTable(url);
    free = 127;
    await untilRefused(url);
    await query(url, 'select from kept');
    free = 129;
    await new Promise((resolve) => setTimeout(resolve, 600));
    await expect(insert(url)).rejects.toMatchObject(refusal);
    free = 250;
    await untilTaken(url);
    expect(said.slice(1)).toEqual([
      'the disk is full: the database takes no writes',
      'the disk has room again: the database takes writes',
    ]);
  });

  test('is still full after a restart, or no longer', async () => {
    const first = await start({ measureDisk });
    await makeTable(first.adminUrl);
    free = 10;
    await untilRefused(first.adminUrl);
    await first.stop();

    const second = await start({ measureDisk });
    await expect(insert(second.adminUrl)).rejects.toMatchObject(refusal);
    await second.stop();

    free = 50_000;
    const third = await start({ measureDisk });
    await insert(third.adminUrl);
  });

  test('is what the disk says, also when a process that has ended said otherwise', async () => {
    const { adminUrl: url } = await start({ measureDisk });
    await makeTable(url);
    const other = await start({ measureDisk: async () => ({ total: 100_000 * MIB, free: 10 * MIB }) });
    await vi.waitFor(() => expect(said).toContain('the disk is full: the database takes no writes'));
    await other.stop();
    await untilTaken(url);
  });

  test('has a reserve for the worst, which is given up bit by bit and kept again', async () => {
    const { stop } = await start({ measureDisk });
    await vi.waitFor(async () => expect(await reserves()).toHaveLength(4), { timeout: 5_000 });
    const [file] = await reserves();
    const allocated = async () => (await stat(join(dataDir, 'postgres', file ?? ''))).blocks * 512;
    await vi.waitFor(async () => expect(await allocated()).toBeGreaterThanOrEqual(16 * MIB));
    free = 20;
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await reserves()).toHaveLength(4);
    free = 0;
    for (const left of [3, 2]) {
      await vi.waitFor(async () => expect(await reserves()).toHaveLength(left), { timeout: 5_000 });
    }
    free = 50_000;
    await vi.waitFor(async () => expect(await reserves()).toHaveLength(4), { timeout: 5_000 });
    await stop();

    // Without it, there may be no room to start in.
    free = 5;
    await start({ measureDisk });
    expect((await reserves()).length).toBeLessThan(4);
  });

  test('is taken to have room when it does not tell', async () => {
    for (const unknown of [
      async () => ({ total: 0, free: 0 }),
      () => Promise.reject(new Error('not implemented')),
    ]) {
      free = 50_000;
      const full = await start({ measureDisk });
      await makeTable(full.adminUrl);
      free = 100;
      await untilRefused(full.adminUrl);
      await full.stop();
      const { adminUrl: url, stop } = await start({ measureDisk: unknown });
      await insert(url);
      await stop();
    }
  });

  test('may be so small that the log has to be', async () => {
    const small = async () => ({ total: 1024 * MIB, free: 800 * MIB });
    const { adminUrl: url } = await start({ measureDisk: small });
    expect(await query(url, 'show max_wal_size')).toEqual([{ max_wal_size: '128MB' }]);
  });
});
