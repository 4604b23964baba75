import { ACQUIRE_TIMEOUT_MS, createSemaphore, type Release, type Sharer } from '../../db/pool/semaphore.ts';
import { isOverShare, overShare } from './over-share.ts';

/**
 * Limits the requests in progress of each account while several organizations are active, so that one with many requests does not
 * delay the others. An organization is active for `RECENT_MS` after its latest request. The organizations of an account are admitted
 * round-robin.
 */
export interface Gate {
  /** Admits a request if it need not wait. @returns a function to call when it is answered or begins expensive work */
  tryEnter(org: Sharer): Release | undefined;
  /** @throws `OVER_SHARE` after the timeout, or when the signal withdraws the request */
  enter(org: Sharer, signal?: AbortSignal): Promise<Release>;
  /**
   * Reads the next batch of a whole list. While several organizations are active, an account reads one at a time, and the next one as
   * much later as that took: its lists together use a processor for half of the time at most.
   */
  fetch<T>(org: Sharer, read: () => Promise<T>): Promise<T>;
  /** Whether several organizations are active. */
  isShared(): boolean;
}

/**
 * Requests in progress of one account while others are active. 8 fill the batches of pushes; reading and answering a hundred at
 * once would block the event loop for more than 10 ms.
 */
export const REQUESTS_AT_ONCE = 8;
const RECENT_MS = 500;
/** Work that takes longer waits for something, such as a lock or a body, and no longer counts. */
export const LONG_MS = 1_000;

export function createGate({ timeoutMs = ACQUIRE_TIMEOUT_MS }: { timeoutMs?: number } = {}): Gate {
  const activity = createActivity();
  const whileShared = (limit: number) => () => (activity.isShared() ? limit : Number.POSITIVE_INFINITY);
  const requests = createSemaphore({ timeoutMs, perAccount: whileShared(REQUESTS_AT_ONCE) });
  const fetches = createSemaphore({ perAccount: whileShared(1) });

  return {
    isShared: activity.isShared,
    tryEnter(sharer) {
      activity.record(sharer.id);
      const release = requests.tryAcquire({ sharer });
      return release && untilLong(release);
    },
    async enter(sharer, signal) {
      activity.record(sharer.id);
      const release = await requests.acquire({ sharer, signal }).catch((error: Error) => {
        throw isOverShare(error) ? error : overShare(error.message);
      });
      return untilLong(release);
    },
    async fetch(sharer, read) {
      activity.record(sharer.id);
      const release = await fetches.acquire({ sharer });
      const began = performance.now();
      try {
        return await read();
      } finally {
        if (activity.isShared()) setTimeout(release, performance.now() - began, 0);
        else release();
      }
    },
  };
}

/** Releases a permit after `LONG_MS`, if not before. */
export function untilLong(release: Release): () => void {
  const timer = setTimeout(release, LONG_MS, 0);
  return () => {
    clearTimeout(timer);
    release();
  };
}

/** Remembers the two organizations with the latest requests, which is enough to know whether several are active. */
function createActivity() {
  let latest = { id: '', at: Number.NEGATIVE_INFINITY };
  let other = latest;
  return {
    record(id: string): void {
      const at = performance.now();
      if (latest.id === id) latest.at = at;
      else [other, latest] = [latest, { id, at }];
    },
    isShared: (): boolean => performance.now() - other.at < RECENT_MS,
  };
}
