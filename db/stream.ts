import type { Sql } from 'postgres';

/** A query as Drizzle's `toSQL()` gives it. Its only column is text. */
export interface TextQuery {
  sql: string;
  params: unknown[];
}

/**
 * Reads a query's rows through a cursor, `rowsPerFetch` at a time, as the bytes PostgreSQL sent. The next rows are
 * fetched when they are asked for; leaving the loop closes the cursor and frees the connection.
 */
export async function* readRows(
  sql: Sql,
  query: TextQuery,
  rowsPerFetch: number,
): AsyncGenerator<Uint8Array[]> {
  const connection = await sql.reserve();
  try {
    // To PostgreSQL a cursor is one statement, whose time goes on between fetches: it is the reader's pace.
    await connection.unsafe('begin read only; set local statement_timeout = 0').simple();
    const cursor = connection
      .unsafe(query.sql, query.params as never[])
      .raw()
      .cursor(rowsPerFetch) as unknown as AsyncIterable<[Uint8Array][]>;
    for await (const rows of cursor) yield rows.map(([text]) => text);
  } finally {
    await connection.unsafe('rollback').catch(() => {});
    connection.release();
  }
}
