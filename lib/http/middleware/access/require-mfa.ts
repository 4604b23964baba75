import { ApiError } from '../../../errors.ts';
import type { CookieCall, MemberCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/**
 * Requires that the member has MFA enabled, signed in by a passkey, or used several factors at a provider that the organization trusts
 * (403), if the organization's flag `require_mfa` is active.
 */
export const requireMfa = middleware<MemberCall & Partial<CookieCall>>(
  ['permission_error/mfa_required_by_org'],
  function requireMfa(c, next) {
    const { membership, session, user } = c.get('call');
    if (membership.requireMfa && !user.mfaEnabled && !session?.byPasskey && !session?.trustedMfa)
      throw new ApiError('permission_error/mfa_required_by_org');
    return next();
  },
);
