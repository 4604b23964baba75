import { and, eq, gt, isNull, ne, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { BATCH_ROWS, inBatches } from '../../db/batches.ts';
import type { Db, Tx } from '../../db/client.ts';
import { sessions, userEmails, users } from '../../db/schema/accounts.ts';
import { personalTokens } from '../../db/schema/personal-tokens.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import type { MailQueue } from '../mail/queue.ts';
import { verifyEmail } from '../mail/templates/sign-in.ts';
import { isClaim } from './claim.ts';
import { issueMailedToken } from './mailed-tokens.ts';

/** An account, with the fields that sign-in and password reset use. */
export interface Account {
  id: string;
  name: string;
  avatarUrl: string;
  mfaEnabled: boolean;
  createdAt: Date;
  /** Null on a placeholder account. */
  passwordHash: string | null;
  /** The primary address. */
  email: string;
  /** The primary address is verified. */
  emailVerified: boolean;
  /** The address it was found by. */
  emailId: string;
}

/** The fields of an account that signs in, joined with its primary address. */
export const signInFields = {
  id: users.id,
  name: users.name,
  avatarUrl: users.avatarUrl,
  mfaEnabled: users.mfaEnabled,
  createdAt: users.createdAt,
  passwordHash: users.passwordHash,
  email: userEmails.email,
  emailVerified: sql<boolean>`${userEmails.verifiedAt} is not null`,
};

/** Finds the account that claims an address. Disabled accounts are not found. */
export async function findAccount(db: Db | Tx, address: string): Promise<Account | undefined> {
  const account = await findAnyAccount(db, address);
  return account?.disabledAt === null ? account : undefined;
}

/** The same, disabled accounts too. */
export async function findAnyAccount(
  db: Db | Tx,
  address: string,
): Promise<(Account & { disabledAt: Date | null }) | undefined> {
  const primary = alias(userEmails, 'primary_email');
  const [account] = await db
    .select({
      ...signInFields,
      email: primary.email,
      emailVerified: sql<boolean>`${primary.verifiedAt} is not null`,
      disabledAt: users.disabledAt,
      emailId: userEmails.id,
    })
    .from(userEmails)
    .innerJoin(users, eq(users.id, userEmails.userId))
    .innerJoin(primary, and(eq(primary.userId, users.id), eq(primary.isPrimary, true)))
    // No address has these; PostgreSQL would refuse to look for them.
    .where(and(eq(userEmails.email, address.replaceAll('\0', '\ufffd').toWellFormed()), isClaim));
  return account;
}

/**
 * Locks a user's row, so that what follows in the transaction is done by one request at a time.
 * @param verifiedHash of the password that was checked before: the call fails if the password has changed since
 * @throws ApiError `auth_error/invalid_credentials`
 */
export async function lockUser(
  tx: Tx,
  userId: string,
  verifiedHash?: string | null,
): Promise<{ mfaEnabled: boolean }> {
  const [row] = await tx
    .select({ mfaEnabled: users.mfaEnabled, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  if (!row) throw new ApiError('auth_error/not_authenticated');
  if (verifiedHash !== undefined && row.passwordHash !== verifiedHash) {
    throw new ApiError('auth_error/invalid_credentials');
  }
  return row;
}

/**
 * The same for the user of a call, whose session may have been ended since it was let in: by an undo link, or by a new
 * password.
 * @throws ApiError `auth_error/session_revoked`
 */
export async function lockAccount(
  tx: Tx,
  { sessionId, user }: { sessionId: string; user: { id: string } },
  verifiedHash?: string | null,
): Promise<{ mfaEnabled: boolean }> {
  const row = await lockUser(tx, user.id, verifiedHash);
  const [live] = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), isNull(sessions.revokedAt)));
  if (!live) throw new ApiError('auth_error/session_revoked');
  return row;
}

const liveSessions = (userId: string, now: Date, except?: string) =>
  and(
    eq(sessions.userId, userId),
    isNull(sessions.revokedAt),
    gt(sessions.expiresAt, now),
    except === undefined ? undefined : ne(sessions.id, except),
  );

/** Revokes a user's personal access tokens, when the account is recovered or disabled: others may have made them. */
export async function revokePersonalTokens(tx: Tx, userId: string): Promise<void> {
  await tx.delete(personalTokens).where(eq(personalTokens.userId, userId));
}

/**
 * Revokes a user's live sessions, all or all but one, together with what else the caller's transaction changes. The quota
 * of sessions bounds how many there are.
 * @returns how many
 */
export async function revokeSessions(tx: Tx, userId: string, now: Date, except?: string): Promise<number> {
  const revoked = await tx
    .update(sessions)
    .set({ revokedAt: now })
    .where(liveSessions(userId, now, except));
  return revoked.count;
}

/** The same in batches, where nothing else is to change with it. Repeat it when it fails halfway. */
export const revokeSessionsInBatches = (
  db: Db,
  userId: string,
  now: Date,
  except?: string,
): Promise<number> =>
  inBatches(async () => {
    // In one order, so that two at once wait for each other, not in a circle.
    const live = db
      .select({ id: sessions.id })
      .from(sessions)
      .where(liveSessions(userId, now, except))
      .orderBy(sessions.id)
      .limit(BATCH_ROWS)
      .for('no key update');
    const revoked = await db
      .update(sessions)
      .set({ revokedAt: now })
      .where(sql`${sessions.id} = any(array${live})`);
    return revoked.count;
  });

/**
 * Puts a mail with a verification link into the queue.
 * @param services the queue, and the URL of the web UI
 * @param email.addedBy the primary address of the account, when this is another one: its reader may be a stranger to it
 */
export async function mailVerification(
  db: Db | Tx,
  { config, mail }: { config: Pick<Config, 'publicUrl'>; mail: MailQueue },
  email: { id: string; userId: string; address: string; addedBy?: string | undefined },
  now: Date,
): Promise<void> {
  const { id: emailId, userId, address, addedBy } = email;
  const token = await issueMailedToken(db, { purpose: 'verify_email', userId, emailId }, now);
  const { publicUrl } = config;
  await mail.enqueue(db, address, verifyEmail({ publicUrl, token, emailId, addedBy }));
}
