import { endSession } from '../../lib/accounts/sessions/sessions.ts';
import { baseDomainOnly } from '../../lib/http/access.ts';
import { done } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import {
  expireStrayCookies,
  readSessionCookies,
  sessionCookie,
} from '../../lib/http/request/session-cookie.ts';
import { shown, z } from '../../lib/schema.ts';
import { logoutUrl } from '../../lib/sso/sessions.ts';

export const logout = endpoint(
  {
    method: 'post',
    path: '/auth/logout',
    access: baseDomainOnly,
    audit: { none: 'account' },
    tag: 'Auth',
    summary: 'Log out',
    description:
      'Revokes the session, if there is one, and clears the cookie. If the session began at a provider with a page that signs out there, the response has `result` with its address.',
    responses: {
      200: {
        description: 'The cookie is cleared.',
        message: 'Logged out.',
        result: z.object({ logout_url: shown('https://login.acme.example/logout') }).optional(),
        cookie: true,
      },
    },
  },
  async (call) => {
    const { claims, tooMany } = await readSessionCookies(call);
    const { config, ssoBox } = call.services;
    let url: string | undefined;
    for (const { id } of claims) {
      // The address has the ID token, so whoever has the cookie of a session that is over does not get it.
      if (await endSession(call.db, id, call.now))
        url ??= await logoutUrl(call.db, ssoBox, id, {
          returnTo: `${config.publicUrl}/login`,
          ...config.sso,
        });
    }
    // A remaining cookie of another session would become the session from now on.
    if (tooMany || claims.length > 1) expireStrayCookies(call);
    const result = url === undefined ? undefined : { logout_url: url };
    return { ...done({ headers: sessionCookie(call, '', 0) }), result };
  },
);
