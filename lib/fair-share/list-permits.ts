import type { Permits } from './permits.ts';

/** Limits the whole lists that are streamed at a time, because each holds a connection until it is read. */
export interface ListPermits {
  /**
   * Acquires a permit. Resolves with the function that releases it.
   * @param request.org the organization whose share the permit counts against
   * @param request.signal withdraws the request while it waits
   * @throws after the timeout
   */
  enter(
    reader: ListReader,
    request?: { org?: string; signal?: AbortSignal | undefined },
  ): Promise<() => void>;
}

/** The client that reads a list. Both numbers only grow. */
export interface ListReader {
  /** Bytes sent to the client. */
  taken(): number;
  /** Total milliseconds that rows waited for the client. */
  waited(): number;
  /** Aborts the response. */
  breakOff(): void;
}

export interface ListPermitsOptions {
  /** How long a request may wait for a permit. */
  timeoutMs: number;
  /** Window in which the rate of a reader is measured. Less than `timeoutMs`. */
  slowMs?: number;
  /** Readers that have held a permit for this time must be faster. */
  longMs?: number;
}

const SLOW_MS = 15_000;
const LONG_MS = 60_000;
/**
 * Bytes per second. A slower reader that rows wait for may be aborted if another request waits. A faster one may finish even
 * if it is slower than the database: otherwise every reader could be aborted, and start again.
 */
const SLOW_RATE = 256 * 1024;
/** The rate for readers that have held a permit for `longMs`. Holding all permits on purpose needs this rate for each. */
const LONG_SLOW_RATE = 2 * 1024 * 1024;
const CHECKS_PER_WINDOW = 15;

/** The progress of a reader at a point in time. */
interface Sample {
  at: number;
  taken: number;
  waited: number;
}

/** @param permits for lists; searches may share them */
export function createListPermits(
  permits: Pick<Permits, 'acquire'>,
  options: ListPermitsOptions,
): ListPermits {
  const { timeoutMs, slowMs = SLOW_MS, longMs = LONG_MS } = options;
  const readers = new Map<ListReader, { since: number; samples: Sample[] }>();
  let waiting = 0;
  let checkTimer: ReturnType<typeof setInterval> | undefined;

  /** Aborts the slowest reader if a request waits. */
  function abortSlowest(): void {
    let slowest: { reader: ListReader; taken: number } | undefined;
    for (const [reader, { since, samples }] of readers) {
      const now = sampleOf(reader);
      samples.push(now);
      while (samples[1] && samples[1].at <= now.at - slowMs) samples.shift();
      const [start] = samples as [Sample];
      const ms = now.at - start.at;
      const taken = now.taken - start.taken;
      const rate = now.at - since >= longMs ? LONG_SLOW_RATE : SLOW_RATE;
      const isSlow = ms >= slowMs && now.waited - start.waited > ms / 2 && taken < (rate * ms) / 1_000;
      if (isSlow && taken < (slowest?.taken ?? Number.POSITIVE_INFINITY)) slowest = { reader, taken };
    }
    if (!slowest || waiting === 0) return;
    // Removed now, so that it is aborted once: its connection is released later.
    readers.delete(slowest.reader);
    slowest.reader.breakOff();
  }

  return {
    async enter(reader, { org, signal } = {}) {
      waiting++;
      const permit = await permits.acquire({ key: org, timeoutMs, signal }).finally(() => waiting--);
      readers.set(reader, { since: performance.now(), samples: [sampleOf(reader)] });
      checkTimer ??= setInterval(abortSlowest, slowMs / CHECKS_PER_WINDOW);
      return () => {
        permit.release();
        readers.delete(reader);
        if (readers.size > 0) return;
        clearInterval(checkTimer);
        checkTimer = undefined;
      };
    },
  };
}

const sampleOf = (reader: ListReader): Sample => ({
  at: performance.now(),
  taken: reader.taken(),
  waited: reader.waited(),
});
