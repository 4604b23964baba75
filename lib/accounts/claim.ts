import { and, eq, isNotNull, ne } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import {
  mailedTokens,
  mfaDevices,
  mfaLogins,
  primaryEmailChanges,
  recoveryCodes,
  userEmails,
  users,
} from '../../db/schema/accounts.ts';
import { memberships } from '../../db/schema/orgs.ts';

/**
 * Removes everything from an account that an earlier holder may have attached: other addresses, second factors, pending
 * sign-ins and links, and memberships by invitation to another address. Called when a mailed reset link verifies the primary
 * address for the first time: the earlier holder may be an attacker, who could return through any of these. Sessions end
 * with every reset.
 */
export async function dropEarlierHolder(
  tx: Tx,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  await tx.delete(mailedTokens).where(eq(mailedTokens.userId, userId));
  await tx.delete(mfaLogins).where(eq(mfaLogins.userId, userId));
  await tx.delete(mfaDevices).where(eq(mfaDevices.userId, userId));
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx.delete(primaryEmailChanges).where(eq(primaryEmailChanges.userId, userId));
  await tx.delete(userEmails).where(and(eq(userEmails.userId, userId), ne(userEmails.email, email)));
  await tx
    .delete(memberships)
    .where(
      and(
        eq(memberships.userId, userId),
        isNotNull(memberships.invitedEmail),
        ne(memberships.invitedEmail, email),
      ),
    );
  await tx.update(users).set({ mfaEnabled: false }).where(eq(users.id, userId));
}
