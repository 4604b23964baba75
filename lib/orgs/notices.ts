import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { memberships } from '../../db/schema/orgs.ts';
import type { MailContent } from '../mail/mailer.ts';

/** Writes a mail into the queue, in a transaction. */
export type WriteMail = (tx: Tx, recipient: string, content: MailContent) => Promise<unknown>;

/** Mails every owner of an organization at the primary address. Part of the transaction that causes the mails. */
export async function mailOwners(
  tx: Tx,
  write: WriteMail,
  orgId: string,
  content: (name: string) => MailContent,
): Promise<void> {
  const owners = await tx
    .select({ name: users.name, email: userEmails.email })
    .from(memberships)
    .innerJoin(users, and(eq(users.id, memberships.userId), isNull(users.disabledAt)))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(eq(memberships.orgId, orgId), eq(memberships.role, 'owner')));
  for (const { name, email } of owners) await write(tx, email, content(name));
}
