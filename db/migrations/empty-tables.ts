import { createHash } from 'node:crypto';
import { getTableName, is, sql, Table } from 'drizzle-orm';
import { keepOnCoordinator } from '../orgs/placement.ts';
import type { Sql } from '../pool/query.ts';
import { defineOrgTables, type OrgTables } from '../schema/org.ts';
import { EMPTY_PREFIX, emptySchemaName, type OrgSchemaName, TEMPLATE_SCHEMA } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';
import { lockSharedMigrations, type Migration, schemaStatements } from './migrate.ts';
import { grantToService } from './service-rights.ts';

/*
 * Organizations without tables of their own (`create-tables.ts`) read tables that all of them share. A constraint that no row
 * fulfils keeps these tables empty: a write that should have created the tables of its organization fails, instead of showing a
 * row to other organizations.
 *
 * Each definition of the tables has its own schema, which is never changed. So processes of two versions run side by side, and
 * creating it waits for no reader. The schema of an earlier version stays and takes about 600 KB with its catalog rows.
 */

/** Name of the constraint of each table. */
export const NO_ROWS = 'no_rows';

const CHECK = 'CHECK (false)';

/** Tables that organizations share could have a row, because somebody else has changed them. */
export class UnguardedTablesError extends Error {
  constructor(tables: readonly string[]) {
    super(
      `tables that organizations without tables share lack the constraint ${NO_ROWS}: ${tables.join(', ')}. Look for rows, then drop the schema`,
    );
  }
}

/** The schema for organizations without tables, by what their tables will be. */
export function emptySchemaOf(migrations: readonly Migration[]): OrgSchemaName {
  const definition = createHash('sha256');
  for (const { name, hash } of migrations) definition.update(`${name} ${hash}\n`);
  return emptySchemaName(`${migrations.length}_${definition.digest('hex').slice(0, 8)}`);
}

/**
 * The tables for organizations without tables. Creates them, unless another process has.
 * @param serviceRole gets its rights on the tables; undefined if the client has the role of the service
 * @throws UnguardedTablesError when somebody has made it possible that they have rows
 */
export async function prepareEmptyTables(
  client: Sql,
  migrations: readonly Migration[],
  serviceRole?: string,
): Promise<OrgTables> {
  const schema = emptySchemaOf(migrations);
  const tables = defineOrgTables(schema);
  const grant = async (tx: SqlClient) => serviceRole && (await grantToService(tx, schema, serviceRole));
  if (await exists(client, schema)) {
    const unguarded = await unguardedTables(client, schema);
    if (unguarded.length > 0) throw new UnguardedTablesError(unguarded);
    if (serviceRole)
      await client.begin(async (tx) => {
        await Promise.all(lockSharedMigrations(tx));
        await grant(tx);
      });
    return tables;
  }
  const statements = schemaStatements(schema, migrations);
  await client.begin(async (tx) => {
    await Promise.all(lockSharedMigrations(tx));
    if (await exists(tx, schema)) return;
    // Citus keeps them on the coordinator, with `shared`. PostgreSQL ignores the settings.
    await keepOnCoordinator(tx);
    await Promise.all(statements.map((text) => run(tx, sql.raw(text))));
    const names = (await tablesIn(tx, schema)).map((table) => `"${schema}"."${table}"`);
    // Removes rows that migrations have inserted. The audit log takes no truncate (`auditRights`).
    const log = `"${schema}"."${getTableName(tables.auditEntries)}"`;
    await run(tx, sql.raw(`truncate ${names.filter((name) => name !== log).join(', ')}`));
    for (const name of names)
      await run(tx, sql.raw(`alter table ${name} add constraint ${NO_ROWS} ${CHECK}`));
    await grant(tx);
  });
  return tables;
}

/**
 * The tables that could have a row: their constraint is missing, not validated or not enforced, or a view is in the place of a table.
 * @param schema by default those of all versions
 */
export async function unguardedTables(client: SqlClient, schema?: OrgSchemaName): Promise<string[]> {
  const names = Object.values(defineOrgTables(TEMPLATE_SCHEMA)).flatMap((one) =>
    is(one, Table) ? getTableName(one) : [],
  );
  const where = schema
    ? sql`nspname = ${schema}`
    : sql`pg_catalog.starts_with(nspname::text, ${EMPTY_PREFIX}::text)`;
  // By names: of all relations of a schema, the catalog has no index.
  const rows = await run<{ name: string }>(
    client,
    sql`select pg_catalog.format('%I.%I', n.nspname, c.relname) as name
      from (select oid, nspname from pg_catalog.pg_namespace where ${where}) n
      cross join json_array_elements_text(${JSON.stringify(names)}::text::json) as names (name)
      join pg_catalog.pg_class c on c.relname = names.name and c.relnamespace = n.oid
      where not exists (select from pg_catalog.pg_constraint k
        where k.conrelid = c.oid and pg_catalog.pg_get_constraintdef(k.oid) = ${CHECK})
      order by name`,
  );
  return rows.map(({ name }) => name);
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
