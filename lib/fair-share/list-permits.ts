import type { Sharer } from '../../db/pool/semaphore.ts';
import type { Permits } from './permits.ts';
import { type Client, withClients } from './slow-clients.ts';

/** Limits the whole lists that are streamed at a time, because each holds a connection until it is read. */
export interface ListPermits {
  /**
   * Acquires a permit. Resolves with the function that releases it.
   * @param request.org whose share the permit counts against
   * @param request.signal withdraws the request while it waits
   * @throws one of the errors of a semaphore
   */
  enter(
    reader: ListReader,
    request?: { org?: Sharer; signal?: AbortSignal | undefined },
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

/**
 * Bytes per second that a reader must take while others wait, if rows wait for it and not it for rows. As much more in each further
 * minute: holding all permits on purpose takes ever more.
 */
const RATE = 256 * 1024;
const MINUTE_MS = 60_000;

export function createListPermits(permits: Permits): ListPermits {
  const acquire = withClients(permits);
  return {
    async enter(reader, { org, signal } = {}) {
      const release = await acquire({ sharer: org, signal }, clientOf(reader));
      return () => release();
    },
  };
}

function clientOf(reader: ListReader): Client {
  return {
    progress(heldMs) {
      const mustTake = (RATE / 1_000) * heldMs * Math.max(1, heldMs / MINUTE_MS);
      return reader.waited() > heldMs / 2 ? reader.taken() / mustTake : 1;
    },
    breakOff: () => reader.breakOff(),
  };
}
