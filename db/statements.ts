import type { SQL } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Sql, TransactionSql } from './pool/query.ts';
import { defineOrgTables, type OrgTables } from './schema/org.ts';
import { TEMPLATE_SCHEMA } from './schema/org-schema.ts';

const dialect = new PgDialect();

/**
 * The text of a statement on an org's tables, whose parameters stand in it as $1, $2 …. Put together once, for the
 * template's tables, which takes longer than many a statement.
 */
export function orgStatement(build: (tables: OrgTables) => SQL): (tables: OrgTables) => string {
  const text = dialect.sqlToQuery(build(defineOrgTables(TEMPLATE_SCHEMA))).sql;
  return ({ schema }) => text.replaceAll(`"${TEMPLATE_SCHEMA}"`, `"${schema.schemaName}"`);
}

/** Runs a statement. */
export async function run<Row extends object>(sql: Sql | TransactionSql, statement: SQL): Promise<Row[]> {
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return await sql.unsafe<Row[]>(text, params as never[]);
}

/** A statement's text and parameters. */
export const toQuery = (statement: SQL): { sql: string; params: unknown[] } => dialect.sqlToQuery(statement);

/** A PostgreSQL array of ids, numbers or other values that need no quotes, as a parameter. */
export const arrayText = (values: readonly string[]): string => `{${[...new Set(values)].join(',')}}`;
