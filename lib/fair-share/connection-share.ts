import type { WithConnection } from '../../db/pool/pool.ts';
import { ACQUIRE_TIMEOUT_MS, createSemaphore } from '../../db/pool/semaphore.ts';

/** Work that takes longer waits for something, such as a lock, and releases its permit. */
const LONG_MS = 1_000;

/**
 * Limits one kind of work to `max` connections at a time, so that the others remain for the rest. One organization gets at
 * most all but one, and waiting organizations are served round-robin.
 */
export function createConnectionShare(withConnection: WithConnection, max: number): WithConnection {
  const permits = createSemaphore(Array<true>(max).fill(true), {
    timeoutMs: ACQUIRE_TIMEOUT_MS,
    perKey: Math.max(1, max - 1),
  });
  return async (use, org) => {
    const { release } = await permits.acquire({ key: org?.id });
    const timer = setTimeout(release, LONG_MS);
    try {
      return await withConnection(use, org);
    } finally {
      clearTimeout(timer);
      release();
    }
  };
}
