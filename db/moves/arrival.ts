import { sql } from 'drizzle-orm';
import * as restoring from '../backup/restore.ts';
import { retried } from '../errors.ts';
import type { Migration } from '../migrations/migrate.ts';
import type { Sql, TransactionSql } from '../pool/query.ts';
import { orgArrivals, orgMoves } from '../schema/moves.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { reservedSlugs } from '../schema/orgs.ts';
import { run, type SqlClient } from '../statements.ts';
import { purgeFormer } from './leave.ts';
import { type MovingOrg, tableIn } from './moves.ts';
import { unsubscribe } from './replication.ts';

/** The copy of an organization, which nobody is served from yet. */
export interface Arrival {
  copyId: string;
  /** How many migrations its tables have had. */
  schemaVersion: number | null;
  accounts: Record<string, string>;
  ready: boolean;
}

export async function readArrival(client: SqlClient, orgId: string): Promise<Arrival | undefined> {
  const [row] = await run<Omit<Arrival, 'accounts'> & { accounts: string }>(
    client,
    sql`select copy_id as "copyId", schema_version as "schemaVersion", accounts::text as accounts, ready from ${orgArrivals} where org_id = ${orgId}::uuid`,
  );
  return row && { ...row, accounts: JSON.parse(row.accounts) };
}

/**
 * Creates the tables of an organization, without indexes and foreign keys. Removes what it has left here when it moved away.
 * @param accounts ids that are replaced in all rows that arrive
 */
export async function createCopy(
  client: Sql,
  { id, tables }: MovingOrg,
  options: {
    copyId: string;
    slug: string;
    accounts: Record<string, string>;
    migrations: readonly Migration[];
  },
): Promise<restoring.Obstacle | undefined> {
  const { copyId, slug, accounts, migrations } = options;
  const create = async (tx: TransactionSql) => {
    await restoring.lockRestore(tx, id, slug);
    const obstacle = await restoring.findObstacle(tx, {
      ...{ orgId: id, slug },
      ...{ isOriginal: true, comesBack: true },
    });
    if (obstacle) return obstacle;
    await purgeFormer(tx, id);
    await run(
      tx,
      sql`insert into ${orgArrivals} (org_id, copy_id, slug, schema_version, accounts)
        values (${id}::uuid, ${copyId}::uuid, ${slug}, ${migrations.length}::int, ${JSON.stringify(accounts)}::text::json)`,
    );
    // Nobody else gets the slug until the organization arrives, or after the move was cancelled.
    await run(
      tx,
      sql`insert into ${reservedSlugs} (slug, org_id, reserved_at) values (${slug}, null, now()) on conflict do nothing`,
    );
    const plan = await restoring.planSchema(tx, id, migrations);
    await restoring.runAll(tx, plan.tables);
    await restoring.emptyTables(tx, id);
    await refuseOthers(tx, { id, tables });
    if (Object.keys(accounts).length > 0) await replaceAccounts(tx, { id, tables }, accounts);
    return undefined;
  };
  return await retried(() => client.begin(create));
}

/** Only the subscription writes to the copy, so that what was compared stays the same: it does not fire these triggers. */
async function refuseOthers(tx: SqlClient, { id, tables }: MovingOrg): Promise<void> {
  const schema = orgSchemaName(id);
  await run(
    tx,
    sql.raw(`create function "${schema}".refuse_others() returns trigger language plpgsql set search_path = pg_catalog as $$ begin
      raise exception 'only the subscription writes to the copy of an organization that is being moved';
      end $$`),
  );
  const name = sql.identifier('refuse_others');
  for (const table of tables)
    await run(
      tx,
      sql`create trigger ${name} before insert or update or delete or truncate on ${tableIn(schema, table)}
        for each statement execute function ${sql.identifier(schema)}.${name}()`,
    );
}

