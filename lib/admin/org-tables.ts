import type { Database } from '../../db/client.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { isBehind, readableTables } from '../../db/orgs/tables.ts';
import { createEngineDetection } from '../../db/server-facts.ts';
import type { Logger } from '../logger.ts';
import { createKnownOrgs, type Org } from '../orgs/directory.ts';
import { withOwnTables } from '../orgs/tables.ts';
import { AdminError } from './error.ts';
import { findOrg } from './orgs.ts';

/** The input of commands that use the tables of an organization. */
export interface OrgTablesCall {
  database: Database;
  log: Logger;
  /** The migrations of an organization with an up-to-date schema. */
  migrations: readonly Migration[];
}

/** An organization with its tables, or with those of organizations that have none. */
export async function readOrg(database: Database, orgName: string, migrations: readonly Migration[]) {
  const org = await findOrg(database.db, orgName);
  return { ...org, tables: await readableTables(database.sql, org, migrations) };
}

/** The same if its schema is up to date. */
export async function readyOrg(database: Database, orgName: string, migrations: readonly Migration[]) {
  const org = await readOrg(database, orgName, migrations);
  if (isBehind(org.schema_version, migrations))
    throw new AdminError(`the schema of ${org.slug} is behind: run "migrate" first`);
  return org;
}

/** The organization with tables of its own, for commands that insert into them. */
export const withTables = ({ database, log, migrations }: OrgTablesCall, org: Org): Promise<Org> =>
  withOwnTables(
    {
      ...{ database, log, orgMigrations: migrations },
      engineOf: createEngineDetection(),
      knownOrgs: createKnownOrgs(),
    },
    org,
  );
