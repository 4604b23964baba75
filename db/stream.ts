import type { Sql, TransactionSql } from 'postgres';

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
  const { tx, end } = await openTransaction(sql);
  let complete = false;
  try {
    // To PostgreSQL a cursor is one statement, whose time goes on between fetches: it is the reader's pace.
    await tx.unsafe('set transaction read only; set local statement_timeout = 0').simple();
    const cursor = tx
      .unsafe(query.sql, query.params as never[])
      .raw()
      .cursor(rowsPerFetch) as unknown as AsyncIterable<[Uint8Array][]>;
    for await (const rows of cursor) yield rows.map(([text]) => text);
    complete = true;
  } finally {
    // A cursor whose connection was lost between two fetches looks like one that has come to its end.
    const ended = end();
    if (complete) await ended;
    else await ended.catch(() => {});
  }
}

/**
 * A transaction that goes on until `end` is called, which rejects when it failed. (postgres.js' own way to keep a
 * connection, `reserve`, waits for ever when it has to open one and `fetch_types` is off.)
 */
async function openTransaction(sql: Sql): Promise<{ tx: TransactionSql; end: () => Promise<void> }> {
  let finish = () => {};
  let transaction: Promise<unknown> = Promise.resolve();
  const tx = await new Promise<TransactionSql>((resolve, reject) => {
    transaction = sql.begin((begun) => {
      resolve(begun);
      return new Promise<void>((over) => {
        finish = over;
      });
    });
    transaction.catch(reject);
  });
  return {
    tx,
    async end() {
      finish();
      await transaction;
    },
  };
}
