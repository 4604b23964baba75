import { RateLimiterDrizzle, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db, Tx } from '../../db/client.ts';
import { rateLimits } from '../../db/schema/accounts.ts';
import { sha256Hex } from '../crypto/random.ts';
import { ApiError } from '../errors.ts';

/**
 * The kinds of mails that requests can trigger. Each has its own quota, so that an attacker who uses up one kind does not
 * block the others for the owner of the address:
 * - `reset`: password reset links, which anybody can request for an address. Its owner can use the link in any case.
 * - `link`: other links (verification, invitation). They do not replace a reset link, so they have their own quota.
 * - `code`: codes for signing in. Requesting one needs the password of the account.
 * - `step_up`: codes for a step-up. Requesting one needs a session, which may be stolen.
 * - `notice`: notices to unverified addresses, which an attacker can register and trigger. Notices to verified addresses
 *   have no quota, because they tell the owner about a takeover.
 * - `organization`: notices about an organization to its owners, for each organization. Other owners cause any number of them.
 * - `undo`: those with a link that undoes a change.
 */
export type MailKind = 'reset' | 'link' | 'code' | 'step_up' | 'notice' | 'organization' | 'undo';

const HOUR_S = 60 * 60;

/** Counts a mail. @throws ApiError `rate_limit_error/exceeded` when the quota of the address is used up */
export async function requireMailQuota(
  db: Db | Tx,
  max: number,
  kind: MailKind,
  address: string,
): Promise<void> {
  const retryAfter = await countMail(db, max, kind, address);
  if (retryAfter === undefined) return;
  throw new ApiError('rate_limit_error/exceeded', {
    message: `This address gets at most ${max} mails of this kind per hour.`,
    retryAfter,
    limit: { limit: 'mailsPerHour', max, kind, address },
  });
}

/**
 * Counts a mail across all processes, regardless of `SVC_AUTH_LIMITS`.
 * @param db the transaction that writes the mail, if any, so that counting does not wait for a second connection
 * @param max the quota, `mailsPerHour`
 * @returns seconds to wait when the quota is used up; undefined when the mail may be sent
 */
export async function countMail(
  db: Db | Tx,
  max: number,
  kind: MailKind,
  address: string,
): Promise<number | undefined> {
  const limiter = new RateLimiterDrizzle({
    storeClient: db,
    schema: rateLimits,
    keyPrefix: 'mails',
    points: max,
    duration: HOUR_S,
    clearExpiredByTimeout: false,
  });
  try {
    // Hashed, to keep addresses out of the table.
    await limiter.consume(sha256Hex(`${kind} ${address}`));
    return undefined;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return Math.max(1, Math.ceil(error.msBeforeNext / 1000));
  }
}
