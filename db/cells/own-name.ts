import { sql } from 'drizzle-orm';
import { settings } from '../schema/platform.ts';
import { run, type SqlClient } from '../statements.ts';

/* The name of the cell that a database belongs to, in its setting `cell`. */

const KEY = 'cell';

/** The name of the cell; undefined if no server or command of a cell has used the database. */
export async function readCellName(client: SqlClient): Promise<string | undefined> {
  const [row] = await run<{ value: string }>(client, sql`select value from ${settings} where key = ${KEY}`);
  return row?.value;
}

/** Notes the name of the cell, unless the database has one. @returns the name that it has */
export async function noteCellName(client: SqlClient, cell: string): Promise<string> {
  await run(
    client,
    sql`insert into ${settings} (key, value) values (${KEY}, ${cell}) on conflict (key) do nothing`,
  );
  return (await readCellName(client)) ?? cell;
}
