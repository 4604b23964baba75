import { existsSync } from 'node:fs';
import { readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import type { Session } from './session.ts';
import type { EmbeddedLog } from './system.ts';

const MIB = 1024 * 1024;

/** The file system of a directory, in bytes. */
export interface DiskSpace {
  total: number;
  /** For users other than root. */
  free: number;
}

export type MeasureDisk = (dir: string) => Promise<DiskSpace>;

/** A check takes microseconds, and a disk may fill by gigabytes per second. */
const CHECK_MS = 250;
const CHECK_LOW_MS = 50;
const LOW_BYTES = 128 * MIB;
const lowOf = (total: number): number => Math.min(LOW_BYTES, total / 8);
/** Each is as large as a WAL segment. PostgreSQL may need one to continue and another to recover. */
const RESERVE = ['reserve-1', 'reserve-2', 'reserve-3', 'reserve-4'];
/** Minimum time between two deletions of reserve files. */
const RESERVE_MS = 500;
/** Below this size of the disk, `max_wal_size` is lowered from its default of 1 GB. */
const LARGE_BYTES = 8 * 1024 * MIB;
const MIN_WAL_MIB = 64;
/** Vacuum and reads write WAL even in read-only mode. A checkpoint allows PostgreSQL to reuse it. */
const CHECKPOINT_MS = 30_000;

/** Some network and container file systems do not report their size. */
const UNKNOWN: DiskSpace = { total: Number.POSITIVE_INFINITY, free: Number.POSITIVE_INFINITY };

export type DiskGuard = ReturnType<typeof createDiskGuard>;

/**
 * Makes the database read-only before its disk is full. PostgreSQL exits when it cannot extend its write-ahead log (WAL), and
 * does not start without space for it. If other programs fill the disk too fast, reserve files are deleted one by one.
 */
export function createDiskGuard({ home, dir }: Cluster, log: EmbeddedLog, measure: MeasureDisk = statDisk) {
  const reserve = RESERVE.map((name) => join(home, name));
  let checkpointedAt = 0;
  let reserveDeletedAt = 0;

  async function measureSpace() {
    const found = await measure(home).catch(() => UNKNOWN);
    const { total, free } = found.total > 0 ? found : UNKNOWN;
    /** Below, the database is read-only; above `high`, it is writable again. */
    const low = lowOf(total);
    return { total, free, low, high: low * 1.5, reserveBytes: Math.floor(low / 8) };
  }

  async function deleteReserveFile(): Promise<void> {
    const file = reserve.find((path) => existsSync(path));
    if (!file || Date.now() - reserveDeletedAt < RESERVE_MS) return;
    await rm(file, { force: true });
    reserveDeletedAt = Date.now();
    log.warn('the disk is full: deleted a reserve file', { file });
  }

  /**
   * Switches between read-only and writable.
   * @param run runs a statement on an existing connection: a full disk may prevent a new one
   * @returns the milliseconds until the next check
   */
  async function check(run: Session['run']): Promise<number> {
    const { free, low, high } = await measureSpace();
    if (free < low / 16) await deleteReserveFile();
    // The setting outlasts the server, and another process may have changed it.
    const settings = await readFile(join(dir, 'postgresql.auto.conf'), 'utf8').catch(() => '');
    const readOnly = /^default_transaction_read_only *= *'?on/m.test(settings);
    const fields = { dir: home, free_mib: Math.floor(free / MIB) };
    if (!readOnly && free < low) {
      await run('alter system set default_transaction_read_only = on');
      await run('select pg_reload_conf()');
      log.warn('the disk is full: the database takes no writes', fields);
    } else if (readOnly && free > high) {
      await run('alter system reset default_transaction_read_only');
      await run('select pg_reload_conf()');
      log.info('the disk has room again: the database takes writes', fields);
    } else if (readOnly && free < low && Date.now() - checkpointedAt > CHECKPOINT_MS) {
      checkpointedAt = Date.now();
      // Not awaited, because it may take longer than the interval between checks.
      void run('checkpoint').catch(() => {});
    }
    return free < low ? CHECK_LOW_MS : CHECK_MS;
  }

  return {
    /** Deletes a reserve file if the disk is full, so that the server can start. */
    async freeReserve(): Promise<void> {
      const { free, reserveBytes } = await measureSpace();
      if (free < reserveBytes) await deleteReserveFile();
    },
    /** Server settings for the size of the disk. */
    async settings(): Promise<Record<string, string>> {
      const { total } = await measureSpace();
      if (total >= LARGE_BYTES) return {};
      const size = Math.max(MIN_WAL_MIB, Math.floor(total / 8 / MIB));
      return { max_wal_size: `${size}MB`, min_wal_size: `${MIN_WAL_MIB / 2}MB` };
    },
    // Usually, a check fails because the server is restarting.
    check: (run: Session['run']) => check(run).catch(() => CHECK_LOW_MS),
    /** Creates missing reserve files if the disk has room for them. */
    async fillReserve(): Promise<void> {
      const { total, free, high, reserveBytes } = await measureSpace();
      if (!Number.isFinite(total) || free < high + reserve.length * reserveBytes) return;
      for (const file of reserve) {
        const { size } = await stat(file).catch(() => ({ size: 0 }));
        // Writes all bytes, because a sparse file reserves no space.
        if (size < reserveBytes) await writeFile(file, Buffer.alloc(reserveBytes, 0xff), { mode: 0o600 });
      }
    },
  };
}

/** Whether the database is soon read-only. Below, it takes only what frees space. */
export async function isAlmostFull(dir: string, measure: MeasureDisk = statDisk): Promise<boolean> {
  const { total, free } = await measure(dir).catch(() => UNKNOWN);
  return total > 0 && free < 2 * lowOf(total);
}

async function statDisk(dir: string): Promise<DiskSpace> {
  const { blocks, bavail, bsize } = await statfs(dir);
  return { total: blocks * bsize, free: bavail * bsize };
}
