import type { Sql, TransactionSql } from 'postgres';
import { isUnavailable, refusesWrites } from '../errors.ts';
import { TRIGRAM_SCHEMA } from '../schema/org.ts';

/*
 * The search index needs the extension pg_trgm, which may be missing or which the role may not be allowed to create. Without
 * it there is no index, and a search reads every finding of the organization. The extension may be in any schema, because only
 * the index refers to it; searches use ILIKE.
 */

const EXTENSION = 'pg_trgm';

/** Name of the index in an organization's schema. */
export const SEARCH_INDEX = 'findings_search';

/** Selects the quoted `schema` of the extension. Returns no row if it is not installed. */
export const SELECT_TRIGRAM_SCHEMA = `
  select quote_ident(n.nspname) as schema from pg_catalog.pg_extension e
  join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = '${EXTENSION}'`;

/** The quoted schema of the extension; undefined if it is not installed. */
export async function trigramSchema(sql: Sql | TransactionSql): Promise<string | undefined> {
  const [row] = await sql.unsafe<{ schema: string }[]>(SELECT_TRIGRAM_SCHEMA);
  return row?.schema;
}

/**
 * Creates the extension in the existing schema `shared`, unless it is installed.
 * @returns why it cannot be created; undefined if it is installed
 */
export async function addTrigrams(
  sql: Sql,
  lock: (tx: TransactionSql) => Promise<unknown>,
): Promise<string | undefined> {
  if (await trigramSchema(sql)) return undefined;
  try {
    await sql.begin(async (tx) => {
      await lock(tx);
      await tx.unsafe(`create extension if not exists ${EXTENSION} with schema shared`);
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

/** Ids of the organizations at `version` or later that have no search index. */
export async function orgsWithoutSearchIndex(sql: Sql, version: number): Promise<string[]> {
  const rows = await sql.unsafe<{ id: string }[]>(
    `select o.id from shared.orgs o where o.schema_version >= $1 and not exists (
       select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where c.relname = '${SEARCH_INDEX}' and n.nspname = 'org_' || replace(o.id::text, '-', ''))
     order by o.id`,
    [version],
  );
  return rows.map(({ id }) => id);
}
