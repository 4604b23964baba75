import type { Database } from '../../db/client.ts';
import { isUnavailable } from '../../db/errors.ts';
import { createOrgTables } from '../../db/migrations/create-tables.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { hasTables } from '../../db/orgs/tables.ts';
import type { EngineDetection } from '../../db/server-facts.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { createInTransaction } from './creation.ts';
import type { KnownOrgs, Org } from './directory.ts';

interface TableServices {
  database: Database;
  engineOf: EngineDetection;
  knownOrgs: KnownOrgs;
  log: Logger;
  orgMigrations: readonly Migration[];
}

/**
 * The organization with tables of its own, which are created unless it has them. Call it before a write to an organization that
 * may have none, for callers who may write.
 * @throws ApiError `server_error/unavailable`; `tenant_error/not_found` when the organization was purged
 */
export async function withOwnTables(services: TableServices, org: Org): Promise<Org> {
  if (hasTables(org)) return org;
  const { database, knownOrgs, log, orgMigrations } = services;
  try {
    const created = await createInTransaction({ ...services, database: database.of(org) }, (tx) =>
      createOrgTables(tx, org.id, orgMigrations),
    );
    if (!created) throw new ApiError('tenant_error/not_found');
  } catch (error) {
    if (error instanceof ApiError || isUnavailable(error)) throw error;
    log.error('the tables of an organization cannot be created', { org: org.id, error });
    const message = 'The organization cannot be prepared for its first data now.';
    throw new ApiError('server_error/unavailable', { message, cause: error });
  }
  return { ...org, tables: knownOrgs.tablesOf({ id: org.id }) };
}
