import type { FoundSession } from '../../../accounts/sessions/look-up.ts';
import { idleLimit } from '../../../accounts/sessions/sessions.ts';
import type { TokenClaims } from '../../../accounts/sessions/signed-token.ts';
import { ApiError, type ErrorKey } from '../../../errors.ts';
import { isOurToken } from '../../../tokens/format.ts';
import type { CookieCall, PublicCall, SessionMemberCall } from '../../call.ts';
import { type CookieSessions, expireStrayCookies, readSessionCookies } from '../../request/session-cookie.ts';
import { middleware } from '../middleware.ts';
import { isDue, recordActivity } from './activity.ts';
import { resolveOrg } from './organization.ts';

const ERRORS: readonly ErrorKey[] = ['auth_error/not_authenticated', 'auth_error/session_revoked'];

/** Requires a live session (401). */
export const session = middleware<CookieCall>(ERRORS, async function session(c, next) {
  const call = c.get('call');
  await requireSession(call, await readSessionCookies(call));
  await next();
});

/**
 * Requires a live session (401). One statement reads the session, the membership and the organization's `require_mfa`, which
 * later middleware checks. If the organization is unknown, only the session is read, because 401 is reported before 404.
 */
export const memberSession = middleware<SessionMemberCall>(ERRORS, async function memberSession(c, next) {
  const call = c.get('call');
  const { sessions } = call.services;
  const claims = claimsOf(call, await readSessionCookies(call));
  const org = await resolveOrg(call).catch(() => undefined);
  if (org) {
    const { session } = begin(call, requireLive(await sessions.findInOrg(org, claims), call));
    call.membership = session.membership;
    // Denials are logged with the organization.
    c.get('request').org = org.slug;
  } else begin(call, requireLive(await sessions.find(claims), call));
  await next();
});

async function requireSession(call: PublicCall, cookies: CookieSessions): Promise<CookieCall> {
  const claims = claimsOf(call, cookies);
  return begin(call, requireLive(await call.services.sessions.find(claims), call));
}

function begin<S extends FoundSession>(call: PublicCall, session: S) {
  call.c.get('request').user = session.user.id;
  return Object.assign(call, { session, user: session.user, sessionId: session.id });
}

/** The claims of the session cookie. */
function claimsOf(call: PublicCall, { claims, expired, tooMany }: CookieSessions): TokenClaims {
  const [first] = claims;
  if (tooMany || claims.length > 1) {
    // An attacker can set a cookie to make the user act in the attacker's account.
    expireStrayCookies(call);
    const { ids } = call.c.get('request');
    call.log.warn('cookies of several sessions', { ...ids, users: claims.map(({ userId }) => userId) });
    throw new ApiError('auth_error/not_authenticated', {
      message:
        'The request has cookies of several sessions. Cookies of other domains and paths were cleared. Try again.',
    });
  }
  if (expired && !first) throw new ApiError('auth_error/session_revoked');
  if (!first) throw notSignedIn(call);
  return first;
}

function notSignedIn({ c, onlySends }: PublicCall): ApiError {
  const hasToken = isOurToken(c.req.header('authorization'));
  const message = onlySends
    ? 'Tokens that only send findings cannot read. Create an access token in your profile.'
    : 'No token is accepted here. Sign in in a browser.';
  return new ApiError('auth_error/not_authenticated', hasToken ? { message } : {});
}

function requireLive<S extends FoundSession>(session: S | undefined, { now, services }: PublicCall): S {
  const idleSince = idleLimit(services.config, now);
  if (!session || session.revokedAt || session.expiresAt <= now || session.lastActiveAt <= idleSince)
    throw new ApiError('auth_error/session_revoked');
  return session;
}

/** The signed-in user for endpoints with optional authentication; undefined when there is no live session. */
export async function visitorOf(call: PublicCall): Promise<CookieCall | undefined> {
  const cookies = await readSessionCookies(call);
  if (cookies.claims.length === 0 && !cookies.tooMany) return undefined;
  try {
    const visitor = await requireSession(call, cookies);
    if (isDue(visitor)) await recordActivity(visitor);
    return visitor;
  } catch (error) {
    if (error instanceof ApiError && error.key === 'auth_error/session_revoked') return undefined;
    throw error;
  }
}
