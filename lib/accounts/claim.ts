import { and, eq, isNotNull, isNull, ne, not, or, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import {
  mailedTokens,
  mfaDevices,
  mfaLogins,
  notificationSettings,
  primaryEmailChanges,
  recoveryCodes,
  userEmails,
  users,
} from '../../db/schema/accounts.ts';
import { identities } from '../../db/schema/identities.ts';
import { memberships, orgUndoLinks } from '../../db/schema/orgs.ts';
import { confirmMemberships } from '../members/invitations.ts';
import { hasSignIn } from './has-sign-in.ts';

/*
 * The rule for claimed addresses (docs/security.md, "Claimed addresses"): an account claims an address as its primary one,
 * or by verifying it. The unique index `user_emails_claimed` allows one claim. A claim without verification is weak: it
 * gives way to the mailbox's owner, whose mailed links prove access.
 */

/** Whether a row of `user_emails` is a claim. */
export const isClaim = or(eq(userEmails.isPrimary, true), isNotNull(userEmails.verifiedAt));

/** Whether an account that somebody uses claims an address: it cannot be registered. */
export async function isRegistered(db: Db | Tx, address: string): Promise<boolean> {
  const [claim] = await db
    .select({ id: userEmails.id })
    .from(userEmails)
    .innerJoin(users, eq(users.id, userEmails.userId))
    .where(
      and(
        eq(userEmails.email, address),
        isClaim,
        sql`not (${isPlaceholder} and ${userEmails.isPrimary} and ${userEmails.verifiedAt} is null)`,
      ),
    );
  return claim !== undefined;
}

/** Whether an account claims an address. Nobody else can register or add it. The unique index has the last word. */
export async function isClaimed(db: Db | Tx, address: string): Promise<boolean> {
  const [claim] = await db
    .select({ id: userEmails.id })
    .from(userEmails)
    .where(and(eq(userEmails.email, address), isClaim));
  return claim !== undefined;
}

/**
 * Gives the placeholder of an address to somebody who registers it: a person who was merely invited can register. The caller has not
 * shown access to the mailbox, so the memberships give no access until a password is set by a mailed link.
 * @returns the ids of the account and the address; undefined if the address belongs to an account that somebody uses
 */
export async function takePlaceholder(
  tx: Tx,
  address: string,
  user: { name: string; passwordHash: string; createdAt: Date },
): Promise<{ userId: string; emailId: string } | undefined> {
  const [held] = await tx
    .select({ userId: userEmails.userId, emailId: userEmails.id })
    .from(userEmails)
    .where(and(eq(userEmails.email, address), eq(userEmails.isPrimary, true), isNull(userEmails.verifiedAt)));
  if (!held) return undefined;
  // Also locks the account: of several requests at once, and the mailed link, one sets the password.
  const [taken] = await tx
    .update(users)
    .set(user)
    .where(and(eq(users.id, held.userId), isPlaceholder))
    .returning({ id: users.id });
  if (!taken) return undefined;
  await tx
    .update(memberships)
    .set({ isHeld: true })
    .where(and(eq(memberships.userId, held.userId), isNull(memberships.confirmedAt)));
  return held;
}

/** An account that has only been invited: it has no password, provider, token, factor or organization of its own, and is not disabled. */
export const isPlaceholder = and(
  not(hasSignIn),
  isNull(users.disabledAt),
  // Left behind by somebody whom a provider signed in, until its organization was removed.
  sql`not exists (select from shared.personal_tokens token where token.user_id = ${users.id})`,
  sql`not exists (select from shared.mfa_devices device where device.user_id = ${users.id})`,
  sql`not exists (select from shared.memberships own where own.user_id = ${users.id} and own.invited_email is null)`,
);

/**
 * Verifies an address by a mailed link and confirms the memberships by invitation to it. If several accounts have the
 * address, the first to verify it gets it.
 * @returns the account and the address; undefined when the address is no longer the account's
 * @throws a unique violation when another account claims the address
 */
export async function verifyAddress(tx: Tx, emailId: string, now: Date) {
  const [verified] = await tx
    .update(userEmails)
    .set({ verifiedAt: now })
    .where(eq(userEmails.id, emailId))
    .returning({ userId: userEmails.userId, email: userEmails.email });
  if (verified) await confirmMemberships(tx, verified, now);
  return verified;
}

/**
 * Removes everything from an account that an earlier holder may have attached: other addresses, second factors, pending
 * sign-ins and links, chosen mails, and memberships by invitation to another address. Called when a mailed reset link verifies the primary
 * address for the first time, or releases memberships that are held: the earlier holder may be an attacker, who could return through any
 * of these. Sessions end with every reset.
 */
export async function dropEarlierHolder(
  tx: Tx,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  await tx.delete(mailedTokens).where(eq(mailedTokens.userId, userId));
  await tx.delete(mfaLogins).where(eq(mfaLogins.userId, userId));
  await tx.delete(mfaDevices).where(eq(mfaDevices.userId, userId));
  await dropIdentities(tx, userId);
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx.delete(primaryEmailChanges).where(eq(primaryEmailChanges.userId, userId));
  await tx.delete(orgUndoLinks).where(eq(orgUndoLinks.userId, userId));
  await tx.delete(notificationSettings).where(eq(notificationSettings.userId, userId));
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

/** Disconnects an account from all providers. The caller ends the sessions. */
export async function dropIdentities(tx: Tx, userId: string): Promise<void> {
  await tx.delete(identities).where(eq(identities.userId, userId));
}

/**
 * Takes an address from other accounts that claim it without having verified it: a registration or invitation must not lock
 * its verified owner out. The other accounts stay, with an address that reaches nobody.
 */
export async function releaseAddress(
  tx: Tx,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  await tx
    .update(userEmails)
    .set({ email: sql`${userEmails.id} || '@released.invalid'` })
    .where(
      and(
        eq(userEmails.email, email),
        ne(userEmails.userId, userId),
        eq(userEmails.isPrimary, true),
        isNull(userEmails.verifiedAt),
      ),
    );
}
