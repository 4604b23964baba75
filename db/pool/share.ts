import type { WithConnection } from './pool.ts';
import { createSemaphore, PATIENCE_MS } from './semaphore.ts';

/** Work that takes longer waits for something, such as a lock, and leaves its place to others. */
const LONG_MS = 1_000;

/**
 * A share of the connections, `max` at the most, for what comes in floods: the others are there for all else. No
 * organization has all of it, and waiting organizations are served round-robin.
 */
export function createShare(withConnection: WithConnection, max: number): WithConnection {
  const semaphore = createSemaphore(Array<true>(max).fill(true), {
    patienceMs: PATIENCE_MS,
    perKey: Math.max(1, max - 1),
  });
  return (use, org) =>
    new Promise((resolve, reject) => {
      semaphore.enter(
        (_, leave) => {
          const long = setTimeout(leave, LONG_MS);
          const done = () => {
            clearTimeout(long);
            leave();
          };
          withConnection(use, org).finally(done).then(resolve, reject);
        },
        reject,
        { key: org?.id },
      );
    });
}
