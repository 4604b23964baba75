import type { Sql } from 'postgres';
import { asQuery, replacing, takesAnyTime } from './driver.ts';
import type { Slot } from './slot.ts';

type Run = (tx: never) => Promise<unknown>;
type Unsafe = Sql['unsafe'];

/** A client for who has a slot for the time being. */
export interface Lease {
  sql: Sql;
  /** From now on the slot is another's: what is still asked of this client is refused. */
  end(): void;
}

/** @param driver makes the queries, and sends none */
export function createLease(driver: Sql, slot: Slot): Lease {
  let over = false;
  const unsafe = (...args: Parameters<Unsafe>) => {
    const query = asQuery(driver.unsafe(...args));
    query.handler = () => {
      if (over) query.reject(new Error('the connection was given back'));
      else slot.send(query);
    };
    return query;
  };
  return {
    sql: replacing(driver, { unsafe, begin: (run: Run) => transact(driver, slot, run) }),
    end() {
      over = true;
    },
  };
}

/** Commits what `run` has done, unless it fails, or any of its queries does. */
async function transact(driver: Sql, slot: Slot, run: Run): Promise<unknown> {
  let over = false;
  let failure: { error: unknown } | undefined;
  const unsafe = (...args: Parameters<Unsafe>) => {
    if (takesAnyTime(args[0])) slot.unlimited();
    const query = asQuery(driver.unsafe(...args));
    query.handler = () => {
      // One of several that were started together has failed: what its siblings send now would not be rolled back.
      if (over) {
        query.reject(new Error('the transaction is over'));
        return;
      }
      const { reject } = query;
      query.reject = (error) => {
        failure ??= { error };
        reject(error);
      };
      slot.send(query);
    };
    return query;
  };
  // What comes first goes right behind it.
  slot.run('begin').catch((error) => {
    failure ??= { error };
  });
  let outcome: unknown;
  try {
    outcome = await run(replacing(driver, { unsafe }) as never);
    if (failure) throw failure.error;
  } catch (error) {
    over = true;
    await slot.run('rollback').catch(slot.kill);
    throw error;
  }
  over = true;
  const { command } = await slot.run('commit');
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
  return outcome;
}
