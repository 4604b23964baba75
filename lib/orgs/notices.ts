import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { memberships } from '../../db/schema/orgs.ts';
import type { MailContent } from '../mail/mailer.ts';

/** The primary address of an owner. */
interface Recipient {
  email: string;
  verified: boolean;
}

/** Writes a mail into the queue, in a transaction. */
export type WriteMail = (tx: Tx, recipient: Recipient, content: MailContent) => Promise<unknown>;

/**
 * Mails every owner of an organization at the primary address, except for those who have never set a password. Part of the transaction that
 * causes the mails.
 */
export async function mailOwners(
  tx: Tx,
  write: WriteMail,
  orgId: string,
  content: (name: string) => MailContent,
): Promise<void> {
  const owners = await tx
    .select({ name: users.name, email: userEmails.email, verifiedAt: userEmails.verifiedAt })
    .from(memberships)
    .innerJoin(
      users,
      and(eq(users.id, memberships.userId), isNull(users.disabledAt), isNotNull(users.passwordHash)),
    )
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(eq(memberships.orgId, orgId), eq(memberships.role, 'owner')));
  for (const { name, email, verifiedAt } of owners)
    await write(tx, { email, verified: verifiedAt !== null }, content(name));
}
