import QuickLRU from 'quick-lru';
import { accountOf, type Sharer } from '../../db/pool/semaphore.ts';
import { ApiError } from '../errors.ts';

/** The wait of accounts whose imports were killed. Each process has its own, and forgets it when it ends. */
export type KilledImports = ReturnType<typeof createKilledImports>;

const FIRST_WAIT_MS = 10_000;
const MAX_WAIT_MS = 600_000;
/** Without another one for this time, the next wait is the first one again. */
const FORGOTTEN_MS = 3_600_000;

/**
 * An import that is killed has used all the processor time that its report may use. Its account waits before the next one, twice as
 * long each time: otherwise it could keep a reader busy with reports that are always killed.
 */
export function createKilledImports() {
  const accounts = new QuickLRU<string, { waitMs: number; until: number }>({
    maxSize: 10_000,
    maxAge: FORGOTTEN_MS,
  });
  return {
    /** @returns the wait in milliseconds */
    add(sharer: Sharer): number {
      const key = accountOf(sharer);
      const before = accounts.get(key)?.waitMs;
      const waitMs = before === undefined ? FIRST_WAIT_MS : Math.min(2 * before, MAX_WAIT_MS);
      accounts.set(key, { waitMs, until: Date.now() + waitMs });
      return waitMs;
    },
    /** @throws ApiError `rate_limit_error/exceeded` while the account waits */
    require(sharer: Sharer): void {
      const leftMs = (accounts.get(accountOf(sharer))?.until ?? 0) - Date.now();
      if (leftMs <= 0) return;
      const retryAfter = Math.ceil(leftMs / 1_000);
      throw new ApiError('rate_limit_error/exceeded', {
        message: `A report of this organization, or of another one of the account that created it, took too much processor time or memory. The next report is read in ${retryAfter} seconds.`,
        retryAfter,
        limit: { limit: 'killed_imports' },
      });
    },
  };
}
