import { sqlState } from '../../db/errors.ts';
import {
  ABORTED,
  ACQUIRE_TIMEOUT_MS,
  createSemaphore,
  type Release,
  type Sharer,
} from '../../db/pool/semaphore.ts';
import type { BudgetLoad } from '../metrics/reports.ts';
import { type Client, withClients } from './slow-clients.ts';

/** Limits the bytes that requests hold in memory at a time, in total and per account or address. */
export interface ByteBudget extends BudgetLoad {
  /**
   * Reserves bytes.
   * @param bytes at most `perAccount`
   * @param request.signal withdraws the request while it waits
   * @param request.sender for a body that arrives after this call
   * @returns a function that frees them; call it when the body has arrived, with the bytes that are still needed, and when none are
   * @throws one of the errors of a semaphore
   */
  reserve(sharer: Sharer, bytes: number, request?: ReserveRequest): Promise<Release>;
}

export interface ReserveRequest {
  signal?: AbortSignal;
  sender?: Sender;
}

/** A client that sends a body. While others wait, it is aborted if it is slow. */
export interface Sender {
  /** The bytes that have arrived. */
  received(): number;
  /** Aborts the request, which then frees its bytes. */
  breakOff(): void;
}

export interface ByteBudgetOptions {
  total: number;
  perAccount: number;
  timeoutMs?: number;
}

/** While others wait, a body must arrive as fast as if it took this time. Its rate is measured over a tenth of it. */
const ARRIVAL_MS = 20_000;

export function createByteBudget(options: ByteBudgetOptions): ByteBudget {
  const semaphore = createSemaphore({ timeoutMs: ACQUIRE_TIMEOUT_MS, ...options });
  const acquire = withClients(semaphore);
  const refused = { late: 0, slow: 0 };

  function clientOf({ received, breakOff }: Sender, bytes: number): Client {
    let measured = { heldMs: 0, received: 0, progress: 1 };
    return {
      progress(heldMs) {
        const ms = heldMs - measured.heldMs;
        if (ms >= ARRIVAL_MS / 10) {
          const arrived = received();
          const progress = ((arrived - measured.received) * ARRIVAL_MS) / (bytes * ms);
          measured = { heldMs, received: arrived, progress };
        }
        return measured.progress;
      },
      breakOff() {
        refused.slow++;
        breakOff();
      },
    };
  }

  return {
    async reserve(sharer, bytes, { signal, sender } = {}) {
      try {
        return await acquire({ sharer, units: bytes, signal }, sender && clientOf(sender, bytes));
      } catch (error) {
        if (sqlState(error) !== ABORTED) refused.late++;
        throw error;
      }
    },
    inUse: semaphore.inUse,
    waiting: semaphore.waiting,
    refused: () => refused,
  };
}
