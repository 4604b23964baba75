import { RateLimiterDrizzle, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db, Tx } from '../../db/client.ts';
import { rateLimits } from '../../db/shared.ts';
import { sha256Hex } from '../auth/random.ts';
import type { PublicCall } from '../http/call.ts';
import { ApiError } from '../http/errors.ts';
import { logSecurityEvent } from '../security-events.ts';

/**
 * Mails that requests cause, by who can cause them. Each kind is counted separately, so a stranger who uses up one kind does
 * not block the others for the owner of the address:
 * - `link`: anybody can have links mailed to an address (reset, verification, invitation);
 * - `code`: needs the password of the account;
 * - `notice`: to an address that is not verified. A stranger may have registered it, and can cause notices at will. Notices
 *   to verified addresses are never held back: they warn the owner of a takeover.
 */
export type MailKind = 'link' | 'code' | 'notice';

const HOUR_S = 60 * 60;

/**
 * Counts a mail, for callers that answer the same whether or not it is sent.
 * @param db the transaction that writes the mail, if there is one: it must not wait for a second connection
 * @returns whether it may be sent; if not, that is in the log
 */
export async function mayMail(
  db: Db | Tx,
  call: PublicCall,
  kind: MailKind,
  address: string,
): Promise<boolean> {
  return (await take(db, call, kind, address)) === undefined;
}

/** The same. @throws ApiError `rate_limit_error/exceeded` when the address has had its share */
export async function requireMailQuota(
  db: Db | Tx,
  call: PublicCall,
  kind: MailKind,
  address: string,
): Promise<void> {
  const retryAfter = await take(db, call, kind, address);
  if (retryAfter === undefined) return;
  const max = call.services.config.quotas.mailsPerHour;
  throw new ApiError('rate_limit_error/exceeded', {
    message: `This address gets at most ${max} mails of this kind per hour.`,
    retryAfter,
  });
}

/**
 * Counts one more mail, over all processes, with or without `SVC_AUTH_LIMITS`.
 * @returns seconds to wait when the address has had its share; undefined when it may be sent
 */
async function take(
  db: Db | Tx,
  call: PublicCall,
  kind: MailKind,
  address: string,
): Promise<number | undefined> {
  const max = call.services.config.quotas.mailsPerHour;
  const limiter = new RateLimiterDrizzle({
    storeClient: db,
    schema: rateLimits,
    keyPrefix: 'mails',
    points: max,
    duration: HOUR_S,
    clearExpiredByTimeout: false,
  });
  try {
    // Hashed: the table does not need the address.
    await limiter.consume(sha256Hex(`${kind} ${address}`));
    return undefined;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    logSecurityEvent(call, 'limit_exceeded', { limit: 'mailsPerHour', max, kind, address });
    return Math.max(1, Math.ceil(error.msBeforeNext / 1000));
  }
}
