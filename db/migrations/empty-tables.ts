import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { keepOnCoordinator } from '../orgs/placement.ts';
import type { Sql } from '../pool/query.ts';
import { defineOrgTables, type OrgTables } from '../schema/org.ts';
import { emptySchemaName, type OrgSchemaName } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';
import { lockSharedMigrations, type Migration, schemaStatements } from './migrate.ts';

/*
 * Organizations without tables of their own (`create-tables.ts`) read tables that all of them share. A constraint that no row
 * fulfils keeps these tables empty: a write that should have created the tables of its organization fails, instead of showing a
 * row to other organizations.
 *
 * Each definition of the tables has its own schema, which is never changed. So processes of two versions run side by side, and
 * creating it waits for no reader. What an earlier version leaves behind takes about 600 KB with its catalog rows.
 */

/** Name of the constraint of each table. */
export const NO_ROWS = 'no_rows';

/** The schema for organizations without tables, by what their tables will be. */
export function emptySchemaOf(migrations: readonly Migration[]): OrgSchemaName {
  const definition = createHash('sha256');
  for (const { name, hash } of migrations) definition.update(`${name} ${hash}\n`);
  return emptySchemaName(`${migrations.length}_${definition.digest('hex').slice(0, 8)}`);
}

/** The tables for organizations without tables. Creates them, unless another process has. */
export async function prepareEmptyTables(client: Sql, migrations: readonly Migration[]): Promise<OrgTables> {
  const schema = emptySchemaOf(migrations);
  const tables = defineOrgTables(schema);
  if (await exists(client, schema)) return tables;
  const statements = schemaStatements(schema, migrations);
  await client.begin(async (tx) => {
    await Promise.all(lockSharedMigrations(tx));
    if (await exists(tx, schema)) return;
    // Citus keeps them on the coordinator, with `shared`. PostgreSQL ignores the settings.
    await keepOnCoordinator(tx);
    await Promise.all(statements.map((text) => run(tx, sql.raw(text))));
    const names = (await tablesIn(tx, schema)).map((table) => `"${schema}"."${table}"`);
    // What migrations have inserted.
    await run(tx, sql.raw(`truncate ${names.join(', ')}`));
    for (const name of names)
      await run(tx, sql.raw(`alter table ${name} add constraint ${NO_ROWS} check (false)`));
  });
  return tables;
}

async function exists(client: SqlClient, schema: OrgSchemaName): Promise<boolean> {
  const found = await run(client, sql`select from pg_catalog.pg_namespace where nspname = ${schema}`);
  return found.length > 0;
}

async function tablesIn(client: SqlClient, schema: OrgSchemaName): Promise<string[]> {
  const rows = await run<{ name: string }>(
    client,
    sql`select tablename as name from pg_catalog.pg_tables where schemaname = ${schema}`,
  );
  return rows.map(({ name }) => name);
}
