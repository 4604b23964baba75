import { type SQL, sql } from 'drizzle-orm';
import { columnsOf } from '../backup/columns.ts';
import { TEXT_SETTINGS } from '../backup/snapshot.ts';
import type { Sql } from '../pool/query.ts';
import { orgSchemaName } from '../schema/org-schema.ts';
import { run } from '../statements.ts';
import { type MovingOrg, tableIn } from './moves.ts';
import { NOT_PAUSED } from './pause.ts';

/**
 * Counts the rows of each table and adds up their hashes. Columns are taken by name: an older organization has them in another order.
 * @param accounts ids that are replaced by others, as in the copy
 */
export async function checksumsOf(
  client: Sql,
  { id, tables }: MovingOrg,
  accounts: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const schema = orgSchemaName(id);
  return await client.begin(async (tx) => {
    for (const setting of TEXT_SETTINGS) await run(tx, sql.raw(setting));
    const columns = await columnsOf(tx, schema);
    const sums: Record<string, string> = {};
    for (const table of tables) {
      const names = (columns.get(table) ?? []).map(({ name }) => name).toSorted();
      const values = names
        .filter((name) => name !== NOT_PAUSED[table])
        .map((name) => sql`${sql.identifier(name)}::text`);
      const text = replaced(sql`array[${sql.join(values, sql`, `)}]::text`, accounts);
      const [row] = await run<{ sum: string }>(
        tx,
        sql`select count(*) || ' rows, ' || coalesce(sum(hashtextextended(${text}, 0)::numeric), 0) as sum
          from ${tableIn(schema, table)}`,
      );
      sums[table] = row?.sum ?? '';
    }
    return sums;
  });
}

/** Replaces ids in a text, in SQL. */
function replaced(text: SQL, accounts: Readonly<Record<string, string>>): SQL {
  let result = text;
  for (const [from, to] of Object.entries(accounts))
    result = sql`regexp_replace(${result}, ${from}, ${to}, 'gi')`;
  return result;
}
