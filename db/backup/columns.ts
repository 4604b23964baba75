import { sql } from 'drizzle-orm';
import { run, type SqlClient } from '../statements.ts';

export interface Column {
  name: string;
  /** Without a length: a cast to `varchar(n)` would cut a text that is too long. */
  type: string;
}

/** The columns of all tables of a schema, by table. Names and types come from the catalog, never from a file. */
export async function columnsOf(client: SqlClient, schema: string): Promise<Map<string, Column[]>> {
  const rows = await run<Column & { table: string }>(
    client,
    sql`select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type
      from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${schema} and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`,
  );
  const tables = new Map<string, Column[]>();
  for (const { table, name, type } of rows) {
    const columns = tables.get(table) ?? [];
    tables.set(table, [...columns, { name, type }]);
  }
  return tables;
}
