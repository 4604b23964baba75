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

/** Some rows of a list, as the bytes PostgreSQL sent. */
export interface RowBatch {
  rows: Uint8Array[];
  isLast: boolean;
}

/** How many rows are fetched before their size is known. */
const FIRST_ROWS = 8;
const BATCH_ROWS = 200;
/** Larger batches make garbage collection stop the process for tens of milliseconds. */
const BATCH_BYTES = 256 * 1024;

/**
 * Reads a query's rows through a cursor, in batches of about `BATCH_BYTES`. The next rows are fetched when they are asked for;
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
  statementMs?: number,
): AsyncGenerator<RowBatch> {
  const { tx, end } = await openTransaction(sql);
  try {
    const begun = [
      tx.unsafe('set transaction read only'),
      tx.unsafe(LARGE_READ).simple(),
      ...(statementMs === undefined ? [] : [tx.unsafe(`set local statement_timeout = ${statementMs}`)]),
      tx.unsafe(`declare list no scroll cursor for ${query.sql}`, query.params as never[]),
    ];
    await Promise.all(begun);
    const read = async (count: number): Promise<RowBatch> => {
      const rows = (await tx.unsafe(`fetch ${count} from list`).raw()) as unknown as [Uint8Array][];
      return { rows: rows.map(([text]) => text), isLast: rows.length < count };
    };
    let batch = await read(FIRST_ROWS);
    if (!batch.isLast) {
      const { rows, isLast } = await read(Math.max(1, countLike(batch.rows) - FIRST_ROWS));
      batch = { rows: [...batch.rows, ...rows], isLast };
    }
    for (; ; batch = await read(countLike(batch.rows))) {
      if (batch.rows.length > 0) yield batch;
      if (batch.isLast) return;
    }
  } finally {
    // Nothing was written: how it ends is of no interest.
    await end().catch(() => {});
  }
}

/** How many rows of this size fit in a batch. */
function countLike(rows: Uint8Array[]): number {
  const bytes = rows.reduce((sum, row) => sum + row.byteLength, 0);
  return Math.max(1, Math.min(BATCH_ROWS, Math.floor((BATCH_BYTES * rows.length) / bytes)));
}

/** Reads a query's rows with one statement, as the bytes PostgreSQL sent. */
export async function readAtOnce(sql: Sql, query: TextQuery): Promise<Uint8Array[]> {
  const rows = await sql.unsafe(query.sql, query.params as never[]).raw();
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
