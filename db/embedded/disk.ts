import { open, readFile, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import type { Cluster } from './cluster.ts';
import type { EmbeddedLog } from './system.ts';

const MIB = 1024 * 1024;

/** The file system of a directory, in bytes. */
export interface DiskSpace {
  total: number;
  /** For users other than root. */
  free: number;
}

export type MeasureDisk = (dir: string) => Promise<DiskSpace>;

/**
 * Makes the database read-only before its disk is full. PostgreSQL exits when it cannot extend its write-ahead log (WAL), and
 * does not start without space for it. If other programs fill the disk too fast, reserve files are deleted one by one.
 */
export interface DiskGuard {
  /** Call it before a start: deletes a reserve file if the disk is full. */
  freeReserve(): Promise<void>;
  /** Server settings for the size of the disk. */
  settings(): Promise<Record<string, string>>;
  /** Checks the disk repeatedly. Resolves after the first check. */
  watch(server: WatchedServer): Promise<void>;
  end(): Promise<void>;
}

export interface WatchedServer {
  url: string;
  /** Runs a statement on an existing connection. */
  run(statement: string): Promise<unknown>;
}

export interface DiskGuardOptions {
  cluster: Cluster;
  log: EmbeddedLog;
  measure?: MeasureDisk;
}

/** A check takes microseconds, and a disk may fill by gigabytes per second. */
const CHECK_MS = 250;
const CHECK_LOW_MS = 50;
const LOW_BYTES = 128 * MIB;
/** Each is as large as a WAL segment. PostgreSQL may need one to continue and another to recover. */
const RESERVE_FILES = 4;
/** Minimum time between two deletions of reserve files. */
const RESERVE_MS = 500;
/** Below this size of the disk, `max_wal_size` is lowered from its default of 1 GB. */
const LARGE_BYTES = 8 * 1024 * MIB;
const MIN_WAL_MIB = 64;
/** Vacuum and reads write WAL even in read-only mode. A checkpoint allows PostgreSQL to reuse it. */
const CHECKPOINT_MS = 30_000;

/** Some network and container file systems do not report their size. */
const UNKNOWN: DiskSpace = { total: Number.POSITIVE_INFINITY, free: Number.POSITIVE_INFINITY };

/** Thresholds of free space, in bytes. */
function thresholdsOf({ total }: DiskSpace) {
  const low = Math.min(LOW_BYTES, total / 8);
  return {
    /** Below, the database is read-only. */
    low,
    /** Below, reserve files are deleted. */
    empty: low / 16,
    /** Size of a reserve file. */
    reserve: Math.floor(low / 8),
    /** Above, the database is writable again. */
    high: low * 1.5,
  };
}

export function createDiskGuard({ cluster, log, measure = measureDisk }: DiskGuardOptions): DiskGuard {
  const { home } = cluster;
  const reserveFiles = Array.from({ length: RESERVE_FILES }, (_, i) => `${cluster.reserveFile}-${i + 1}`);
  const ending = new AbortController();
  const { signal } = ending;
  let checkpointedAt = 0;
  let reserveDeletedAt = 0;
  let server: WatchedServer | undefined;
  let watching: Promise<void> | undefined;

  async function measureSpace(): Promise<DiskSpace> {
    const space = await measure(home).catch(() => undefined);
    return space && space.total > 0 ? space : UNKNOWN;
  }

  /** @returns the milliseconds until the next check */
  async function checkDisk({ url, run }: WatchedServer): Promise<number> {
    const space = await measureSpace();
    const { low, high, empty, reserve } = thresholdsOf(space);
    if (space.free < empty) await deleteReserveFile();
    const readOnly = await isReadOnly();
    const fields = { dir: home, free_mib: Math.floor(space.free / MIB) };
    if (!readOnly && space.free < low) {
      await setReadOnly(run, 'on');
      log.warn('the disk is full: the database takes no writes', fields);
    } else if (readOnly && space.free > high) {
      await setReadOnly(run, 'off');
      log.info('the disk has room again: the database takes writes', fields);
    }
    if (readOnly && space.free < low && Date.now() - checkpointedAt > CHECKPOINT_MS) {
      checkpointedAt = Date.now();
      // Not awaited, because it may take longer than the interval between checks.
      void withClient(url, (sql) => sql.unsafe('checkpoint')).catch(logFailure);
    }
    // Not during the first check, which delays the start.
    const hasSpace = space !== UNKNOWN && space.free > high + RESERVE_FILES * reserve;
    if (watching && hasSpace) await createReserve(reserve);
    return space.free < low ? CHECK_LOW_MS : CHECK_MS;
  }

  /** Reads the setting of `setReadOnly`, which another process may have changed. */
  async function isReadOnly(): Promise<boolean> {
    const settings = await readFile(join(cluster.dir, 'postgresql.auto.conf'), 'utf8').catch(() => '');
    return /^default_transaction_read_only *= *'?on/m.test(settings);
  }

  /** Takes effect in all connections at their next transaction, and persists after a restart. */
  async function setReadOnly(run: WatchedServer['run'], setting: 'on' | 'off'): Promise<void> {
    await run(
      setting === 'on'
        ? 'alter system set default_transaction_read_only = on'
        : 'alter system reset default_transaction_read_only',
    );
    await run('select pg_reload_conf()');
  }

  async function deleteReserveFile(): Promise<void> {
    if (Date.now() - reserveDeletedAt < RESERVE_MS) return;
    for (const file of reserveFiles) {
      const existing = await stat(file).catch(() => undefined);
      if (!existing) continue;
      await rm(file, { force: true });
      reserveDeletedAt = Date.now();
      log.warn('the disk is full: deleted a reserve file', { mib: Math.floor(existing.size / MIB) });
      return;
    }
  }

  async function createReserve(bytes: number): Promise<void> {
    for (const path of reserveFiles) {
      const existing = await stat(path).catch(() => undefined);
      if (existing && existing.size >= bytes) continue;
      const file = await open(path, 'w', 0o600);
      try {
        // Writes all bytes, because a sparse file reserves no space.
        for (let at = 0; at < bytes; at += MIB)
          await file.write(Buffer.alloc(Math.min(MIB, bytes - at), 0xff));
      } finally {
        await file.close();
      }
    }
  }

  /** The next check retries. Usually the server is restarting. */
  const logFailure = (error: unknown) => log.debug('the disk check failed', { error });
  async function tryCheckDisk(): Promise<number> {
    try {
      return server ? await checkDisk(server) : CHECK_MS;
    } catch (error) {
      logFailure(error);
      return CHECK_LOW_MS;
    }
  }

  return {
    async freeReserve() {
      const space = await measureSpace();
      if (space.free < thresholdsOf(space).reserve) await deleteReserveFile();
    },
    async settings(): Promise<Record<string, string>> {
      const space = await measureSpace();
      if (space.total >= LARGE_BYTES) return {};
      const size = Math.max(MIN_WAL_MIB, Math.floor(space.total / 8 / MIB));
      return { max_wal_size: `${size}MB`, min_wal_size: `${MIN_WAL_MIB / 2}MB` };
    },
    async watch(watched) {
      server = watched;
      let pause = await tryCheckDisk();
      watching = (async () => {
        for (;;) {
          await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
          if (signal.aborted) return;
          pause = await tryCheckDisk();
        }
      })();
    },
    async end() {
      ending.abort();
      await watching;
    },
  };
}

async function measureDisk(dir: string): Promise<DiskSpace> {
  const { blocks, bavail, bsize } = await statfs(dir);
  return { total: blocks * bsize, free: bavail * bsize };
}

async function withClient<T>(url: string, use: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, {
    max: 1,
    ssl: false,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'svc-findings disk', statement_timeout: 30_000 },
  });
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 0 });
  }
}
