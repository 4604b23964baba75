import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import { isForeignKeyViolation } from '../../../db/errors.ts';
import { sessions, users } from '../../../db/schema/accounts.ts';
import type { Account } from '../../accounts/accounts.ts';
import { TOKEN_SECONDS } from '../../accounts/sessions/signed-token.ts';
import { type Device, parseDevice } from '../../accounts/sessions/user-agent.ts';
import { ApiError } from '../../errors.ts';
import type { MailContent } from '../../mail/mailer.ts';
import { loginNotification } from '../../mail/templates/sign-in.ts';
import { endOldestSessions } from '../../quotas.ts';
import { insertSsoSession, type SsoStart } from '../../sso/sessions.ts';
import type { PublicCall } from '../call.ts';
import { mayMail } from '../mails.ts';
import { readSessionCookies, sessionCookie } from '../request/session-cookie.ts';
import type { Headers } from '../respond.ts';
import { logSecurityEvent } from '../security-log.ts';
import { deviceIdOf, rememberDevice } from './clients.ts';

/**
 * Completes a login with a correct password.
 * @throws ApiError `auth_error/invalid_credentials` when the password was changed or the account disabled meanwhile
 */
export const signInByPassword = (call: PublicCall, account: Account): Promise<Headers> =>
  signIn(call, account, async (tx) => {
    const { id, passwordHash } = account;
    const isUnchanged = and(
      eq(users.id, id),
      eq(users.passwordHash, passwordHash ?? ''),
      isNull(users.disabledAt),
    );
    const counted = tx.update(users).set({ signIns: sql`${users.signIns} + 1` });
    const found = await counted.where(isUnchanged).returning({ id: users.id });
    if (found.length === 0) throw new ApiError('auth_error/invalid_credentials');
  });

/**
 * Completes a login: creates the session and notifies the owner by mail, in strict mode only of sign-ins in a new browser.
 * @param before runs in the same transaction, such as consuming a code, and throws to refuse the login
 * @param start how it began, if not with a password
 */
export async function signIn(
  call: PublicCall,
  account: Pick<Account, 'id' | 'name' | 'email' | 'emailVerified' | 'passwordHash'>,
  before?: (tx: Tx) => Promise<void>,
  start: SessionStart = {},
): Promise<Headers> {
  const { db, services } = call;
  const { sessionsPerAccount: max } = services.config.quotas;
  const device = deviceOf(call);
  const isKnown = (await deviceIdOf(call, account)) !== undefined;
  const notify = async (tx: Tx) => {
    if (isKnown) return;
    if (account.emailVerified || (await mayMail(tx, call, 'notice', account.email)))
      await services.mail.enqueue(tx, account.email, notificationFor(call, account, device));
  };
  const headers = await db.transaction(async (tx) => {
    // First, because it locks the account: after the foreign key of the session it would wait for a deletion that waits for the key.
    await before?.(tx);
    const [session] = await Promise.all([
      startSession(tx, call, account.id, { device, ...start }),
      notify(tx),
    ]);
    return session;
  });
  const ended = await endOldestSessions(call, account.id, max);
  if (ended > 0)
    logSecurityEvent(call, 'limit_exceeded', { limit: 'sessionsPerAccount', max, user: account.id, ended });
  services.mail.kick();
  await signedIn(call, account);
  return headers;
}

/** The start of a session without a password. */
export interface SessionStart {
  /** A passkey that signed in without a password. */
  passkeyId?: string | undefined;
  sso?: SsoStart | undefined;
}

/** Sets the device cookie and writes the security event of a sign-in. */
async function signedIn(call: PublicCall, account: Pick<Account, 'id' | 'passwordHash'>): Promise<void> {
  await rememberDevice(call, account);
  logSecurityEvent(call, 'sign_in', { account: account.id });
}

const notificationFor = (
  { now, peer }: PublicCall,
  { name }: Pick<Account, 'name'>,
  device: Device,
): MailContent => loginNotification({ name, at: now, ip: peer.ip, ...device });

/** Creates a session for a user who has just authenticated. @returns the header that sets its cookie */
export async function startSession(
  db: Db | Tx,
  call: PublicCall,
  userId: string,
  { device = deviceOf(call), passkeyId, sso }: { device?: Device } & SessionStart = {},
): Promise<Headers> {
  const { services, peer } = call;
  const { id, at: createdAt } = services.nextId();
  const expiresAt = new Date(createdAt.getTime() + TOKEN_SECONDS.session * 1000);
  const inserted = db.insert(sessions).values({
    id,
    userId,
    ipAddress: peer.ip,
    ...device,
    passkeyId,
    ...(sso && {
      ...{ ssoConnectionId: sso.connectionId, ssoMfa: sso.mfa },
      authenticatedAt: sso.authTime === null ? null : new Date(sso.authTime),
    }),
    createdAt,
    lastActiveAt: createdAt,
    expiresAt,
  });
  // Signing runs in the thread pool and may wait there, so the statements do not wait for it.
  const [token] = await Promise.all([
    services.signedTokens.sign('session', { userId, id }, createdAt),
    inserted
      .then(() => sso && insertSsoSession(db, services.ssoBox, id, sso))
      // Afterwards: a change of a connection locks it before it ends its sessions.
      .then(() => endReplacedSessions(db, call)),
  ]);
  return sessionCookie(call, token, TOKEN_SECONDS.session);
}

/** An account or a passkey that was deleted since it was found is answered like an unknown one. */
export function unlessDeleted(error: unknown): never {
  if (isForeignKeyViolation(error)) throw new ApiError('auth_error/invalid_credentials', { cause: error });
  throw error;
}

/** The browser and system of a request. */
export const deviceOf = ({ c }: PublicCall): Device => parseDevice(c.req.header('user-agent'));

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
