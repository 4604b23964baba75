import { sqlState } from '../../../db/errors.ts';
import type { SearchLimits } from '../../../db/findings/lists/search.ts';
import { OverShareError, permitOr } from '../../fair-share/over-share.ts';
import type { Org } from '../../orgs/directory.ts';
import type { PublicCall } from '../call.ts';

/**
 * Runs a search or a transaction of many changes, which may use a processor of PostgreSQL's for long, while holding a permit for
 * searches. The gate comes second: all accounts share the permits, so other requests of this one must not wait behind a search that has
 * none. With a permit, it is the next one at the gate, so that the permit is soon used.
 * @param tooMany the message when no permit becomes free in time
 * @throws OverShareError
 */
export async function runExpensive<T>(
  { c, org, services, leaveGate }: PublicCall & { org: Org },
  run: () => Promise<T>,
  tooMany: string,
): Promise<T> {
  leaveGate();
  const { signal } = c.req.raw;
  const since = performance.now();
  const release = await permitOr(services.searchPermits.acquire({ sharer: org, signal }), tooMany);
  try {
    return await services.gate.work(org, run, { since, signal });
  } finally {
    release();
  }
}

/** Runs a search. @throws OverShareError when no permit becomes free in time, or the search exceeds its timeout */
export async function search<T>(
  call: PublicCall & { org: Org },
  run: (limits: SearchLimits) => Promise<T>,
): Promise<T> {
  const { searchMs } = call.services.config;
  const limited = () => run({ statementMs: searchMs, signal: call.c.req.raw.signal });
  try {
    return await runExpensive(call, limited, 'This organization searches too much at a time.');
  } catch (error) {
    throw tooLong(error, searchMs);
  }
}

/**
 * Reads the batches of a list. While several organizations are active, an account reads one batch at a time.
 * @param isSearch no index has the list in order, so the first batch needs a scan of all rows and a permit for searches
 */
export async function* batchesInTurn<T>(
  call: PublicCall & { org: Org },
  batches: AsyncGenerator<T>,
  isSearch = false,
): AsyncGenerator<T> {
  const { org, services } = call;
  const next = () => batches.next();
  try {
    for (let isFirst = true; ; isFirst = false) {
      const { done, value } = await (isFirst && isSearch
        ? search(call, next)
        : services.gate.fetch(org, next));
      if (done) return;
      yield value;
    }
  } finally {
    await batches.return(undefined);
  }
}

const CANCELED = '57014';

/** The message for a search that exceeded its timeout. */
export const tooLong = (error: unknown, searchMs: number): unknown =>
  sqlState(error) === CANCELED
    ? new OverShareError(
        `The search took longer than ${searchMs / 1_000} s. Narrow it: more and longer words, a project, a severity.`,
        error,
      )
    : error;
