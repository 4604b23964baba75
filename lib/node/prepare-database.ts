import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../db/client.ts';
import { isUnavailable } from '../../db/errors.ts';
import { prepareEmptyTables, UnguardedTablesError } from '../../db/migrations/empty-tables.ts';
import { findNewerSchema, migrateShared } from '../../db/migrations/migrate.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import { VERSION } from '../config/version.ts';
import type { Logger } from '../logger.ts';

const DATABASE_WAIT_MS = 30_000;

const NEWER_SCHEMA =
  'a newer version has migrated the database: this version may not work with it (docs/how-to/upgrade.md#go-back)';

/** Migrates `shared` and prepares what organizations without tables read, waiting for a database that is still on its way up. */
export async function prepareDatabase(url: string, log: Logger): Promise<void> {
  const database = openDatabase({ url, max: 1 });
  const deadline = Date.now() + DATABASE_WAIT_MS;
  try {
    for (;;) {
      try {
        const reason = await migrateShared(database.sql, sharedMigrations);
        await prepareEmptyTables(database.sql, orgMigrations).catch((error) => {
          if (!(error instanceof UnguardedTablesError)) throw error;
          // Organizations with tables are served.
          log.error('organizations without tables are not served', { error });
        });
        const newer = await findNewerSchema(database.sql, { shared: sharedMigrations, org: orgMigrations });
        if (newer) log.warn(NEWER_SCHEMA, { version: VERSION, ...newer });
        if (reason) log.warn('searches are not indexed: the database has no extension pg_trgm', { reason });
        return;
      } catch (error) {
        if (!isUnavailable(error) || Date.now() > deadline) throw error;
        log.warn('waiting for the database', { reason: (error as Error).message });
        await sleep(1_000);
      }
    }
  } finally {
    await database.close();
  }
}
