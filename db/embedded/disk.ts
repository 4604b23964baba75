import { open, readFile, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import type { Cluster } from './cluster.ts';
import type { EmbeddedLog } from './system.ts';

const MIB = 1024 * 1024;

/** Of the file system a directory is on, in bytes. */
export interface DiskSpace {
  total: number;
  /** For those who are not root. */
  free: number;
}

export type MeasureDisk = (dir: string) => Promise<DiskSpace>;

/**
 * Keeps the database out of trouble when its disk is full. PostgreSQL ends when it cannot extend its log, and does not
 * start without room for it either; so before that, the cluster takes no more writes, and reads go on. For what fills
 * the disk at once there is a reserve: files that are removed then, one after the other.
 */
export interface DiskGuard {
  /** Before a start: gives up the reserve if there is no room for one. */
  makeRoom(): Promise<void>;
  /** Server settings that the size of the disk asks for. */
  settings(): Promise<Record<string, string>>;
  /** Looks at the disk from now on; resolves when it has done so once. */
  watch(server: WatchedServer): Promise<void>;
  end(): Promise<void>;
}

export interface WatchedServer {
  url: string;
  /** Runs a statement at once, on a connection that is there already. */
  run(statement: string): Promise<unknown>;
}

export interface DiskGuardOptions {
  cluster: Cluster;
  log: EmbeddedLog;
  measure?: MeasureDisk;
}

/** Asking costs some microseconds, and a disk may fill by gigabytes a second. */
const LOOK_MS = 250;
const CLOSE_LOOK_MS = 50;
const LOW_BYTES = 128 * MIB;
/** Each is as large as a segment of PostgreSQL's log, of which it may need one, and another when it recovers. */
const RESERVES = 4;
/** So long one has to do, before the next is given up. */
const RESERVE_MS = 500;
/** PostgreSQL's own bound for its log is 1 GB: too much for a disk smaller than this. */
const LARGE_BYTES = 8 * 1024 * MIB;
const SMALLEST_LOG_MIB = 64;
/** While no writes are taken, vacuum and reads still write to the log, which a checkpoint lets begin anew. */
const CHECKPOINT_MS = 30_000;

/** Some network and container file systems do not tell. */
const UNKNOWN: DiskSpace = { total: Number.POSITIVE_INFINITY, free: Number.POSITIVE_INFINITY };

/** How much free space means what. */
function marksOf({ total }: DiskSpace) {
  const low = Math.min(LOW_BYTES, total / 8);
  return {
    /** No more writes below. */
    low,
    /** Some of the reserve is given up below. */
    empty: low / 16,
    /** Of one file of the reserve. */
    reserve: Math.floor(low / 8),
    /** Writes again above. */
    high: low * 1.5,
  };
}

export function createDiskGuard({ cluster, log, measure = measureDisk }: DiskGuardOptions): DiskGuard {
  const { home } = cluster;
  const reserves = Array.from({ length: RESERVES }, (_, i) => `${cluster.reserveFile}-${i + 1}`);
  const ending = new AbortController();
  const { signal } = ending;
  let checkpointed = 0;
  let givenUp = 0;
  let server: WatchedServer | undefined;
  let watching: Promise<void> | undefined;

  async function measured(): Promise<DiskSpace> {
    const space = await measure(home).catch(() => undefined);
    return space && space.total > 0 ? space : UNKNOWN;
  }

  /** @returns after how many ms to look again */
  async function look({ url, run }: WatchedServer): Promise<number> {
    const space = await measured();
    const { low, high, empty, reserve } = marksOf(space);
    if (space.free < empty) await giveUpReserve();
    const readOnly = await refusesWrites();
    const fields = { dir: home, free_mib: Math.floor(space.free / MIB) };
    if (!readOnly && space.free < low) {
      await refuseWrites(run, 'on');
      log.warn('the disk is full: the database takes no writes', fields);
    } else if (readOnly && space.free > high) {
      await refuseWrites(run, 'off');
      log.info('the disk has room again: the database takes writes', fields);
    }
    if (readOnly && space.free < low && Date.now() - checkpointed > CHECKPOINT_MS) {
      checkpointed = Date.now();
      // Which may take longer than the next look can wait.
      void withClient(url, (sql) => sql.unsafe('checkpoint')).catch(notNow);
    }
    // Not at the first look: who waits for a start does not wait for this.
    if (watching && space !== UNKNOWN && space.free > high + RESERVES * reserve) await keepReserve(reserve);
    return space.free < low ? CLOSE_LOOK_MS : LOOK_MS;
  }

  /** What `refuseWrites` has left, maybe in another process. */
  async function refusesWrites(): Promise<boolean> {
    const settings = await readFile(join(cluster.dir, 'postgresql.auto.conf'), 'utf8').catch(() => '');
    return /^default_transaction_read_only *= *'?on/m.test(settings);
  }

  /** For all connections, from their next transaction on, and after a restart as well. */
  async function refuseWrites(run: WatchedServer['run'], setting: 'on' | 'off'): Promise<void> {
    await run(
      setting === 'on'
        ? 'alter system set default_transaction_read_only = on'
        : 'alter system reset default_transaction_read_only',
    );
    await run('select pg_reload_conf()');
  }

  async function giveUpReserve(): Promise<void> {
    if (Date.now() - givenUp < RESERVE_MS) return;
    for (const file of reserves) {
      const kept = await stat(file).catch(() => undefined);
      if (!kept) continue;
      await rm(file, { force: true });
      givenUp = Date.now();
      log.warn('the disk is full: some of the reserve is given up', { mib: Math.floor(kept.size / MIB) });
      return;
    }
  }

  async function keepReserve(bytes: number): Promise<void> {
    for (const path of reserves) {
      const kept = await stat(path).catch(() => undefined);
      if (kept && kept.size >= bytes) continue;
      const file = await open(path, 'w', 0o600);
      try {
        // Written out, because a hole reserves nothing.
        for (let at = 0; at < bytes; at += MIB)
          await file.write(Buffer.alloc(Math.min(MIB, bytes - at), 0xff));
      } finally {
        await file.close();
      }
    }
  }

  /** What fails is tried again the next time: mostly it is the server that is away. */
  const notNow = (error: unknown) => log.debug('the disk was not looked after', { error });
  async function lookOnce(): Promise<number> {
    try {
      return server ? await look(server) : LOOK_MS;
    } catch (error) {
      notNow(error);
      return CLOSE_LOOK_MS;
    }
  }

  return {
    async makeRoom() {
      const space = await measured();
      if (space.free < marksOf(space).reserve) await giveUpReserve();
    },
    async settings(): Promise<Record<string, string>> {
      const space = await measured();
      if (space.total >= LARGE_BYTES) return {};
      const size = Math.max(SMALLEST_LOG_MIB, Math.floor(space.total / 8 / MIB));
      return { max_wal_size: `${size}MB`, min_wal_size: `${SMALLEST_LOG_MIB / 2}MB` };
    },
    async watch(watched) {
      server = watched;
      let pause = await lookOnce();
      watching = (async () => {
        for (;;) {
          await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
          if (signal.aborted) return;
          pause = await lookOnce();
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
