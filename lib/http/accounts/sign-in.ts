import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../../../db/client.ts';
import { users } from '../../../db/schema/accounts.ts';
import type { Account } from '../../accounts/accounts.ts';
import { deviceOf, startSession } from '../../accounts/sessions/sessions.ts';
import type { Device } from '../../accounts/sessions/user-agent.ts';
import { ApiError } from '../../errors.ts';
import type { MailContent } from '../../mail/mailer.ts';
import { mayMail } from '../../mail/quota.ts';
import { loginNotification } from '../../mail/templates/sign-in.ts';
import { endOldestSessions } from '../../quotas.ts';
import { logSecurityEvent } from '../../security-events.ts';
import type { PublicCall } from '../call.ts';
import type { Headers } from '../respond.ts';
import { rememberDevice } from './clients.ts';

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
