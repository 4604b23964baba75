import type { Sql, TransactionSql, Transactions } from './pool/query.ts';

/** A query as Drizzle's `toSQL()` gives it. Its only column is text. */
export interface TextQuery {
  sql: string;
  params: unknown[];
}

/**
 * Settings of a transaction that reads many rows: one processor, not several, and no time for a compiler; what a search finds, up
 * to a million rows, is remembered row by row.
 */
export const LARGE_READ =
  "set local max_parallel_workers_per_gather = 0; set local jit = off; set local work_mem = '16MB'";

/**
 * Reads a query's rows through a cursor, as the bytes PostgreSQL sent. The next rows are fetched when they are asked for;
 * leaving the loop closes the cursor and frees the connection.
 *
 * Each fetch is a statement with a time limit of its own. (The driver's own cursor is one query until its reader has come
 * to the end; when its connection was lost meanwhile, leaving it ends the process.)
 *
 * @param statementMs the time limit of each fetch, if not that of all statements
 */
export async function* readRows(
  sql: Transactions,
  query: TextQuery,
  rowsPerFetch: number,
  statementMs?: number,
): AsyncGenerator<Uint8Array[]> {
  const { tx, end } = await openTransaction(sql);
  try {
    const begun = [
      tx.unsafe('set transaction read only'),
      tx.unsafe(LARGE_READ).simple(),
      ...(statementMs === undefined ? [] : [tx.unsafe(`set local statement_timeout = ${statementMs}`)]),
      tx.unsafe(`declare list no scroll cursor for ${query.sql}`, query.params as never[]),
    ];
    await Promise.all(begun);
    for (;;) {
      const rows = await tx.unsafe(`fetch ${rowsPerFetch} from list`).raw();
      if (rows.length > 0) yield (rows as unknown as [Uint8Array][]).map(([text]) => text);
      if (rows.length < rowsPerFetch) return;
    }
  } finally {
    // Nothing was written: how it ends is of no interest.
    await end().catch(() => {});
  }
}

/**
 * Reads a query's rows with one statement, as the bytes PostgreSQL sent.
 * @param max how many at the most
 */
export async function readAtOnce(sql: Sql, query: TextQuery, max?: number): Promise<Uint8Array[]> {
  const text = max === undefined ? query.sql : `select * from (${query.sql}) as list limit ${max}`;
  const rows = await sql.unsafe(text, query.params as never[]).raw();
  return (rows as unknown as [Uint8Array][]).map(([row]) => row);
}

/**
 * A transaction that goes on until `end` is called, which rejects when it failed. (postgres.js' own way to keep a
 * connection, `reserve`, waits for ever when it has to open one and `fetch_types` is off.)
 */
async function openTransaction(sql: Transactions): Promise<{ tx: TransactionSql; end: () => Promise<void> }> {
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
