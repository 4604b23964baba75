import { ApiError } from '../../../errors.ts';
import type { UserCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/** Requires a verified primary address (403) if `requireVerifiedEmail` is on. */
export const verifiedEmail = middleware<UserCall>(
  ['permission_error/email_not_verified'],
  function verifiedEmail(c, next) {
    const { services, user } = c.get('call');
    if (services.config.requireVerifiedEmail && !user.emailVerified)
      throw new ApiError('permission_error/email_not_verified');
    return next();
  },
);
