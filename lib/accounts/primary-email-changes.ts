import { and, eq, gt, gte, isNull, ne, or } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import type { NewId } from '../../db/ids.ts';
import {
  mailedTokens,
  mfaDevices,
  primaryEmailChanges,
  userEmails,
  users,
} from '../../db/schema/accounts.ts';
import type { Config } from '../config/config.ts';
import { randomHex, sha256Hex } from '../crypto/random.ts';
import { ApiError } from '../errors.ts';
import type { MailQueue } from '../mail/queue.ts';
import { accountChanged, primaryEmailChanged, primaryEmailRestored } from '../mail/templates/changes.ts';
import { confirmMemberships } from '../members/invitations.ts';
import { revokePersonalTokens, revokeSessions } from './accounts.ts';
import { dropIdentities, releaseAddress } from './claim.ts';
import { invalidLink, issueMailedToken } from './mailed-tokens.ts';
import { switchMfaOff, verifiedDevices } from './mfa/devices.ts';
import { endMfaLogins } from './mfa/logins.ts';
import { deleteRecoveryCodes } from './mfa/recovery-codes.ts';

const HOUR_MS = 60 * 60 * 1000;

/** How long a change of the primary address can be undone. */
const UNDO_MS = 72 * HOUR_MS;

/**
 * Addresses and second factors that are newer than this when the primary address is changed may be an attacker's.
 * A stolen session lasts for a day.
 */
const SUSPECT_MS = 7 * 24 * HOUR_MS;

/** The services that mail links. */
interface LinkServices {
  config: Pick<Config, 'publicUrl'>;
  mail: MailQueue;
}

/** Notes a change of the primary address, and mails the undo link to the old one; in the transaction that makes it. */
export async function mailUndoLink(
  tx: Tx,
  { config, mail }: LinkServices,
  user: { id: string; name: string },
  change: { from: string; wasVerified: boolean; to: string; now: Date; ip: string },
) {
  const { now, ip } = change;
  const token = randomHex(32);
  await tx.insert(primaryEmailChanges).values({
    tokenHash: sha256Hex(token),
    userId: user.id,
    oldEmail: change.from,
    oldEmailVerified: change.wasVerified,
    newEmail: change.to,
    changedAt: now,
    expiresAt: new Date(now.getTime() + UNDO_MS),
  });
  const { publicUrl } = config;
  const facts = { name: user.name, at: now, ip, address: change.to };
  await mail.enqueue(tx, change.from, primaryEmailChanged({ ...facts, publicUrl, token }));
}

type Change = typeof primaryEmailChanges.$inferSelect;

/**
 * Undoes a change of the primary address, by the link that was mailed to the old one, and takes from the account all
 * that an attacker may have added. If several requests try at once, one succeeds.
 * @param undo.unknownPassword hash of a password that nobody knows
 * @returns whose account it is
 * @throws ApiError `validation_error/field_invalid` when the link does not work, `resource_error/conflict` when another
 * account with a better claim has the address by now
 */
