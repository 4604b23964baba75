import { and, eq } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { userEmails } from '../../db/schema/accounts.ts';
import { sha256Hex } from '../crypto/random.ts';
import { countMail, type MailKind } from '../mail/quota.ts';
import { type AccountChange, accountChanged, passwordChanged } from '../mail/templates/changes.ts';
import type { WriteMail } from '../orgs/notices.ts';
import type { CookieCall, PublicCall } from './call.ts';
import { logSecurityEvent } from './security-log.ts';

/* Mails about what a request has changed, as far as the quota of the address allows. */

/**
 * Counts a mail, for callers whose response does not depend on the quota.
 * @param db the transaction that writes the mail, if any, so that counting does not wait for a second connection
 * @returns seconds to wait when the mail may not be sent, which is logged
 */
async function waitToMail(
  db: Db | Tx,
  call: PublicCall,
  kind: MailKind,
  address: string,
  orgId?: string,
): Promise<number | undefined> {
  const max = call.services.config.quotas.mailsPerHour;
  const wait = await countMail(db, max, kind, orgId ? `${address} ${orgId}` : address);
  if (wait !== undefined)
    logSecurityEvent(call, 'limit_exceeded', { limit: 'mailsPerHour', max, kind, address });
  return wait;
}

/** The same. @returns whether the mail may be sent */
export const mayMail = async (db: Db | Tx, call: PublicCall, kind: MailKind, address: string) =>
  (await waitToMail(db, call, kind, address)) === undefined;

/** The user's primary address as the transaction sees it, which has locked the user. */
async function primaryAddress(tx: Tx, userId: string): Promise<string | undefined> {
  const [primary] = await tx
    .select({ email: userEmails.email })
    .from(userEmails)
    .where(and(eq(userEmails.userId, userId), eq(userEmails.isPrimary, true)));
  return primary?.email;
}

/** Tells the primary address, and others it concerns, about a change of the account; in the transaction that makes it. */
export async function mailChange(
  tx: Tx,
  call: CookieCall,
  change: AccountChange,
  about: { address?: string; device?: string; token?: string } = {},
  others: readonly string[] = [],
): Promise<void> {
  const { now, peer, services, user } = call;
  const content = accountChanged(change, { name: user.name, at: now, ip: peer.ip, ...about });
  const primary = await primaryAddress(tx, user.id);
  const mayTell = async (address: string) =>
    user.emailVerified || address !== primary || (await mayMail(tx, call, 'notice', address));
  for (const recipient of new Set([...(primary === undefined ? [] : [primary]), ...others])) {
    if (!(await mayTell(recipient))) continue;
    await services.mail.enqueue(tx, recipient, content);
  }
}

/** Puts the password change notification into the queue. */
export async function mailPasswordChanged(
  db: Db | Tx,
  call: PublicCall,
  user: { name: string; email: string; emailVerified?: boolean; claimed?: boolean },
): Promise<void> {
  const { services, now, peer } = call;
  if (user.emailVerified === false && !(await mayMail(db, call, 'notice', user.email))) return;
  const { name, email, claimed = false } = user;
  await services.mail.enqueue(db, email, passwordChanged({ name, at: now, ip: peer.ip, claimed }));
}

/**
 * Writes mails to owners that a request causes: other members cause them, so they have a quota. The quota is one for each
 * organization, so that an attacker cannot use it up in another one, but strangers who make somebody an owner share one. Links that undo a change have a quota of their own. Mails
 * beyond the quota are not lost: one mail for each organization collects them, with the latest link, and is sent when the quota is
 * free again.
 */
export const mailsOfRequest =
  (call: PublicCall): WriteMail =>
  async (tx, { email, isKnown, orgId }, content) => {
    const { now, services } = call;
    const kind = content.link ? 'undo' : isKnown ? 'organization' : 'notice';
    const wait = await waitToMail(tx, call, kind, email, isKnown ? orgId : undefined);
    if (wait === undefined) return await services.mail.enqueue(tx, email, content);
    const dueAt = new Date(now.getTime() + wait * 1000);
    await services.mail.collect(tx, email, content, { key: sha256Hex(`${email} ${orgId}`), dueAt });
  };