/** Triggers of the subscription replace ids of accounts, wherever they stand. */
async function replaceAccounts(
  tx: SqlClient,
  { id, tables }: MovingOrg,
  accounts: Record<string, string>,
): Promise<void> {
  const schema = orgSchemaName(id);
  // Ids come from a database of the operator and are nevertheless checked.
  const pairs = Object.entries(accounts).map(([from, to]) => {
    if (!/^[0-9a-f-]{36}$/.test(from) || !/^[0-9a-f-]{36}$/.test(to)) throw new Error('not an id');
    return `row := regexp_replace(row, '${from}', '${to}', 'gi');`;
  });
  await run(
    tx,
    sql.raw(`create function "${schema}".replace_accounts() returns trigger language plpgsql set search_path = pg_catalog as $$
      declare row text := row_to_json(new)::text;
      begin ${pairs.join(' ')} return json_populate_record(new, row::json); end $$`),
  );
  const name = sql.identifier('replace_accounts');
  for (const table of tables) {
    await run(
      tx,
      sql`create trigger ${name} before insert or update on ${tableIn(schema, table)}
        for each row execute function ${sql.identifier(schema)}.${name}()`,
    );
    await run(tx, sql`alter table ${tableIn(schema, table)} enable replica trigger ${name}`);
  }
}

/** Creates indexes, foreign keys and statistics, when all rows are copied. PostgreSQL writes changes to several tables meanwhile. */
export async function completeCopy(
  client: Sql,
  { id, tables }: MovingOrg,
  migrations: readonly Migration[],
): Promise<void> {
  await retried(() =>
    client.begin(async (tx) => {
      const { afterRows } = await restoring.planSchema(tx, id, migrations);
      await restoring.runAll(tx, afterRows);
      // Autovacuum may come after the first requests, which would get the plans of empty tables.
      for (const table of tables) await run(tx, sql`analyze ${tableIn(orgSchemaName(id), table)}`);
      await run(tx, sql`update ${orgArrivals} set ready = true where org_id = ${id}::uuid`);
    }),
  );
}

/** Whether the copy has a version of policies, and with it all that was written before. */
export async function hasArrived(client: SqlClient, orgId: string, version: number): Promise<boolean> {
  const found = await run(
    client,
    sql`select 1 from ${tableIn(orgSchemaName(orgId), 'policy_versions')} where version >= ${version}`,
  );
  return found.length > 0;
}

/**
 * Ends the copying in the transaction that puts the organization into service.
 * @returns how many migrations its tables have had; undefined if another process has ended it
 */
export async function endCopy(
  tx: SqlClient,
  orgId: string,
  { copyId, domain }: { copyId: string; domain: string | null },
): Promise<{ schemaVersion: number | null } | undefined> {
  const [ended] = await run<{ schemaVersion: number | null }>(
    tx,
    sql`delete from ${orgArrivals} where org_id = ${orgId}::uuid and copy_id = ${copyId}::uuid
      returning schema_version as "schemaVersion"`,
  );
  if (!ended) return undefined;
  await unsubscribe(tx, orgId);
  const schema = sql.identifier(orgSchemaName(orgId));
  for (const name of ['replace_accounts', 'refuse_others'])
    await run(tx, sql`drop function if exists ${schema}.${sql.identifier(name)}() cascade`);
  await run(tx, sql`delete from ${orgMoves} where org_id = ${orgId}::uuid`);
  if (domain !== null)
    await run(
      tx,
      sql`delete from ${reservedSlugs} where slug = ${domain} and org_id is null and moved_to is not null`,
    );
  return ended;
}

/** Removes a copy that nobody is served from. @returns false if there is none */
export async function dropCopy(client: Sql, orgId: string): Promise<boolean> {
  if (!(await readArrival(client, orgId))) return false;
  // Its workers, and the session of a command that was killed, may hold locks for a while.
  await retried(() => client.begin((tx) => unsubscribe(tx, orgId)));
  await retried(() =>
    client.begin(async (tx) => {
      const dropped = await run(
        tx,
        sql`delete from ${orgArrivals} where org_id = ${orgId}::uuid returning 1`,
      );
      if (dropped.length > 0)
        await run(tx, sql`drop schema if exists ${sql.identifier(orgSchemaName(orgId))} cascade`);
    }),
  );
  return true;
}
