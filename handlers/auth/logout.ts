import { endSession } from '../../lib/accounts/sessions/sessions.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import {
  expireStrayCookies,
  readSessionCookies,
  sessionCookie,
} from '../../lib/http/request/session-cookie.ts';

export const logout = endpoint(
  {
    method: 'post',
    path: '/auth/logout',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Log out',
    description: 'Revokes the session, if there is one, and clears the cookie.',
    responses: { 200: { description: 'The cookie is cleared.', message: 'Logged out.', cookie: true } },
  },
  async (call) => {
    const { claims, tooMany } = await readSessionCookies(call);
    for (const { id } of claims) await endSession(call.db, id, call.now);
    // A remaining cookie of another session would become the session from now on.
    if (tooMany || claims.length > 1) expireStrayCookies(call);
    return done({ headers: sessionCookie(call, '', 0) });
  },
);
