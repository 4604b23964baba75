import { RateLimiterDrizzle, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db, Tx } from '../../db/client.ts';
import { rateLimits } from '../../db/schema/accounts.ts';
import { sha256Hex } from '../crypto/random.ts';
import type { PublicCall } from '../http/call.ts';
import { ApiError } from '../http/errors.ts';
import { logSecurityEvent } from '../security-events.ts';

/**
 * Mails that a request asks for, by who can ask. Each kind is counted on its own, so that a stranger who uses up one kind
 * keeps no other from the owner of the address:
 * - `reset`: anybody can have reset links mailed to an address. What a stranger asks for, its owner can use;
 * - `link`: other links (verification, invitation). They do not let the owner in, so they must not use up the first kind;
 * - `code`: of a sign-in, needs the password of the account;
 * - `step_up`: codes that a session can ask for, which may be a stolen one;
 * - `notice`: to an address that is not verified. Whoever registered it may be somebody else, who can cause notices at will.
 *   Notices to verified addresses are never held back: they tell the owner of a takeover.
 */
export type MailKind = 'reset' | 'link' | 'code' | 'step_up' | 'notice';

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
