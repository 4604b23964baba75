/** A query of postgres.js, with what the driver itself uses of it. */
export interface DriverQuery extends Promise<{ command: string }> {
  /** Called once, when the query is to be sent. */
  handler(query: DriverQuery): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  strings: [string];
  args: unknown[];
  options: { prepare?: boolean; simple?: boolean; planAnew?: boolean };
  /** PostgreSQL is working on it. */
  active: boolean;
  /** Resolves when PostgreSQL has been told, by a connection of its own; to be called while `active`. */
  cancel(): Promise<void> | undefined | null;
}

/** Options of a query whose plan depends on its parameters: it is never prepared. */
export const PLAN_ANEW = { planAnew: true } as never;

/** Whether a transaction's statement lifts the limit of what comes after it. */
export const takesAnyTime = (text: string): boolean => /\bstatement_timeout = 0\b/.test(text);

const CANCEL_POLL_MS = 10;

/**
 * Waits for a query that was sent, and has PostgreSQL end it when `signal` is aborted. Its connection is free for
 * something else afterwards: a late cancellation meets nothing.
 */
export async function unlessAborted<T>(query: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const sent = asQuery(query);
  let cancelling: Promise<void> | undefined;
  let over = false;
  const cancel = async () => {
    // What waits behind another query cannot be cancelled yet.
    while (!sent.active && !over) await new Promise((later) => setTimeout(later, CANCEL_POLL_MS));
    if (!over) await sent.cancel();
  };
  const onAbort = () => {
    cancelling ??= cancel().catch(() => {});
  };
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  try {
    return await query;
  } finally {
    over = true;
    signal?.removeEventListener('abort', onAbort);
    await cancelling;
  }
}

export const asQuery = (query: object) => query as DriverQuery;

/** What is said of a query whose connection is gone. */
export const lost = (cause?: unknown) =>
  Object.assign(new Error('the connection was lost', { cause }), { code: 'CONNECTION_CLOSED' });

/** `target` with other methods. */
export function replacing<Target extends object>(
  target: Target,
  methods: Record<string | symbol, unknown>,
): Target {
  return new Proxy(target, { get: (_, key) => methods[key] ?? target[key as keyof Target] });
}
