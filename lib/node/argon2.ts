import { availableParallelism } from 'node:os';
import type { Algorithm } from '@node-rs/argon2';
import { createHashQueue, type HashQueueOptions } from '../accounts/passwords/hash-queue.ts';
import { ARGON2_PARAMETERS, DECOY_HASH, type PasswordHasher } from '../accounts/passwords/passwords.ts';
import { createHashThreads } from './hash-threads.ts';

// A const enum of the package, which does not exist at run time.
const ARGON2ID: Algorithm.Argon2id = 2;

const OPTIONS = { algorithm: ARGON2ID, ...ARGON2_PARAMETERS };

const MOST_THREADS = 4;
/** About as many as a thread checks within the time that a request may wait. */
const WAITING_PER_THREAD = 250;
const MAX_WAIT_MS = 10_000;

/** Half of the processors. The other half is for requests and for PostgreSQL. */
export const defaultConcurrency = (): number =>
  Math.min(MOST_THREADS, Math.max(1, Math.floor(availableParallelism() / 2)));

/**
 * Argon2id on a few threads of low priority. libuv's thread pool stays free for files, name look-ups and Web Crypto.
 */
export function createNodeHasher(options: Partial<HashQueueOptions> = {}): PasswordHasher {
  const { concurrency = defaultConcurrency() } = options;
  const { maxWaiting = WAITING_PER_THREAD * concurrency, maxWaitMs = MAX_WAIT_MS } = options;
  const queue = createHashQueue({ concurrency, maxWaiting, maxWaitMs });
  const threads = createHashThreads();
  return {
    async hash(password, client = '') {
      return (await queue.run(client, () => threads.run({ password, options: OPTIONS }))) as string;
    },
    async verify(stored, password, client = '') {
      const matches = await queue.run(client, () => threads.run({ password, stored: stored ?? DECOY_HASH }));
      return matches === true && stored != null;
    },
    requireRoom: queue.requireRoom,
    load: queue.load,
  };
}
