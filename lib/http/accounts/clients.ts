import { desc, eq } from 'drizzle-orm';
import { generateCookie, getCookie } from 'hono/cookie';
import { sessions } from '../../../db/schema/accounts.ts';
import type { LimitClient } from '../../accounts/limits/limits.ts';
import { TOKEN_SECONDS } from '../../accounts/sessions/signed-token.ts';
import { sha256Hex } from '../../crypto/random.ts';
import { networkOf } from '../../network.ts';
import type { CookieCall, PublicCall } from '../call.ts';
import { isSecure } from '../request/session-cookie.ts';

/**
 * Identifies a browser that an account has signed in with, independent of its address (OWASP "Device cookies"). It grants no
 * access: it gives the browser its own budget of attempts, so that attempts of strangers do not lock it out. A new password
 * invalidates it, so that a thief of the cookie loses that budget.
 */
const DEVICE_COOKIE = 'svc_device';

/** The latest sessions that are searched for the client's network. */
const MAX_SESSIONS = 200;

/** The part of an account that a device cookie is bound to. */
interface Owner {
  id: string;
  passwordHash: string | null;
}

/** Changes with the password. It reveals nothing about the password, because the hash has a random salt. */
const digestOf = ({ passwordHash }: Owner) => sha256Hex(passwordHash ?? '').slice(0, 32);

/** The client of a sign-in. @param account undefined if no account has the address */
export async function clientOf(call: PublicCall, account: Owner | undefined): Promise<LimitClient> {
  const { db, peer, services } = call;
  if (!services.limits.on) return NOBODY;
  const device = account && (await deviceIdOf(call, account));
  if (device !== undefined) return { key: `device ${device}`, isKnown: async () => true };
  const network = networkOf(peer.ip);
  return {
    key: `network ${network}`,
    async isKnown() {
      if (account === undefined || network === '') return false;
      const rows = await db
        .select({ ip: sessions.ipAddress })
        .from(sessions)
        .where(eq(sessions.userId, account.id))
        .orderBy(desc(sessions.createdAt))
        .limit(MAX_SESSIONS);
      return rows.some(({ ip }) => networkOf(ip) === network);
    },
  };
}

/** The id of a browser that the account has signed in with since its password was changed. Unset: it is another, or limits are off. */
export async function deviceIdOf(
  { c, now, services }: PublicCall,
  account: Owner,
): Promise<string | undefined> {
  const cookie = services.limits.on ? getCookie(c, DEVICE_COOKIE) : undefined;
  const device = cookie ? await services.signedTokens.verify('device', cookie, now) : undefined;
  if (device?.kind !== 'valid') return undefined;
  const { id, userId, password } = device.claims;
  return userId === account.id && password === digestOf(account) ? id : undefined;
}

/** The client of a signed-in user: the session, whose budget nobody else can use up. */
export const clientOfSession = ({ sessionId }: CookieCall): LimitClient => ({
  key: `session ${sessionId}`,
  isKnown: async () => true,
});

const NOBODY: LimitClient = { key: '', isKnown: async () => false };

/** Sets a device cookie for an account whose owner has just signed in, if limits are on. */
export async function rememberDevice(call: PublicCall, account: Owner): Promise<void> {
  const { c, now, services } = call;
  if (!services.limits.on) return;
  const { id } = services.nextId();
  const claims = { userId: account.id, id, password: digestOf(account) };
  const token = await services.signedTokens.sign('device', claims, now);
  const request = c.get('request');
  const cookie = generateCookie(DEVICE_COOKIE, token, {
    path: '/api/v1/auth',
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: TOKEN_SECONDS.device,
    ...(isSecure(call) && { secure: true }),
  });
  request.cookies = [...(request.cookies ?? []), cookie];
}