export async function undoPrimaryEmailChange(
  db: Db,
  services: LinkServices & { nextId: () => NewId },
  undo: { token: string; now: Date; ip: string; unknownPassword: () => Promise<string> },
): Promise<string> {
  const { token, now, ip, unknownPassword } = undo;
  const valid = and(
    eq(primaryEmailChanges.tokenHash, sha256Hex(token)),
    gt(primaryEmailChanges.expiresAt, now),
  );
  // Before the hash, which is the expensive part.
  const [found] = await db
    .select({ userId: primaryEmailChanges.userId })
    .from(primaryEmailChanges)
    .where(valid);
  if (!found) throw invalidLink();
  const { userId } = found;
  const passwordHash = await unknownPassword();
  try {
    await db.transaction(async (tx) => {
      const [user] = await tx
        .update(users)
        .set({ passwordHash })
        // The link of a disabled account keeps: it works once the account is enabled.
        .where(and(eq(users.id, userId), isNull(users.disabledAt)))
        .returning({ name: users.name, mfaEnabled: users.mfaEnabled });
      const [change] = await tx.delete(primaryEmailChanges).where(valid).returning();
      if (!user || !change) throw invalidLink();
      await endMfaLogins(tx, userId);
      await endLinks(tx, change);
      await dropIdentities(tx, userId);
      await revokeSessions(tx, userId, now);
      await revokePersonalTokens(tx, userId);
      const emailId = await restoreAddress(tx, services.nextId(), change, now);
      await confirmMemberships(tx, { userId, email: change.oldEmail }, now);
      await removeSuspectDevices(tx, change, user.mfaEnabled);
      await mailRestored(tx, services, change, { name: user.name, emailId, now, ip });
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw addressTaken(error);
    throw error;
  }
  return userId;
}

const addressTaken = (cause?: unknown) =>
  new ApiError('resource_error/conflict', {
    message: 'The address belongs to another account by now.',
    cause,
  });

/** Ends links that were mailed meanwhile, and those that would undo later changes. An earlier owner's keep working. */
async function endLinks(tx: Tx, { userId, changedAt }: Change): Promise<void> {
  await tx.delete(mailedTokens).where(eq(mailedTokens.userId, userId));
  await tx
    .delete(primaryEmailChanges)
    .where(and(eq(primaryEmailChanges.userId, userId), gte(primaryEmailChanges.changedAt, changedAt)));
}

const suspectSince = ({ changedAt }: Change) => new Date(changedAt.getTime() - SUSPECT_MS);

/** Makes the old address the primary one, verified by the link, and removes those that were not verified long before. */
async function restoreAddress(
  tx: Tx,
  { id, at: createdAt }: NewId,
  change: Change,
  now: Date,
): Promise<string> {
  const { userId, oldEmail, newEmail } = change;
  const others = and(eq(userEmails.userId, userId), ne(userEmails.email, oldEmail));
  const suspect = or(
    eq(userEmails.email, newEmail),
    isNull(userEmails.verifiedAt),
    gt(userEmails.verifiedAt, suspectSince(change)),
  );
  await tx.delete(userEmails).where(and(others, suspect));
  await tx.update(userEmails).set({ isPrimary: false }).where(others);
  // An account that had not verified the address has no better claim than the other one: an attacker may have registered it.
  if (change.oldEmailVerified) await releaseAddress(tx, { userId, email: oldEmail });
  const [restored] = await tx
    .insert(userEmails)
    .values({ id, userId, email: oldEmail, isPrimary: true, verifiedAt: now, createdAt })
    .onConflictDoUpdate({
      target: [userEmails.userId, userEmails.email],
      set: { isPrimary: true, verifiedAt: now },
    })
    .returning({ id: userEmails.id });
  if (!restored) throw new ApiError('server_error/internal');
  return restored.id;
}

/** Removes factors that an attacker may have enrolled. With none left MFA is off: the owner could not sign in. */
async function removeSuspectDevices(tx: Tx, change: Change, mfaEnabled: boolean): Promise<void> {
  const { userId } = change;
  const suspect = or(eq(mfaDevices.verified, false), gt(mfaDevices.createdAt, suspectSince(change)));
  await tx.delete(mfaDevices).where(and(eq(mfaDevices.userId, userId), suspect));
  if (!mfaEnabled) return;
  if ((await verifiedDevices(tx, userId)).length === 0) await switchMfaOff(tx, userId);
  // An attacker may have been shown them.
  else await deleteRecoveryCodes(tx, userId);
}

async function mailRestored(
  tx: Tx,
  { config, mail }: LinkServices,
  change: Change,
  { name, emailId, now, ip }: { name: string; emailId: string; now: Date; ip: string },
) {
  const { userId, oldEmail, newEmail } = change;
  const token = await issueMailedToken(tx, { purpose: 'reset_password', userId, emailId }, now);
  const { publicUrl } = config;
  await mail.enqueue(tx, oldEmail, primaryEmailRestored({ name, publicUrl, token }));
  const facts = { name, at: now, ip, address: oldEmail };
  await mail.enqueue(tx, newEmail, accountChanged('primary_email_restored', facts));
}
