import { sql } from 'drizzle-orm';
import type { OrgSchemaName } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';

/*
 * CREATE INDEX locks its table against writes: for 1,000,000 findings several seconds per index. In a large organization a
 * migration step leaves out its indexes, and `indexes.ts` creates them afterwards with CONCURRENTLY, which does not block
 * requests. Statements that would use them are slower until then.
 */

/** From this size of the table `findings` an organization is large: about 5,000 findings. */
const LARGE_BYTES = 8 * 1024 * 1024;

/**
 * A statement that waits for a table lock, for example because of a dump, blocks all later queries on the table. The short
 * timeout ends that; the step is retried.
 */
export const STEP_LOCK_TIMEOUT = sql`set local lock_timeout = '1s'`;

const CREATE_INDEX = /^CREATE INDEX "(\w+)" ON "\w+"\."(\w+)"/m;
const CREATE_TABLE = /^CREATE TABLE "\w+"\."(\w+)"/m;
const DROP_INDEX = /^DROP INDEX (?!IF EXISTS)/m;

/** The index that a statement creates, unless it is unique. */
export const indexNameOf = (statement: string): string | undefined => CREATE_INDEX.exec(statement)?.[1];

/** Whether an organization is large; undefined if its schema does not exist. The transaction keeps no lock of the table. */
export async function isLarge(client: SqlClient, schema: OrgSchemaName): Promise<boolean | undefined> {
  const [row] = await run<{ large: boolean }>(
    client,
    // A look-up by name. A join of the catalog, whose statistics are old after many DDL statements, may read all of it.
    sql`select pg_relation_size(findings) >= ${LARGE_BYTES}::bigint as large
      from to_regclass(${`"${schema}".findings`}) findings where findings is not null`,
  );
  return row?.large;
}

/**
 * The statements of a step without its indexes of existing tables. Unique indexes stay, because other statements depend on
 * them. An index that a step drops may not have been created yet.
 */
export function withoutIndexes(statements: readonly string[]): string[] {
  const newTables = statements.flatMap((text) => CREATE_TABLE.exec(text)?.[1] ?? []);
  return statements
    .filter((text) => {
      const table = CREATE_INDEX.exec(text)?.[2];
      return table === undefined || newTables.includes(table);
    })
    .map((text) => text.replace(DROP_INDEX, 'DROP INDEX IF EXISTS '));
}
