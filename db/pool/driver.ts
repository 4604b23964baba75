import type { Rows, Sql, Statement } from './query.ts';

/**
 * Private fields of postgres.js's queries. Nothing else in the service uses any: `package.json` pins the version, and
 * `tests/db/cancel.test.ts` fails when they change. `query.cancel()` drops the promise of `canceller`, so that nobody knows
 * when the cancellation is over, and a cancellation that fails is an unhandled rejection, which ends the process.
 */
interface PrivateQuery {
  /** PostgreSQL is executing it. */
  active: boolean;
  /** Resolves when PostgreSQL has closed the connection that carried the cancellation. */
  canceller(query: unknown): Promise<void>;
}

/** The most that postgres.js takes. */
const MAX_PARAMETERS = 65_533;
const CANCEL_POLL_MS = 10;

/** Sends a statement behind those sent before. */
export function sendTo(
  client: Pick<Sql, 'unsafe'>,
  { text, params, modifiers, signal }: Statement,
  prepare = false,
): PromiseLike<Rows> {
  // postgres.js throws after it has queued the query, and the connection hangs.
  if (params.length > MAX_PARAMETERS || params.includes(undefined)) {
    return Promise.reject(new Error(`a query with ${params.length} parameters, or one that is undefined`));
  }
  const query = client.unsafe(text, params as never[], { prepare });
  for (const modifier of modifiers) query[modifier]();
  query.execute();
  return signal ? unlessAborted(query, signal) : query;
}

/** Has PostgreSQL cancel the query on abort. Settles after the cancellation, which could hit the next query otherwise. */
async function unlessAborted(query: PromiseLike<Rows>, signal: AbortSignal): Promise<Rows> {
  const internals = query as unknown as PrivateQuery;
  let isOver = false;
  let cancelling: Promise<void> | undefined;
  const cancel = async () => {
    // postgres.js loses track of a query that is cancelled while it waits behind another one.
    while (!internals.active && !isOver) await new Promise((later) => setTimeout(later, CANCEL_POLL_MS));
    if (!isOver) await internals.canceller(query);
  };
  const onAbort = () => {
    cancelling ??= cancel().catch(() => {});
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  try {
    return await query;
  } finally {
    isOver = true;
    signal.removeEventListener('abort', onAbort);
    await cancelling;
  }
}
