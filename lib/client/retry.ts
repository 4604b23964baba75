import { ServiceError } from './index.ts';

/** Seconds before each of the three retries (exponential backoff). */
export const RETRY_DELAYS_S: readonly number[] = [1, 2, 4];
/** If the service asks for a longer pause, there is no retry. */
const MAX_RETRY_AFTER_S = 60;

/** Whether a retry may succeed: the service was unreachable, overloaded or failed. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return isNetworkError(error);
  return error.status === 408 || error.status === 429 || error.status >= 500;
}

/** Whether the service is down: a network error, a status from 502 to 504, or `unavailable`. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return isNetworkError(error);
  return [502, 503, 504].includes(error.status) || error.code === 'unavailable';
}

/** Whether `fetch` failed or timed out. Other errors, such as a full disk, are not network errors. */
const isNetworkError = (error: unknown) =>
  error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');

/** Waits between attempts. @throws if the signal is aborted */
export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface RetryOptions {
  /** Seconds before each retry, with ±25 % jitter; a longer `Retry-After` takes precedence. */
  delays?: readonly number[] | undefined;
  signal?: AbortSignal | undefined;
  wait?: Wait | undefined;
  /** Whether another attempt may succeed. Default: {@link isTransient}. */
  shouldRetry?: ((error: unknown) => boolean) | undefined;
  /** Returns a number from 0 to 1, for the jitter. */
  random?: (() => number) | undefined;
}

/**
 * Calls a function and retries it after each delay while it fails with a transient error.
 * @throws the error of the last attempt
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { delays = RETRY_DELAYS_S, signal, random = Math.random } = options;
  const { wait = pause, shouldRetry = isTransient } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const delay = delays[attempt];
      if (delay === undefined || !shouldRetry(error) || signal?.aborted) throw error;
      const retryAfter = error instanceof ServiceError ? (error.retryAfter ?? 0) : 0;
      if (retryAfter > MAX_RETRY_AFTER_S) throw error;
      const jittered = delay * (0.75 + random() / 2);
      await wait(Math.max(retryAfter, jittered) * 1000, signal).catch(() => {
        throw error;
      });
    }
  }
}

/** Waits on any runtime. @throws the reason of the signal */
export const pause: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
