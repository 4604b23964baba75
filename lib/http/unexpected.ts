import { isOfDeletedUser, isUnavailable, refusesWrites } from '../../db/errors.ts';
import { ApiError } from '../errors.ts';
import { connectionsOverShare, isOverShare } from '../fair-share/over-share.ts';
import type { Services } from '../services.ts';
import type { RequestContext } from './call.ts';

const NO_WRITES = { message: 'The database takes no writes at the moment: its disk may be full.' };

/** Logs an error that is not an {@link ApiError}. @returns the error of the response, which does not contain the reason */
export function unexpectedError(
  { log, metrics }: Pick<Services, 'log' | 'metrics'>,
  { route, ids, user }: Pick<RequestContext, 'route' | 'ids' | 'user'>,
  error: unknown,
): ApiError {
  if (isOverShare(error)) {
    metrics.connectionRefused();
    return connectionsOverShare(error);
  }
  // The account was deleted after the access check.
  if (user !== undefined && isOfDeletedUser(error, user)) return new ApiError('auth_error/not_authenticated');
  const unavailable = isUnavailable(error);
  log.error(unavailable ? 'database unavailable' : 'request failed', { ...ids, route, error });
  const key = unavailable ? 'server_error/unavailable' : 'server_error/internal';
  if (!refusesWrites(error)) return new ApiError(key);
  metrics.writeRefused();
  return new ApiError(key, NO_WRITES);
}
