import { ApiError } from '../../../errors.ts';
import type { MemberCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/** Requires that the member signed in by a connection of the organization (403), if one has `require_sso`. */
export const requireSso = middleware<MemberCall>(
  ['permission_error/sso_required'],
  function requireSso(c, next) {
    if (c.get('call').membership.ssoMissing) throw new ApiError('permission_error/sso_required');
    return next();
  },
);
