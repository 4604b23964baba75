import { getCookie } from 'hono/cookie';
import { endSession, sessionCookie } from '../../lib/auth/sessions.ts';
import { baseDomainOnly, SESSION_COOKIE } from '../../lib/http/access.ts';
import { done, endpoint } from '../../lib/http/endpoint.ts';

export const logout = endpoint(
  {
    method: 'post',
    path: '/auth/logout',
    access: baseDomainOnly,
    tag: 'Auth',
    summary: 'Log out',
    description: 'Revokes the session of the cookie, if there is one, and clears the cookie.',
    responses: { 200: { description: 'The cookie is cleared.', message: 'Logged out.', cookie: true } },
  },
  async (call) => {
    const { c, services, now } = call;
    const value = getCookie(c, SESSION_COOKIE);
    const claims =
      value === undefined ? undefined : await services.signedTokens.verify('session', value, now);
    if (claims && claims !== 'expired') await endSession(call, claims.id);
    return done({ headers: sessionCookie(call, '', 0) });
  },
);
