import { sql } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { sessions, users } from '../../../db/schema/accounts.ts';
import { outgoingMails } from '../../../db/schema/platform.ts';
import { statement } from '../../../db/statements.ts';
import type { PublicCall } from '../../http/call.ts';
import { ApiError } from '../../http/errors.ts';
import type { Headers } from '../../http/respond.ts';
import type { MailContent } from '../../mail/mailer.ts';
import { mayMail } from '../../mail/quota.ts';
import { loginNotification } from '../../mail/templates/sign-in.ts';
import { endOldestSessions } from '../../quotas.ts';
import { logSecurityEvent } from '../../security-events.ts';
import type { Account } from '../accounts.ts';
import { rememberDevice } from '../limits/clients.ts';
import { deviceOf, endReplacedSessions, newSession, sessionCookie, startSession } from './sessions.ts';
import { TOKEN_SECONDS } from './signed-token.ts';
import type { Device } from './user-agent.ts';

interface SignIn {
  userId: string;
  /** The hash of the password that was checked. */
  passwordHash: string | null;
  sessionId: string;
  ipAddress: string;
  userAgent: string;
  browser: string;
  os: string;
  deviceType: string;
  now: string;
  expiresAt: string;
  /** Null without a mail. */
  mailId: string | null;
  sealed: string | null;
  maxSessions: number;
}

/**
 * Returns how many sessions the account has now, exactly up to the quota. `before` counts those that existed when the
 * statement began; sign-ins that committed while it waited for the user's row are missing there, and are added by how much
 * they raised `sign_ins`.
 */
const insertSignIn = statement<SignIn, { sessions: number }>(
  ($) => sql`
with before as materialized (
  select ${users.signIns} as sign_ins, (
    select count(*)::int from (
      select from ${sessions} where ${sessions.userId} = ${$.userId}::uuid and ${sessions.revokedAt} is null
      limit ${$.maxSessions}::int
    ) kept
  ) as sessions
  from ${users} where ${users.id} = ${$.userId}::uuid
), account as (
  update ${users} set sign_ins = ${users.signIns} + 1
  where ${users.id} = ${$.userId}::uuid and ${users.passwordHash} = ${$.passwordHash} and ${users.disabledAt} is null
  returning id, sign_ins
), session as (
  insert into ${sessions} (id, user_id, ip_address, user_agent, browser, os, device_type, created_at, last_active_at,
    expires_at)
  select ${$.sessionId}::uuid, id, ${$.ipAddress}, ${$.userAgent}, ${$.browser}, ${$.os}, ${$.deviceType},
    ${$.now}::timestamptz, ${$.now}::timestamptz, ${$.expiresAt}::timestamptz from account
), mail as (
  insert into ${outgoingMails} (id, sealed, next_attempt_at, created_at)
  select ${$.mailId}::uuid, ${$.sealed}, ${$.now}::timestamptz, ${$.now}::timestamptz from account
  where ${$.mailId}::uuid is not null
)
select before.sessions + (account.sign_ins - before.sign_ins)::int as sessions from account, before`,
);

/**
 * Completes a login with a correct password. Uses one statement, because a transaction of several statements would take a
 * fifth of the time of hashing the password.
 * @throws ApiError `auth_error/invalid_credentials` when the password was changed or the account disabled meanwhile
 */
export async function signInByPassword(call: PublicCall, account: Account): Promise<Headers> {
  const { services, peer } = call;
  const device = deviceOf(call);
  const { id, createdAt, expiresAt } = newSession(call);
  const maxSessions = services.config.quotas.sessionsPerAccount;
  const mayNotify = account.emailVerified || (await mayMail(call.db, call, 'notice', account.email));
  const mail = mayNotify
    ? await services.mail.seal(account.email, notificationFor(call, account, device))
    : undefined;
  const [token, [row]] = await Promise.all([
    services.signedTokens.sign('session', { userId: account.id, id }, createdAt),
    insertSignIn.run(services.database.sql, {
      ...{ userId: account.id, passwordHash: account.passwordHash },
      ...{ ...device, sessionId: id, ipAddress: peer.ip },
      ...{ now: createdAt.toISOString(), expiresAt: expiresAt.toISOString() },
      ...{ mailId: mail?.id ?? null, sealed: mail?.sealed ?? null, maxSessions },
    }),
  ]);
  if (!row) throw new ApiError('auth_error/invalid_credentials');
  await endReplacedSessions(call.db, call);
  if (row.sessions > maxSessions) await endOldestSessions(call, account.id);
  services.mail.kick();
  await signedIn(call, account);
  return sessionCookie(call, token, TOKEN_SECONDS.session);
}

/**
 * Completes a login: creates the session and notifies the owner by mail.
 * @param before runs in the same transaction, such as consuming a code, and throws to refuse the login
 */
export async function signIn(
  call: PublicCall,
  account: Pick<Account, 'id' | 'name' | 'email' | 'emailVerified' | 'passwordHash'>,
  before?: (tx: Tx) => Promise<void>,
): Promise<Headers> {
  const { db, services } = call;
  const device = deviceOf(call);
  const notify = async (tx: Tx) => {
    if (account.emailVerified || (await mayMail(tx, call, 'notice', account.email)))
      await services.mail.enqueue(tx, account.email, notificationFor(call, account, device));
  };
  const headers = await db.transaction(async (tx) => {
    // Pipelined. If `before` throws, everything is rolled back, including the count of the notice.
    const [, , session] = await Promise.all([
      before?.(tx),
      notify(tx),
      startSession(tx, call, account.id, device),
    ]);
    return session;
  });
  await endOldestSessions(call, account.id);
  services.mail.kick();
  await signedIn(call, account);
  return headers;
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
