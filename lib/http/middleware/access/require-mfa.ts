import { ApiError } from '../../../errors.ts';
import type { MemberCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/** Requires that the member has MFA enabled (403) if the organization's flag `require_mfa` is active. */
export const requireMfa = middleware<MemberCall>(
  ['permission_error/mfa_required_by_org'],
  function requireMfa(c, next) {
    const { membership, user } = c.get('call');
    if (membership.requireMfa && !user.mfaEnabled) throw new ApiError('permission_error/mfa_required_by_org');
    return next();
  },
);
