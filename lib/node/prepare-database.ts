import { setTimeout as sleep } from 'node:timers/promises';
import { noteCellName, readCellName } from '../../db/cells/own-name.ts';
import { type Database, openDatabase } from '../../db/client.ts';
import { isMissingTable, isUnavailable } from '../../db/errors.ts';
import { prepareEmptyTables, UnguardedTablesError } from '../../db/migrations/empty-tables.ts';
import { migrateShared } from '../../db/migrations/migrate.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import { oneLine } from '../admin/error.ts';
import { ConfigError } from '../config/parse.ts';
import type { Logger } from '../logger.ts';

const DATABASE_WAIT_MS = 30_000;

/** The name that is noted of the database's cell, as text for a terminal; undefined in a new database and in that of a version without cells. */
async function cellOf({ sql }: Database): Promise<string | undefined> {
  try {
    const noted = await readCellName(sql);
    return noted === undefined ? undefined : oneLine(noted);
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

function requireOwn(cell: string, noted: string): void {
  if (noted !== cell)
    throw new ConfigError(`SVC_CELL: DATABASE_URL is the database of the cell ${noted} (setting "cell")`);
}

/**
 * Migrates `shared` and prepares what organizations without tables read, waiting for a database that is still on its way up.
 * @throws ConfigError if it is the database of another cell, which stays as it is
 */
export async function prepareDatabase(
  { url, cell }: { url: string; cell: string | undefined },
  log: Logger,
): Promise<void> {
  const database = openDatabase({ url, max: 1 });
  const deadline = Date.now() + DATABASE_WAIT_MS;
  try {
    for (;;) {
      try {
        const noted = await cellOf(database);
        if (cell !== undefined) requireOwn(cell, noted ?? cell);
        const reason = await migrateShared(database.sql, sharedMigrations);
        await prepareEmptyTables(database.sql, orgMigrations).catch((error) => {
          if (!(error instanceof UnguardedTablesError)) throw error;
          // Those that have tables are served.
          log.error('organizations without tables are not served', { error });
        });
        if (cell !== undefined) requireOwn(cell, oneLine(await noteCellName(database.sql, cell)));
        else if (noted !== undefined)
          log.warn('SVC_CELL is unset, but the database is that of a cell', { cell: noted });
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
