import { ApiError } from '../../../errors.ts';
import type { CookieCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/** How long a sign-in or a step-up counts as fresh. */
const FRESH_MS = 10 * 60_000;

/** Requires a sign-in or a step-up within the last 10 minutes (403). */
export const stepUp = middleware<CookieCall>(['permission_error/step_up_required'], function stepUp(c, next) {
  const { now, session } = c.get('call');
  if (now.getTime() - session.authenticatedAt.getTime() > FRESH_MS)
    throw new ApiError('permission_error/step_up_required');
  return next();
});
