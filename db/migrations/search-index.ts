import { sql } from 'drizzle-orm';
import { isUnavailable, refusesWrites } from '../errors.ts';
import type { Sql, TransactionSql } from '../pool/query.ts';
import { TRIGRAM_SCHEMA } from '../schema/org.ts';
import { orgs } from '../schema/orgs.ts';
import { type DrizzleClient, run, type SqlClient } from '../statements.ts';

/*
 * The index that searches use needs the extension pg_trgm, which not every PostgreSQL has, and not every role may create.
 * Without it there is no index, and a search reads every finding of the organization. The extension may be in any schema:
 * the index names it, and the operator of a search (ILIKE) is PostgreSQL's own.
 */

const EXTENSION = 'pg_trgm';

/** Name of the index in an organization's schema. */
export const SEARCH_INDEX = 'findings_search';

/** The quoted schema of the extension; undefined without it. */
export async function trigramSchema(client: SqlClient | DrizzleClient): Promise<string | undefined> {
  const [row] = await run<{ schema: string }>(
    client,
    sql`select quote_ident(n.nspname) as schema from pg_catalog.pg_extension e
      join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = ${sql.raw(`'${EXTENSION}'`)}`,
  );
  return row?.schema;
}

/**
 * Creates the extension where it is missing, in `shared`, which exists.
 * @returns why it cannot be had; undefined when it is there
 */
export async function addTrigrams(
  client: Sql,
  lock: (tx: TransactionSql) => Promise<unknown>,
): Promise<string | undefined> {
  if (await trigramSchema(client)) return undefined;
  try {
    await client.begin(async (tx) => {
      await lock(tx);
      await run(tx, sql.raw(`create extension if not exists ${EXTENSION} with schema shared`));
    });
    return undefined;
  } catch (error) {
    if (isUnavailable(error) && !refusesWrites(error)) throw error;
    return (error as Error).message;
  }
}

/**
 * Statements of an organization as they can be run here.
 * @param schema what {@link trigramSchema} has found; without it, what needs it is left out
 */
export const withTrigrams = (statements: readonly string[], schema: string | undefined): string[] =>
  statements
    .filter((statement) => schema !== undefined || !statement.includes(TRIGRAM_SCHEMA))
    .map((statement) => (schema ? statement.replaceAll(`"${TRIGRAM_SCHEMA}"`, schema) : statement));

/** Organizations that were made or migrated without the extension, and so have no index; those of this version only. */
export async function orgsWithoutSearchIndex(client: SqlClient, version: number): Promise<string[]> {
  const rows = await run<{ id: string }>(
    client,
    sql`select ${orgs.id} as id from ${orgs} where ${orgs.schemaVersion} >= ${version} and not exists (
       select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where c.relname = ${SEARCH_INDEX} and n.nspname = 'org_' || replace(${orgs.id}::text, '-', ''))
     order by ${orgs.id}`,
  );
  return rows.map(({ id }) => id);
}
