import {
  isForeignKeyViolation,
  isMoving,
  isOfDeletedUser,
  isUnavailable,
  lacksOrgTable,
  refusesWrites,
} from '../../db/errors.ts';
import { connectionsOverShare, isOverShare } from '../fair-share/over-share.ts';
import type { Services } from '../services.ts';
import { isTokenOf } from '../tokens/format.ts';
import type { PublicCall, RequestContext } from './call.ts';
import { ApiError, type ErrorKey } from './errors.ts';

const NO_WRITES = { message: 'The database takes no writes at the moment: its disk may be full.' };

const MOVING = {
  message: 'The organization is being moved and takes no changes for some seconds.',
  retryAfter: 1,
};

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
  if (isMoving(error)) {
    log.warn('unavailable', { ...ids, route, error });
    return new ApiError('server_error/unavailable', MOVING);
  }
  const unavailable = isUnavailable(error);
  log.error(unavailable ? 'database unavailable' : 'request failed', { ...ids, route, error });
  const key = unavailable ? 'server_error/unavailable' : 'server_error/internal';
  return new ApiError(key, refusesWrites(error) ? NO_WRITES : {});
}

/** Refusals for which a row of `shared` is missing. */
const LACKS_ROWS: readonly ErrorKey[] = [
  'tenant_error/not_member',
  'tenant_error/not_found',
  'resource_error/not_found',
];

/** Whether a call failed because its organization has moved to another cell since this process has found it. */
export async function hasMoved(call: PublicCall | undefined, error: unknown): Promise<boolean> {
  const isPossible =
    lacksOrgTable(error) || isForeignKeyViolation(error) || (call && lacksSharedRows(call, error));
  if (!call?.namedOrg || !isPossible) return false;
  const org = await call.namedOrg.catch(() => undefined);
  return org !== undefined && (await call.services.orgs.hasLeft(org.slug).catch(() => false));
}

/**
 * Whether a refusal may be due to rows of `shared` that an organization takes along. A statement that begins at the instant at which
 * it leaves still finds its tables: PostgreSQL shows a commit to others before it tells them of changed names.
 */
function lacksSharedRows(call: PublicCall & { bearer?: string }, error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (LACKS_ROWS.includes(error.key)) return true;
  return error.key === 'token_error/invalid' && isTokenOf('personal', call.bearer ?? '');
}
