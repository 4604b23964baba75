import { fillPlaceholders, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Db } from './client.ts';
import type { Sql } from './pool/query.ts';
import { defineOrgTables, type OrgTables } from './schema/org.ts';
import { TEMPLATE_SCHEMA } from './schema/org-schema.ts';
import type { TextQuery } from './stream.ts';

/*
 * SQL that Drizzle's builder cannot express is written with Drizzle's tag `sql` and run here. Tables are inserted as
 * `${tables.findings}`, values as `${value}` or, in a statement that is built once, as `${$.name}`.
 */

/** A client or transaction of postgres.js. */
export type SqlClient = Pick<Sql, 'unsafe'>;
/** A database or transaction of Drizzle. */
export type DrizzleClient = Pick<Db, 'execute'>;

/** A statement that is built once. Its text stays the same, so that it can be prepared. */
export interface Statement<Params, Row> {
  run(client: SqlClient, params: Params): Promise<Row[]>;
  /** Text and parameters, for `readRows` and `readAtOnce`. */
  query(params: Params): TextQuery;
}

/** A placeholder for each parameter. */
export type Placeholders<Params> = { readonly [Name in keyof Params & string]: Placeholder<Name> };

const dialect = new PgDialect();

const placeholders = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) });

/** Text and parameters of a fragment. */
export const toQuery = (fragment: SQL): TextQuery => dialect.sqlToQuery(fragment);

/** Builds a statement for this call and runs it. */
export async function run<Row extends object>(
  client: SqlClient | DrizzleClient,
  statement: SQL,
): Promise<Row[]> {
  if ('execute' in client) return (await client.execute(statement)) as unknown as Row[];
  const { sql: text, params } = toQuery(statement);
  return await client.unsafe<Row[]>(text, params as never[]);
}

/** A statement on shared tables, built once. */
export const statement = <Params extends object, Row extends object>(
  build: ($: Placeholders<Params>) => SQL,
): Statement<Params, Row> => toStatement(toQuery(build(placeholders as Placeholders<Params>)));

/**
 * A statement on the tables of an organization, built once. Building takes longer than many a statement runs; for each
 * organization only the name of the schema is replaced.
 * @returns the statement for an organization, which is kept as long as its tables are
 */
export function orgStatement<Params extends object, Row extends object>(
  build: (tables: OrgTables, $: Placeholders<Params>) => SQL,
): (tables: OrgTables) => Statement<Params, Row> {
  let template: TextQuery | undefined;
  const built = new WeakMap<OrgTables, Statement<Params, Row>>();
  return (tables) => {
    let found = built.get(tables);
    if (!found) {
      template ??= toQuery(build(defineOrgTables(TEMPLATE_SCHEMA), placeholders as Placeholders<Params>));
      const text = template.sql.replaceAll(`"${TEMPLATE_SCHEMA}"`, `"${tables.schema.schemaName}"`);
      found = toStatement({ sql: text, params: template.params });
      built.set(tables, found);
    }
    return found;
  };
}

function toStatement<Params extends object, Row extends object>({
  sql: text,
  params: order,
}: TextQuery): Statement<Params, Row> {
  const toParams = (given: Params) => fillPlaceholders(order, given as Record<string, unknown>);
  return {
    run: async (client, given) => await client.unsafe<Row[]>(text, toParams(given) as never[]),
    query: (given) => ({ sql: text, params: toParams(given) }),
  };
}

/** A PostgreSQL array of ids, numbers or other values that need no quotes, as a parameter. */
export const arrayText = (values: readonly string[]): string => `{${[...new Set(values)].join(',')}}`;

/** A PostgreSQL array of any values, in their order, as a parameter; arrays in it become their text. */
export const listText = (values: readonly unknown[]): string => `{${values.map(elementText).join(',')}}`;

function elementText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = Array.isArray(value) ? listText(value) : String(value);
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
