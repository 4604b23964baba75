import { sqlState } from '../../db/errors.ts';
import { ABORTED, OVER_SHARE, TOO_BUSY } from '../../db/pool/semaphore.ts';
import { ApiError } from '../http/errors.ts';

/** When a client that was refused may try again. */
const RETRY_AFTER_S = 2;

/** An organization asks for more work at a time than its share: 429. */
export class OverShareError extends ApiError {
  constructor(message: string, cause?: unknown) {
    super('rate_limit_error/exceeded', { message, retryAfter: RETRY_AFTER_S, cause });
  }
}

/** The error when all connections that an organization may use stay in use. */
export const connectionsOverShare = (cause: unknown) =>
  new OverShareError('This organization has too many requests under way.', cause);

export const isOverShare = (error: unknown): boolean => sqlState(error) === OVER_SHARE;

const NO_PLACE = new Set<string | undefined>([TOO_BUSY, OVER_SHARE, ABORTED]);

/** Waits for a place of expensive work. @throws OverShareError with the message when none came in time */
export async function placeOr<T>(place: Promise<T>, message: string): Promise<T> {
  try {
    return await place;
  } catch (error) {
    throw NO_PLACE.has(sqlState(error)) ? new OverShareError(message, error) : error;
  }
}
