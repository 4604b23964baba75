import { sql } from 'drizzle-orm';
import type { Tx } from '../client.ts';
import { orgMigrations, orgs } from '../schema/orgs.ts';
import { run, type SqlClient } from '../statements.ts';
import { lockOrgMigrations, type Migration, orgSchemaStatements } from './migrate.ts';
import { trigramSchema } from './search-index.ts';

/** How long a request waits for another one that creates the tables. */
const LOCK_TIMEOUT = '10s';

/**
 * Creates the schema of an organization with its tables, unless it has them; part of the caller's transaction. If several callers
 * do so at the same time, one creates them. A process of an earlier version does the same by its migrations, whose lock this takes.
 * @returns false if the organization does not exist
 */
export async function createOrgTables(
  tx: SqlClient | Tx,
  orgId: string,
  migrations: readonly Migration[],
): Promise<boolean> {
  await Promise.all(lockOrgMigrations(tx, orgId, LOCK_TIMEOUT));
  const [[org], trigrams] = await Promise.all([
    run<{ version: number }>(
      tx,
      sql`select schema_version as version from ${orgs} where id = ${orgId}::uuid for no key update`,
    ),
    trigramSchema(tx),
  ]);
  if (!org) return false;
  if (org.version > 0) return true;
  const statements = orgSchemaStatements(orgId, migrations, trigrams);
  // Sent one behind the other without waiting: one round trip for all.
  await Promise.all([
    ...statements.map((statement) => run(tx, sql.raw(statement))),
    run(
      tx,
      sql`insert into ${orgMigrations} (org_id, name, hash, applied_at)
        select ${orgId}::uuid, step ->> 'name', step ->> 'hash', now()
        from json_array_elements(${JSON.stringify(migrations.map(({ name, hash }) => ({ name, hash })))}::text::json) step`,
    ),
    run(tx, sql`update ${orgs} set schema_version = ${migrations.length} where id = ${orgId}::uuid`),
  ]);
  return true;
}
