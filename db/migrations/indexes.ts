import { sql } from 'drizzle-orm';
import type { Sql } from '../pool/query.ts';
import { type OrgSchemaName, orgSchemaName } from '../schema/org-schema.ts';
import { orgs } from '../schema/orgs.ts';
import { run, type SqlClient } from '../statements.ts';
import { indexNameOf, isLarge, STEP_LOCK_TIMEOUT } from './large.ts';
import { type Migration, orgSchemaStatements } from './migrate.ts';
import { SEARCH_INDEX, trigramSchema } from './search-index.ts';

/*
 * Creates the indexes that the migration of a large organization left out, and those of searches. The catalog tells which are
 * missing, so an interrupted creation continues.
 */

/** Ids of the organizations at `version` that lack an index. The search index counts if the database has `pg_trgm`. */
export async function orgsWithoutIndexes(client: SqlClient, version: number): Promise<string[]> {
  const searchIndex = sql`select from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_index i on i.indexrelid = c.oid
    where i.indisvalid and c.relname = ${SEARCH_INDEX} and n.nspname = 'org_' || replace(${orgs.id}::text, '-', '')`;
  const lacksIndex = (await trigramSchema(client))
    ? sql`(${orgs.lacksIndexes} or not exists (${searchIndex}))`
    : sql`${orgs.lacksIndexes}`;
  const rows = await run<{ id: string }>(
    client,
    sql`select ${orgs.id} as id from ${orgs}
      where ${orgs.schemaVersion} = ${version} and ${lacksIndex} order by ${orgs.id}`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Creates the indexes that an organization lacks, concurrently if it is large.
 * @param client has no time limit and at least two connections
 * @returns how many were created; undefined while another process, or one that was killed, creates them
 */
export async function createIndexes(
  client: Sql,
  orgId: string,
  migrations: readonly Migration[],
): Promise<number | undefined> {
  const schema = orgSchemaName(orgId);
  return await client.begin(async (tx) => {
    // CREATE INDEX CONCURRENTLY waits for older snapshots. This transaction must not hold one: the statement neither waits nor
    // has parameters, which would leave a portal open.
    const [lock] = await run<{ taken: boolean }>(
      tx,
      sql.raw(`select pg_try_advisory_xact_lock(${indexLock(orgId)}) as taken`),
    );
    if (!lock?.taken) return undefined;
    const large = await isLarge(client, schema);
    if (large === undefined) return 0;
    if (large && (await isIndexing(client, schema))) return undefined;
    if (!large) await run(tx, STEP_LOCK_TIMEOUT);
    const [trigrams, valid] = [await trigramSchema(client), await indexesOf(client, schema)];
    const missing = orgSchemaStatements(orgId, migrations, trigrams).flatMap((text) => {
      const name = indexNameOf(text);
      return name === undefined || valid.get(name) ? [] : [{ name, text }];
    });
    const [target, how] = large ? [client, ' CONCURRENTLY'] : [tx, ''];
    for (const { name, text } of missing) {
      // PostgreSQL leaves an invalid index behind when the creation is interrupted.
      if (valid.has(name)) await run(target, sql.raw(`DROP INDEX${how} "${schema}"."${name}"`));
      await run(target, sql.raw(text.replace('CREATE INDEX', `CREATE INDEX${how}`)));
    }
    // A newer process may have applied a step meanwhile, whose indexes it creates.
    await run(
      tx,
      sql`update ${orgs} set lacks_indexes = false
        where ${orgs.id} = ${orgId} and ${orgs.lacksIndexes} and ${orgs.schemaVersion} = ${migrations.length}`,
    );
    return missing.length;
  });
}

/** Whether PostgreSQL continues with the index of a process that was killed. Waiting for its lock would be a deadlock. */
async function isIndexing(client: SqlClient, schema: OrgSchemaName): Promise<boolean> {
  const rows = await run(
    client,
    sql`select from pg_catalog.pg_stat_progress_create_index p
      join pg_catalog.pg_class c on c.oid = p.relid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${schema}`,
  );
  return rows.length > 0;
}

/** Whether each index of an organization is valid, by name. */
async function indexesOf(client: SqlClient, schema: OrgSchemaName): Promise<Map<string, boolean>> {
  const rows = await run<{ name: string; valid: boolean }>(
    client,
    sql`select c.relname as name, i.indisvalid as valid from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indexrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${schema}`,
  );
  return new Map(rows.map(({ name, valid }) => [name, valid]));
}

/** A key of the first half of the id, because migrations lock that of the second half. */
const indexLock = (orgId: string) =>
  BigInt.asIntN(64, BigInt(`0x${orgId.replaceAll('-', '').slice(0, 16)}`)).toString();
