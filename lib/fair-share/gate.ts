import { createActivity } from '../../db/pool/activity.ts';
import {
  ACQUIRE_TIMEOUT_MS,
  type AcquireRequest,
  createSemaphore,
  type Release,
  type Sharer,
} from '../../db/pool/semaphore.ts';
import { isOverShare, overShare } from './over-share.ts';

/**
 * Limits the requests in progress of each account while several organizations are active, so that one with many requests does not
 * delay the others. The organizations of an account are admitted round-robin.
 */
export interface Gate {
  /**
   * Admits a request if it need not wait.
   * @param bodyBytes the length of its body, 0 by default; infinite if unknown
   * @returns a function to call when it is answered or begins expensive work
   */
  tryEnter(org: Sharer, bodyBytes?: number): Release | undefined;
  /** @throws `OVER_SHARE` after the timeout, or when the signal withdraws the request */
  enter(org: Sharer, request?: { bodyBytes?: number; signal?: AbortSignal }): Promise<Release>;
  /**
   * Runs expensive work, such as a search or a transaction of many changes. It counts as `EXPENSIVE` requests in progress.
   * @param request.since when its wait for a permit began: it is then the next one of its organization, within the same timeout
   * @throws `OVER_SHARE` as `enter` does
   */
  work<T>(org: Sharer, run: () => Promise<T>, request?: WorkRequest): Promise<T>;
  /**
   * Reads the next batch of a whole list, which counts as much. While several organizations are active, an account reads one at a
   * time, and the next one as much later as that took: its lists together use a processor for half of the time at most.
   */
  fetch<T>(org: Sharer, read: () => Promise<T>): Promise<T>;
  /** Whether several organizations are active. */
  isShared(): boolean;
}

type WorkRequest = Pick<AcquireRequest, 'since' | 'signal' | 'timeoutMs'>;

/**
 * Requests in progress of one account while others are active. 8 fill the batches of pushes; reading and answering a hundred at
 * once would block the event loop for more than 10 ms.
 */
export const REQUESTS_AT_ONCE = 8;
const EXPENSIVE = REQUESTS_AT_ONCE / 2;
/** To read, check and store a body takes time in proportion to its size: so many bytes of it count as one more request. */
const BODY_BYTES = 4_096;
/** A request that takes longer waits for something, such as a lock or a body, and no longer counts. */
export const LONG_MS = 1_000;

export function createGate({ timeoutMs = ACQUIRE_TIMEOUT_MS }: { timeoutMs?: number } = {}): Gate {
  const activity = createActivity();
  const whileShared = (limit: number) => () => (activity.isShared() ? limit : Number.POSITIVE_INFINITY);
  const requests = createSemaphore({ timeoutMs, perAccount: whileShared(REQUESTS_AT_ONCE) });
  const fetches = createSemaphore({ perAccount: whileShared(1) });

  async function acquire(sharer: Sharer, request: AcquireRequest): Promise<Release> {
    activity.record(sharer.id);
    return requests.acquire({ sharer, ...request }).catch((error: Error) => {
      throw isOverShare(error) ? error : overShare(error.message);
    });
  }

  async function work<T>(sharer: Sharer, run: () => Promise<T>, request?: WorkRequest): Promise<T> {
    const release = await acquire(sharer, { units: EXPENSIVE, ...request });
    try {
      return await run();
    } finally {
      release();
    }
  }

  return {
    isShared: activity.isShared,
    tryEnter(sharer, bodyBytes = 0) {
      activity.record(sharer.id);
      const release = requests.tryAcquire({ sharer, units: unitsOf(bodyBytes) });
      return release && untilLong(release);
    },
    enter: async (sharer, { bodyBytes = 0, signal } = {}) =>
      untilLong(await acquire(sharer, { units: unitsOf(bodyBytes), signal })),
    work,
    async fetch(sharer, read) {
      const release = await fetches.acquire({ sharer });
      let began = performance.now();
      const timed = () => {
        began = performance.now();
        return read();
      };
      try {
        // A list that has begun is not broken off, however long its next batch has to wait.
        return await work(sharer, timed, { timeoutMs: Number.POSITIVE_INFINITY });
      } finally {
        if (activity.isShared()) setTimeout(release, performance.now() - began, 0);
        else release();
      }
    },
  };
}

const unitsOf = (bodyBytes: number): number => Math.min(EXPENSIVE, 1 + Math.floor(bodyBytes / BODY_BYTES));

/** Releases a permit after `LONG_MS`, if not before. */
export function untilLong(release: Release): () => void {
  const timer = setTimeout(release, LONG_MS, 0);
  return () => {
    clearTimeout(timer);
    release();
  };
}
