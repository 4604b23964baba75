import { isAborted } from '../errors.ts';
import type { Connection } from './connection.ts';
import { command, createSqlClient, liftsTimeout, type Send, type TransactionSql } from './query.ts';

/**
 * Runs a transaction, which is committed unless `run` or any of its statements fails. Unlike that of postgres.js it does not
 * wait for the answer to `begin`.
 */
export async function transact(
  connection: Connection,
  options: Parameters<typeof createSqlClient>[0],
  run: (tx: TransactionSql) => unknown,
): Promise<unknown> {
  let isOver = false;
  let failure: { error: unknown } | undefined;
  const noteFailure = (error: unknown) => {
    failure ??= { error };
  };
  const send: Send = (statement) => {
    // A sibling of a failed statement would run after the rollback.
    if (isOver) return Promise.reject(new Error('the transaction is over'));
    if (liftsTimeout(statement.text)) connection.isUnlimited = true;
    const rows = connection.send(statement);
    rows.catch(noteFailure);
    return rows;
  };
  connection.send(command('begin')).catch(noteFailure);
  let result: unknown;
  try {
    result = await run(createSqlClient(options, send));
    if (failure) throw failure.error;
  } catch (error) {
    isOver = true;
    await connection.send(command('rollback')).catch(connection.destroy);
    // `Promise.all` may report a statement that failed only because an earlier one had aborted the transaction.
    throw isAborted(error) && failure ? failure.error : error;
  }
  isOver = true;
  const { command: outcome } = await connection.send(command('commit'));
  if (outcome !== 'COMMIT') throw new Error('the transaction was rolled back');
  return result;
}
