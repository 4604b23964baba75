import { sql } from 'drizzle-orm';
import { isUnavailable, refusesWrites } from '../errors.ts';
import type { Sql, TransactionSql } from '../pool/query.ts';
import { TRIGRAM_SCHEMA } from '../schema/org.ts';
import { type DrizzleClient, run, type SqlClient } from '../statements.ts';

/*
 * The search index needs the extension pg_trgm, which may be missing or which the role may not be allowed to create. Without
 * it there is no index, and a search reads every finding of the organization. The extension may be in any schema, because only
 * the index refers to it; searches use ILIKE.
 */

const EXTENSION = 'pg_trgm';

/** Name of the index in an organization's schema. */
export const SEARCH_INDEX = 'findings_search';

/** The quoted schema of the extension; undefined if it is not installed. */
export async function trigramSchema(client: SqlClient | DrizzleClient): Promise<string | undefined> {
  const [row] = await run<{ schema: string }>(
    client,
    sql`select quote_ident(n.nspname) as schema from pg_catalog.pg_extension e
      join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = ${sql.raw(`'${EXTENSION}'`)}`,
  );
  return row?.schema;
}

/**
 * Creates the extension in the existing schema `shared`, unless it is installed.
 * @returns why it cannot be created; undefined if it is installed
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
 * Adapts an organization's statements to this database.
 * @param schema the result of {@link trigramSchema}. If undefined, statements that need the extension are removed
 */
export const withTrigrams = (statements: readonly string[], schema: string | undefined): string[] =>
  statements
    .filter((statement) => schema !== undefined || !statement.includes(TRIGRAM_SCHEMA))
    .map((statement) => (schema ? statement.replaceAll(`"${TRIGRAM_SCHEMA}"`, schema) : statement));
