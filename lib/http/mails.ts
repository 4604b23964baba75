import { and, eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { userEmails } from '../../db/schema/accounts.ts';
import { mayMail } from '../mail/quota.ts';
import { type AccountChange, accountChanged } from '../mail/templates/changes.ts';
import type { CookieCall } from './call.ts';

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
