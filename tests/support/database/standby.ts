import { execFile } from 'node:child_process';
import { lchown, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '../../../db/client.ts';
import { openCluster } from '../../../db/embedded/cluster.ts';
import type { Sql } from '../../../db/pool/query.ts';
import type { Site } from '../scenario/site.ts';
import { type OwnPostgres, startCluster } from './own-postgres.ts';

/** A server that replays the write-ahead log of another one (streaming replication). */
export interface Standby extends OwnPostgres {
  /** Stops replaying: it answers, but with the state of this moment. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Makes it a primary of its own, on a timeline of its own. */
  promote(): Promise<void>;
  /** Resolves when it has replayed everything that the primary has written. */
  caughtUp(): Promise<void>;
  /** A connection as its superuser. */
  sql: Sql;
}

const run = promisify(execFile);

/** Files may be removed while they are copied. The log that is replayed removes them in the copy as well. */
function ignoreVanished(error: Error & { stderr?: string }): void {
  const lines = error.stderr?.trim().split('\n') ?? [];
  if (!lines.every((line) => line.endsWith('No such file or directory'))) throw error;
}

/** Enough for any test, so that a standby that was away finds what it has missed. */
export const PRIMARY_SETTINGS = { wal_keep_size: '1GB' };

/**
 * Copies a running primary, which needs `PRIMARY_SETTINGS`, and starts the copy as its standby. The embedded PostgreSQL has no
 * pg_basebackup.
 */
export async function startStandby(
  site: Pick<Site, 'workDir' | 'onClose'>,
  primary: OwnPostgres,
  { name = 'standby', settings = {} }: { name?: string; settings?: Record<string, string> } = {},
): Promise<Standby> {
  const { files } = primary;
  const cluster = await openCluster(join(site.workDir, name));
  const admin = openDatabase({ url: primary.url, max: 1 });
  try {
    const label = await admin.withConnection(async (sql) => {
      await sql.unsafe("select pg_backup_start('standby', true)");
      await run('cp', ['-a', files.cluster.dir, cluster.dir]).catch(ignoreVanished);
      const [row] = await sql.unsafe<{ labelfile: string }[]>('select labelfile from pg_backup_stop(false)');
      return row?.labelfile ?? '';
    });
    await rm(join(cluster.dir, 'postmaster.pid'), { force: true });
    await rm(join(cluster.dir, 'postmaster.opts'), { force: true });
    for (const [file, text] of [
      ['backup_label', label],
      ['standby.signal', ''],
    ] as const) {
      const path = join(cluster.dir, file);
      await writeFile(path, text, { mode: 0o600 });
      if (cluster.user) await lchown(path, cluster.user.uid, cluster.user.gid);
    }
  } finally {
    await admin.close();
  }
  const { hostname, port, username, password } = new URL(primary.url);
  const standby = await startCluster(
    site,
    { ...files, cluster },
    {
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
      ...settings,
    },
  );
  const own = openDatabase({ url: standby.url, max: 1 });
  site.onClose(() => own.close());
  return Object.assign(standby, {
    sql: own.sql,
    pauseReplay: async () => void (await own.sql.unsafe('select pg_wal_replay_pause()')),
    resumeReplay: async () => void (await own.sql.unsafe('select pg_wal_replay_resume()')),
    promote: async () => void (await own.sql.unsafe('select pg_promote()')),
    async caughtUp() {
      const source = openDatabase({ url: primary.url, max: 1 });
      try {
        const [row] = await source.sql.unsafe<{ lsn: string }[]>(
          'select pg_current_wal_flush_lsn()::text as lsn',
        );
        for (;;) {
          const [at] = await own.sql.unsafe<{ is: boolean }[]>(
            'select pg_last_wal_replay_lsn() >= $1::pg_lsn as is',
            [row?.lsn ?? ''],
          );
          if (at?.is) return;
          await new Promise((later) => setTimeout(later, 10));
        }
      } finally {
        await source.close();
      }
    },
  });
}

/** The log of a server, for the message of a failed test. */
export const logOf = ({ files }: OwnPostgres): Promise<string> => readFile(files.cluster.logFile, 'utf8');
