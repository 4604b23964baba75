import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../db/client.ts';
import { isUnavailable, sqlState } from '../../db/errors.ts';
import { prepareEmptyTables, UnguardedTablesError } from '../../db/migrations/empty-tables.ts';
import { findNewerSchema, migrateShared } from '../../db/migrations/migrate.ts';
import { findServiceRole, OWNER_SEARCH_PATH } from '../../db/migrations/service-rights.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import { ConfigError } from '../config/parse.ts';
import { VERSION } from '../config/version.ts';
import type { Logger } from '../logger.ts';

const DATABASE_WAIT_MS = 30_000;

const FORBIDDEN = '42501';

const NEWER_SCHEMA =
  'a newer version has migrated the database: this version may not work with it (docs/how-to/upgrade.md#go-back)';

/**
 * Migrates `shared` and prepares what organizations without tables read, waiting for a database that is still on its way up.
 * @param migrationUrl the same database as the owner of `shared`; undefined: the role of `url` is the owner, or another process migrates
 * @throws ConfigError when the role may not migrate
 */
export async function prepareDatabase(url: string, log: Logger, migrationUrl?: string): Promise<void> {
  const service = openDatabase({ url, max: 1 });
  const owner =
    migrationUrl === undefined
      ? service
      : openDatabase({ url: migrationUrl, max: 1, searchPath: OWNER_SEARCH_PATH });
  const deadline = Date.now() + DATABASE_WAIT_MS;
  try {
    for (;;) {
      try {
        const serviceRole = await findServiceRole(owner.sql, service.sql);
        const reason = await migrateShared(owner.sql, sharedMigrations, serviceRole);
        await prepareEmptyTables(owner.sql, orgMigrations, serviceRole).catch((error) => {
          if (!(error instanceof UnguardedTablesError)) throw error;
          // Organizations with tables are served.
          log.error('organizations without tables are not served', { error });
        });
        const newer = await findNewerSchema(owner.sql, { shared: sharedMigrations, org: orgMigrations });
        if (newer) log.warn(NEWER_SCHEMA, { version: VERSION, ...newer });
        if (reason) log.warn('searches are not indexed: the database has no extension pg_trgm', { reason });
        return;
      } catch (error) {
        if (sqlState(error) === FORBIDDEN) throw new ConfigError(notAllowed(migrationUrl, error as Error));
        if (!isUnavailable(error) || Date.now() > deadline) throw error;
        log.warn('waiting for the database', { reason: (error as Error).message });
        await sleep(1_000);
      }
    }
  } finally {
    await Promise.all([service.close(), owner.close()]);
  }
}

const notAllowed = (migrationUrl: string | undefined, { message }: Error) =>
  `the role of ${migrationUrl === undefined ? 'DATABASE_URL' : 'DATABASE_MIGRATION_URL'} may not migrate the database (${message}): run "svc-findings-admin migrate" as the owner of the schema shared (docs/deployment.md#role-for-migrations)`;
