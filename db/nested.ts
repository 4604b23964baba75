import { drizzle } from 'drizzle-orm/postgres-js';
import type { DatabaseClient } from './client.ts';
import { retried } from './errors.ts';
import type { Sql } from './pool/query.ts';

/** The clients of a transaction. A transaction that is begun with them is part of it. */
export type NestedClient = Pick<DatabaseClient, 'db' | 'sql'>;

/** Rolls a transaction back whose work has handled the failure of a part. */
class RolledBack extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('a part of the transaction has failed');
    this.result = result;
  }
}

/**
 * Runs work that has its own transactions in one transaction, and `last` as its last statement. It is run again when it lost to another
 * transaction. If one of the work's transactions fails, all is rolled back, also if the work goes on, and `last` is not called.
 */
export async function inOneTransaction<T>(
  client: Pick<Sql, 'begin'>,
  work: (nested: NestedClient) => Promise<T>,
  last: (client: Pick<Sql, 'unsafe'>, result: T) => Promise<void>,
): Promise<T> {
  try {
    return await retried(() =>
      client.begin(async (tx) => {
        let failed: { error: unknown } | undefined;
        const attempt = async <R>(run: () => R | Promise<R>): Promise<R> => {
          // PostgreSQL takes no statement until the rollback.
          if (failed) throw failed.error;
          try {
            return await run();
          } catch (error) {
            failed = { error };
            throw error;
          }
        };
        const sql: Sql = Object.assign(Object.create(tx), {
          begin: (run: Parameters<Sql['begin']>[0]) => attempt(() => run(tx)),
        });
        const plain = drizzle(sql as never);
        const db = Object.assign(Object.create(plain), {
          transaction: (run: (inner: unknown) => Promise<unknown>) => attempt(() => run(db)),
        });
        const result = await work({ db, sql });
        if (failed) throw new RolledBack(result);
        await last(tx, result);
        return result;
      }),
    );
  } catch (error) {
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  }
}
