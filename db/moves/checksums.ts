import { type SQL, sql } from 'drizzle-orm';
import { columnsOf } from '../backup/columns.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { run, type SqlClient } from '../statements.ts';
import { type MovingOrg, tableIn } from './moves.ts';

/** A table: how many rows it has, and the sum of their hashes. */
export interface Checksum {
  rows: number;
  sum: string;
}

/**
 * Counts the rows of each table and adds up their hashes, in a transaction with `TEXT_SETTINGS`. Columns are taken by name: an older
 * organization has them in another order.
 * @param accounts ids that are replaced by others, as in the copy
 */
export async function checksumsOf(
  tx: SqlClient,
  { id, tables }: MovingOrg,
  accounts: Readonly<Record<string, string>> = {},
): Promise<Record<string, Checksum>> {
  const schema = orgSchemaName(id);
  const columns = await columnsOf(tx, schema);
  const sums: Record<string, Checksum> = {};
  for (const table of tables) {
    const names = (columns.get(table) ?? []).map(({ name }) => name).toSorted();
    const values = names.map((name) => sql`${sql.identifier(name)}::text`);
    const text = replaced(sql`array[${sql.join(values, sql`, `)}]::text`, accounts);
    const [row] = await run<Checksum>(
      tx,
      sql`select count(*)::float as rows, coalesce(sum(hashtextextended(${text}, 0)::numeric), 0)::text as sum
        from ${tableIn(schema, table)}`,
    );
    if (row) sums[table] = row;
  }
  return sums;
}

/** Replaces ids in a text, in SQL. */
function replaced(text: SQL, accounts: Readonly<Record<string, string>>): SQL {
  let result = text;
  for (const [from, to] of Object.entries(accounts))
    result = sql`regexp_replace(${result}, ${from}, ${to}, 'gi')`;
  return result;
}
