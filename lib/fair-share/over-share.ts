import { sqlState } from '../../db/errors.ts';
import { ABORTED, OVER_SHARE, TOO_BUSY } from '../../db/pool/semaphore.ts';
import { ApiError, RETRY_AFTER_S } from '../errors.ts';

/** The organization exceeds its share: 429. */
export class OverShareError extends ApiError {
  constructor(message: string, cause?: unknown) {
    super('rate_limit_error/exceeded', { message, retryAfter: RETRY_AFTER_S, cause });
  }
}

/** The error when an organization waits too long for its share of the connections. */
export const connectionsOverShare = (cause: unknown) =>
  new OverShareError('This organization has too many requests in progress.', cause);

/** The error of what waits for its organization's share, when it is not admitted in time or withdrawn. */
export const overShare = (message: string) => Object.assign(new Error(message), { code: OVER_SHARE });

export const isOverShare = (error: unknown): boolean => sqlState(error) === OVER_SHARE;

const NO_PERMIT = new Set<string | undefined>([TOO_BUSY, OVER_SHARE, ABORTED]);

/** Waits for a permit for expensive work. @throws OverShareError with `message` when none is free in time */
export async function permitOr<T>(permit: Promise<T>, message: string): Promise<T> {
  try {
    return await permit;
  } catch (error) {
    throw NO_PERMIT.has(sqlState(error)) ? new OverShareError(message, error) : error;
  }
}
