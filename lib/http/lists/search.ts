import { sqlState } from '../../../db/errors.ts';
import type { SearchLimits } from '../../../db/findings/lists/search.ts';
import { OverShareError, permitOr } from '../../fair-share/over-share.ts';
import type { Org } from '../../orgs/directory.ts';
import type { PublicCall } from '../call.ts';

/**
 * Runs a statement that may use a processor of PostgreSQL's for long while holding one of the permits for searches.
 * @param tooMany the message when no permit becomes free in time
 * @throws OverShareError
 */
export async function holdingSearchPermit<T>(
  { c, org, services, leaveGate }: PublicCall & { org: Org },
  run: () => Promise<T>,
  tooMany: string,
): Promise<T> {
  leaveGate();
  const { signal } = c.req.raw;
  const release = await permitOr(services.searchPermits.acquire({ sharer: org, signal }), tooMany);
  try {
    return await services.gate.work(org, run, signal);
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
    return await holdingSearchPermit(call, limited, 'This organization searches too much at a time.');
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
