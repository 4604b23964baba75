import { setTimeout } from 'node:timers/promises';
import { ServiceError } from '../lib/client/index.ts';

/** Seconds before each attempt after the first (API contract, "Limits": 3, with exponential backoff). */
export const RETRY_DELAYS_S: readonly number[] = [1, 2, 4];
/** A service that asks for a longer pause is not waited for. */
const MAX_RETRY_AFTER_S = 60;

/** Whether another attempt may succeed: the service was not reached, is overloaded, or failed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return isOfNetwork(error);
  return error.status === 408 || error.status === 429 || error.status >= 500;
}

/** Whether nobody was there to answer, as far as one can tell. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return isOfNetwork(error);
  return [502, 503, 504].includes(error.status) || error.code === 'unavailable';
}

/** What `fetch` throws, and our time limit; a full disk is none of it. */
const isOfNetwork = (error: unknown) =>
  error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');

/** Waits between attempts. @throws when the signal is aborted */
export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface RetryOptions {
  /** Seconds; each is taken ±25 % at random, and `Retry-After` prolongs it. */
  delays?: readonly number[] | undefined;
  signal?: AbortSignal | undefined;
  wait?: Wait | undefined;
  /** From 0 to 1. */
  random?: (() => number) | undefined;
}

/**
 * Calls until it succeeds, fails for good, or has been tried once and then once more after each delay.
 * @throws what the last attempt threw
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { delays = RETRY_DELAYS_S, signal, random = Math.random } = options;
  const { wait = (ms, signal) => setTimeout(ms, undefined, { signal }) } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const delay = delays[attempt];
      if (delay === undefined || !isTransient(error) || signal?.aborted) throw error;
      const asked = error instanceof ServiceError ? (error.retryAfter ?? 0) : 0;
      if (asked > MAX_RETRY_AFTER_S) throw error;
      const jittered = delay * (0.75 + random() / 2);
      await wait(Math.max(asked, jittered) * 1000, signal).catch(() => {
        throw error;
      });
    }
  }
}
