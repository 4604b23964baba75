import type { WithConnection } from './pool.ts';
import { createTurns, PATIENCE_MS } from './turns.ts';

/** Who takes longer waits for something, such as a lock, and leaves its place to others. */
const LONG_MS = 1_000;

/** A share of the connections, `max` at the most, for what comes in floods: the others are there for all else. */
export function createShare(withConnection: WithConnection, max: number): WithConnection {
  const turns = createTurns(
    Array.from({ length: max }, () => true),
    { patienceMs: PATIENCE_MS },
  );
  return (use) =>
    new Promise((resolve, reject) => {
      turns.enter((_, leave) => {
        const long = setTimeout(leave, LONG_MS);
        const done = () => {
          clearTimeout(long);
          leave();
        };
        withConnection(use).finally(done).then(resolve, reject);
      }, reject);
    });
}
