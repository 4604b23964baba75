import { and, gt, lt, type SQL } from 'drizzle-orm';
import { prepareEmptyTables } from '../migrations/empty-tables.ts';
import type { Migration } from '../migrations/migrate.ts';
import type { Sql } from '../pool/query.ts';
import { defineOrgTables, type OrgTables } from '../schema/org.ts';
import { isEmptySchema, orgSchemaName } from '../schema/org-schema.ts';
import { orgs } from '../schema/orgs.ts';

/*
 * An organization gets its tables with its first write. Until then its `schema_version` is 0, and nothing is migrated. Processes
 * of earlier versions take it for one whose migration is pending, and create the tables when they serve it.
 */

/** Whether the schema of an organization has to be migrated. */
export const isBehind = (schemaVersion: number, { length }: { length: number }): boolean =>
  schemaVersion > 0 && schemaVersion < length;

/** The same as a condition on `shared.orgs`. */
export const areBehind = (version: number): SQL =>
  and(gt(orgs.schemaVersion, 0), lt(orgs.schemaVersion, version)) as SQL;

/** The version that an organization has for users: without tables, that of the tables it will get. */
export const shownVersion = (schemaVersion: number, { length }: { length: number }): number =>
  schemaVersion > 0 ? schemaVersion : length;

/** Whether an organization had tables when it was read. */
export const hasTables = ({ tables }: { tables: OrgTables }): boolean => !isEmptySchema(tables.schema);

/** The tables of an organization, or those for organizations without tables. */
export async function readableTables(
  client: Sql,
  org: { id: string; schema_version: number },
  migrations: readonly Migration[],
): Promise<OrgTables> {
  if (org.schema_version > 0) return defineOrgTables(orgSchemaName(org.id));
  return await prepareEmptyTables(client, migrations);
}
