import QuickLRU from 'quick-lru';
import { ApiError } from '../errors.ts';

/** The wait of accounts whose imports were killed. Each process has its own, and forgets it when it ends. */
export type KilledImports = ReturnType<typeof createKilledImports>;

const FIRST_WAIT_MS = 10_000;
const MAX_WAIT_MS = 600_000;
/** Without another one for this time, the next wait is the first one again. */
const FORGOTTEN_MS = 3_600_000;

/**
 * An import that is killed has used all the processor time that its report may use. The account that sent it, itself or by a token that it
 * created, waits before the next one, twice as long each time: otherwise it could keep a reader busy with reports that are always killed.
 */
export function createKilledImports() {
  const accounts = new QuickLRU<string, { waitMs: number; until: number }>({
    maxSize: 10_000,
    maxAge: FORGOTTEN_MS,
  });
  return {
    /** @returns the wait in milliseconds */
    add(accountId: string): number {
      const before = accounts.get(accountId)?.waitMs;
      const waitMs = before === undefined ? FIRST_WAIT_MS : Math.min(2 * before, MAX_WAIT_MS);
      accounts.set(accountId, { waitMs, until: Date.now() + waitMs });
      return waitMs;
    },
    /** @throws ApiError `rate_limit_error/exceeded` while the account waits */
    require(accountId: string): void {
      const leftMs = (accounts.get(accountId)?.until ?? 0) - Date.now();
      if (leftMs <= 0) return;
      const retryAfter = Math.ceil(leftMs / 1_000);
      throw new ApiError('rate_limit_error/exceeded', {
        message: `A report that you sent, or a token that you created, took too much processor time or memory. Your next report is read in ${retryAfter} seconds.`,
        retryAfter,
        limit: { limit: 'killed_imports' },
      });
    },
  };
}
