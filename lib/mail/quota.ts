import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { rateLimits as t } from '../../db/schema/accounts.ts';
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
 * - `finding`: those about findings that the member has chosen. Pushes cause any number of them.
 */
export type MailKind = 'reset' | 'link' | 'code' | 'step_up' | 'notice' | 'organization' | 'undo' | 'finding';

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
  const counted = await countMails(db, max, kind, new Map([[address, 1]]));
  const { free = 0, wait = HOUR_S } = counted.get(address) ?? {};
  return free > 0 ? undefined : wait;
}

/** The mails that may be sent to an address, and how many seconds the others have to wait. */
export interface Counted {
  free: number;
  wait: number;
}

/** The addresses that a statement counts. */
const AT_ONCE = 1_000;

/**
 * The same for several mails to several addresses.
 * @param mails their number by address
 */
export async function countMails(
  db: Db | Tx,
  max: number,
  kind: MailKind,
  mails: ReadonlyMap<string, number>,
): Promise<Map<string, Counted>> {
  const now = new Date();
  const expire = new Date(now.getTime() + HOUR_S * 1_000);
  // Hashed, to keep addresses out of the table.
  const addressOf = new Map([...mails.keys()].map((one) => [`mails:${sha256Hex(`${kind} ${one}`)}`, one]));
  // In one order, so that transactions do not wait for each other in a circle.
  const keys = [...addressOf.keys()].toSorted();
  const counted = new Map<string, Counted>();
  const ofKey = (key: string) => addressOf.get(key) ?? '';
  for (let i = 0; i < keys.length; i += AT_ONCE) {
    const rows = keys
      .slice(i, i + AT_ONCE)
      .map((key) => ({ key, points: mails.get(ofKey(key)) ?? 0, expire }));
    const hasEnded = sql`${t.expire} <= ${now.toISOString()}::timestamptz`;
    const found = await db
      .insert(t)
      .values(rows)
      .onConflictDoUpdate({
        target: t.key,
        set: {
          points: sql`case when ${hasEnded} then excluded.points else ${t.points} + excluded.points end`,
          expire: sql`case when ${hasEnded} then excluded.expire else ${t.expire} end`,
        },
      })
      .returning();
    for (const row of found) {
      const wanted = mails.get(ofKey(row.key)) ?? 0;
      const free = Math.min(wanted, Math.max(0, max - (row.points - wanted)));
      const end = (row.expire ?? expire).getTime();
      counted.set(ofKey(row.key), { free, wait: Math.max(1, Math.ceil((end - now.getTime()) / 1_000)) });
    }
  }
  return counted;
}
