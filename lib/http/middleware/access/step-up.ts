import { ApiError } from '../../../errors.ts';
import type { CookieCall, FreshCall } from '../../call.ts';
import { mailsOfRequest } from '../../mails.ts';
import { middleware } from '../middleware.ts';

/** How long a sign-in or a step-up counts as fresh. */
const FRESH_MS = 10 * 60_000;

/**
 * Requires a sign-in or a step-up within the last 10 minutes (403).
 * @param always false: not before the handler asks for the actor of a change
 */
export const stepUp = (always: boolean) =>
  middleware<CookieCall & FreshCall>(['permission_error/step_up_required'], function stepUp(c, next) {
    const call = c.get('call');
    call.freshActor = () => {
      const { now, services, session, user } = call;
      if (now.getTime() - session.authenticatedAt.getTime() > FRESH_MS)
        throw new ApiError('permission_error/step_up_required');
      return { user, now, writeMail: mailsOfRequest(call), publicUrl: services.config.publicUrl };
    };
    if (always) call.freshActor();
    return next();
  });
