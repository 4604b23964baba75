import { sqlState } from '../../../db/errors.ts';
import type { SearchLimits } from '../../../db/findings/lists/search.ts';
import { OverShareError, permitOr } from '../../fair-share/over-share.ts';
import { LIST_WAIT_MS } from '../../fair-share/permits.ts';
import type { Org } from '../../orgs/directory.ts';
import type { PublicCall } from '../call.ts';

/**
 * Runs a search while holding one of the organization's permits.
 * @param timeoutMs how long it waits for a permit, if not as long as searches do
 * @throws OverShareError when no permit becomes free in time, or the search exceeds its timeout
 */
export async function search<T>(
  { c, org, services, leaveGate }: PublicCall & { org: Org },
  run: (limits: SearchLimits) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  leaveGate();
  const { signal } = c.req.raw;
  const permit = services.searchPermits.acquire({
    ...{ key: org.id, signal },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const { release } = await permitOr(permit, 'This organization searches too much at a time.');
  const { searchMs } = services.config;
  const limited = () => run({ statementMs: searchMs, signal });
  try {
    return await services.gate.oneAtATime(org.id, 'search', limited, signal);
  } catch (error) {
    throw tooLong(error, searchMs);
  } finally {
    release();
  }
}

/**
 * Reads the batches of a list at the pace of the organization's share.
 * @param isSearch no index has the list in order, so the first batch needs a scan of all rows and a permit for searches
 */
export async function* paced<T>(
  call: PublicCall & { org: Org },
  parts: AsyncGenerator<T>,
  isSearch = false,
): AsyncGenerator<T> {
  const { org, services } = call;
  const { gate, permitsShared } = services;
  const next = () => parts.next();
  try {
    let mustSearch = isSearch && !permitsShared;
    for (;;) {
      const { done, value } = await (mustSearch
        ? search(call, next, LIST_WAIT_MS)
        : gate.oneAtATime(org.id, 'list', next));
      mustSearch = false;
      if (done) return;
      yield value;
    }
  } finally {
    await parts.return(undefined);
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
