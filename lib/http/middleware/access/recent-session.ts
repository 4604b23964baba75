import { requireRecentSession } from '../../../orgs/access-limits.ts';
import type { SessionMemberCall } from '../../call.ts';
import { middleware } from '../middleware.ts';

/** Requires a session as recent as the organization has chosen (403). */
export const recentSession = middleware<SessionMemberCall>(
  ['permission_error/step_up_required'],
  function recentSession(c, next) {
    const { membership, now, session } = c.get('call');
    requireRecentSession(session, membership, now);
    return next();
  },
);
