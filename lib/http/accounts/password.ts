import { eq } from 'drizzle-orm';
import { users } from '../../../db/schema/accounts.ts';
import { ApiError } from '../../errors.ts';
import type { CookieCall } from '../call.ts';
import { logSecurityEvent } from '../security-log.ts';
import { clientOfSession } from './clients.ts';

/**
 * Checks the signed-in user's own password, before what only its owner may do.
 * @returns the hash it was checked against, for `lockUser`
 * @throws ApiError `auth_error/invalid_credentials`
 */
export async function requirePassword(call: CookieCall, password: string): Promise<string | null> {
  const { db, peer, services, user } = call;
  const forget = await services.limits.guess('password', user.id, clientOfSession(call));
  const [row] = await db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, user.id));
  if (!(await services.hasher.verify(row?.hash, password.slice(0, 1024), peer.ip))) {
    logSecurityEvent(call, 'step_up_failed', { reason: 'wrong password' });
    throw new ApiError('auth_error/invalid_credentials', { message: 'The password is incorrect.' });
  }
  await forget();
  return row?.hash ?? null;
}
