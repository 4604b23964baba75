import type { Database } from '../../../db/client.ts';
import type { TransactionSql } from '../../../db/pool/query.ts';
import { afterTest } from '../run/suite.ts';

/** Keeps a transaction open after some work in it, until the returned function is called or the test ends. */
export async function holdOpen(
  sql: Database['sql'],
  work: (tx: TransactionSql) => PromiseLike<unknown>,
): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let over: Promise<unknown> = Promise.resolve();
  await new Promise<void>((ready, failed) => {
    over = sql.begin(async (tx) => {
      await work(tx);
      ready();
      await released;
    });
    over.catch(failed);
  });
  const end = async () => {
    release();
    await over;
  };
  afterTest(end);
  return end;
}
