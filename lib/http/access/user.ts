import { and, eq, isNull, lt } from 'drizzle-orm';
import { refusesWrites } from '../../../db/errors.ts';
import { sessions } from '../../../db/schema/accounts.ts';
import type { FoundSession } from '../../accounts/sessions/look-up.ts';
import { idleLimit } from '../../accounts/sessions/sessions.ts';
import type { TokenClaims } from '../../accounts/sessions/signed-token.ts';
import type { CookieCall, PublicCall } from '../call.ts';
import { ApiError } from '../errors.ts';
import { expireStrayCookies, readSessionCookies } from '../session-cookie.ts';
import { requestOf } from './share.ts';

/** How long a sign-in or a step-up counts as fresh. */
const STEP_UP_MS = 10 * 60_000;

/** The claims of the session cookie. */
export async function readCookie(base: PublicCall): Promise<TokenClaims> {
  const { claims, expired, tooMany } = await readSessionCookies(base);
  const [first] = claims;
  if (tooMany || claims.length > 1) {
    // One of them may be somebody else's, who waits for what is done in their name.
    expireStrayCookies(base);
    const { ids } = requestOf(base);
    base.log.warn('cookies of several sessions', { ...ids, users: claims.map(({ userId }) => userId) });
    throw new ApiError('auth_error/not_authenticated', {
      message:
        'The request came with cookies of several sessions. Those that are not from here were cleared: try again.',
    });
  }
  if (!first) throw new ApiError(expired ? 'auth_error/session_revoked' : 'auth_error/not_authenticated');
  return first;
}

/** @throws ApiError `auth_error/session_revoked` when there is none that lives */
export function requireLive<S extends FoundSession>(
  session: S | undefined,
  { now, services }: PublicCall,
): S {
  const idleSince = idleLimit(services.config, now);
  if (!session || session.revokedAt || session.expiresAt <= now || session.lastActiveAt <= idleSince)
    throw new ApiError('auth_error/session_revoked');
  return session;
}

/** @throws ApiError `permission_error/step_up_required` when the user proved who they are too long ago */
function requireFresh({ authenticatedAt }: FoundSession, now: Date): void {
  if (now.getTime() - authenticatedAt.getTime() > STEP_UP_MS)
    throw new ApiError('permission_error/step_up_required');
}

/** @throws ApiError `permission_error/email_not_verified` */
export function requireVerified({ services }: PublicCall, { user }: FoundSession): void {
  if (services.config.requireVerifiedEmail && !user.emailVerified)
    throw new ApiError('permission_error/email_not_verified');
}

const ACTIVITY_STEP_MS = 60_000;

export async function noteActivity({ db, now, log }: PublicCall, session: FoundSession): Promise<void> {
  const { id, lastActiveAt } = session;
  const before = new Date(now.getTime() - ACTIVITY_STEP_MS);
  if (lastActiveAt > before) return;
  await db
    .update(sessions)
    .set({ lastActiveAt: now })
    .where(and(eq(sessions.id, id), lt(sessions.lastActiveAt, before), isNull(sessions.revokedAt)))
    .catch((error) => {
      if (!refusesWrites(error)) throw error;
      log.debug('last_active_at was not set', { error });
    });
}

/**
 * @param options `stepUp` asks for a fresh sign-in; `unverified` lets in accounts without a verified address, whatever the
 * configuration
 */
export async function admitUser(
  base: PublicCall,
  { stepUp = false, unverified = false }: { stepUp?: boolean; unverified?: boolean } = {},
): Promise<CookieCall> {
  const { services, now } = base;
  const claims = await readCookie(base);
  const session = requireLive(await services.sessions.find(claims), base);
  requestOf(base).user = session.user.id;
  if (!unverified) requireVerified(base, session);
  await noteActivity(base, session);
  if (stepUp) requireFresh(session, now);
  return Object.assign(base, { user: session.user, sessionId: session.id });
}

/** The signed-in user, for endpoints that also work without one; undefined when there is no live session. */
export async function visitorOf(base: PublicCall): Promise<CookieCall | undefined> {
  const { claims, tooMany } = await readSessionCookies(base);
  if (claims.length === 0 && !tooMany) return undefined;
  try {
    return await admitUser(base, { unverified: true });
  } catch (error) {
    if (error instanceof ApiError && error.key === 'auth_error/session_revoked') return undefined;
    throw error;
  }
}
