import { and, eq, inArray, isNull } from 'drizzle-orm';
import { generateCookie } from 'hono/cookie';
import type { Db, Tx } from '../../../db/client.ts';
import { sessions } from '../../../db/schema/accounts.ts';
import type { Config } from '../../config/config.ts';
import type { PublicCall } from '../../http/call.ts';
import { readSessionCookies, SESSION_COOKIE } from '../../http/request/session-cookie.ts';
import type { Headers } from '../../http/respond.ts';
import type { SessionUser } from './look-up.ts';
import { TOKEN_SECONDS } from './signed-token.ts';
import { type Device, parseDevice } from './user-agent.ts';

/** Creates a session for a user who has just authenticated. @returns the header that sets its cookie */
export async function startSession(
  db: Db | Tx,
  call: PublicCall,
  userId: string,
  device: Device = deviceOf(call),
): Promise<Headers> {
  const { services, peer } = call;
  const { id, at: createdAt } = services.nextId();
  const expiresAt = new Date(createdAt.getTime() + TOKEN_SECONDS.session * 1000);
  const inserted = db.insert(sessions).values({
    id,
    userId,
    ipAddress: peer.ip,
    ...device,
    createdAt,
    lastActiveAt: createdAt,
    expiresAt,
  });
  // Signing runs in the thread pool and may wait there, so the statements do not wait for it.
  const [token] = await Promise.all([
    services.signedTokens.sign('session', { userId, id }, createdAt),
    inserted,
    endReplacedSessions(db, call),
  ]);
  return sessionCookie(call, token, TOKEN_SECONDS.session);
}

/** The browser and system of a request. */
export const deviceOf = ({ c }: PublicCall): Device => parseDevice(c.req.header('user-agent'));

/** Sessions without a request since this time have expired. */
export const idleLimit = ({ sessionIdleMinutes }: Pick<Config, 'sessionIdleMinutes'>, now: Date): Date =>
  new Date(sessionIdleMinutes === 0 ? 0 : now.getTime() - sessionIdleMinutes * 60_000);

/**
 * In strict mode, ends the sessions of the cookies that a sign-in was sent with, because the new cookie replaces them. In
 * default mode each sign-in adds a session (docs/api.md).
 */
async function endReplacedSessions(db: Db | Tx, call: PublicCall): Promise<void> {
  if (!call.services.config.strict) return;
  const { claims } = await readSessionCookies(call);
  if (claims.length === 0) return;
  const ids = claims.map(({ id }) => id);
  await db
    .update(sessions)
    .set({ revokedAt: call.now })
    .where(and(inArray(sessions.id, ids), isNull(sessions.revokedAt)));
}

export async function endSession(call: PublicCall, sessionId: string): Promise<void> {
  await call.db
    .update(sessions)
    .set({ revokedAt: call.now })
    .where(and(eq(sessions.id, sessionId), isNull(sessions.revokedAt)));
}

/** Whether cookies are `Secure`: over HTTPS, and in strict mode also if the public URL is https. */
export const isSecure = ({ peer, services: { config } }: PublicCall): boolean =>
  peer.secure || (config.strict && config.https);

/** The header that sets the session cookie, or clears it when `maxAge` is 0. */
export function sessionCookie(call: PublicCall, value: string, maxAge: number): Headers {
  const { baseDomain } = call.services.config;
  return {
    'set-cookie': generateCookie(SESSION_COOKIE, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      maxAge,
      ...(isSecure(call) && { secure: true }),
      ...(baseDomain && { domain: `.${baseDomain}` }),
    }),
  };
}

/** A user in API responses. */
export const toUser = ({
  id,
  email,
  name,
  avatarUrl,
  createdAt,
}: Omit<SessionUser, 'mfaEnabled' | 'emailVerified'>) => ({
  id,
  email,
  name,
  avatar_url: avatarUrl,
  created_at: createdAt.toISOString(),
});
