import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import { mfaDevices, userEmails, users } from '../../../db/schema/accounts.ts';
import { ApiError } from '../../errors.ts';
import { id, shown, timestamp, z } from '../../schema.ts';
import { signInFields } from '../accounts.ts';

export const Passkey = z
  .object({
    id: id(),
    name: shown('Laptop'),
    sign_in: z.boolean().openapi({
      example: true,
      description: 'Whether it signs in without a password. False: it is a second factor only.',
    }),
    created_at: timestamp(),
    last_used_at: timestamp().optional(),
  })
  .openapi('Passkey');

export const passkeyFields = {
  id: mfaDevices.id,
  name: mfaDevices.name,
  sign_in: sql<boolean>`${mfaDevices.signsIn}`,
  created_at: mfaDevices.createdAt,
  last_used_at: mfaDevices.lastUsedAt,
};

export const isPasskeyOf = (userId: string) =>
  and(eq(mfaDevices.userId, userId), eq(mfaDevices.type, 'passkey'));

/** The passkeys of an account as browsers are told of them, oldest first. */
export const credentialsOf = (db: Db | Tx, userId: string) =>
  db
    .select({ credentialId: mfaDevices.credentialId, transports: mfaDevices.transports })
    .from(mfaDevices)
    .where(isPasskeyOf(userId))
    .orderBy(asc(mfaDevices.id));

/** The user handle of an account. The first call stores `fresh`; of several at once, one does. */
export async function passkeyHandle(db: Db, userId: string, fresh: string): Promise<string> {
  const [row] = await db
    .update(users)
    .set({ passkeyHandle: sql`coalesce(${users.passkeyHandle}, ${fresh})` })
    .where(eq(users.id, userId))
    .returning({ handle: users.passkeyHandle });
  if (!row?.handle) throw new ApiError('auth_error/not_authenticated');
  return row.handle;
}

/** A passkey with its account, unless that is disabled. */
export async function findPasskey(db: Db, credentialId: string) {
  const [found] = await db
    .select({
      deviceId: mfaDevices.id,
      deviceName: mfaDevices.name,
      publicKey: sql<string>`${mfaDevices.publicKey}`,
      signsIn: mfaDevices.signsIn,
      handle: users.passkeyHandle,
      ...signInFields,
    })
    .from(mfaDevices)
    .innerJoin(users, eq(users.id, mfaDevices.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(eq(mfaDevices.credentialId, credentialId), isNull(users.disabledAt)));
  return found;
}

export type FoundPasskey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>;

const isOfEnabled = sql`exists (select from ${users} where ${users.id} = ${mfaDevices.userId} and ${users.disabledAt} is null)`;

/**
 * Notes the use of a passkey. Its row is locked: of several answers with the same counter, one is accepted.
 * @param use.alone without a password
 * @returns why it is refused. `counter`: a copy of the passkey was used before
 */
export async function usePasskey(
  tx: Tx,
  use: { deviceId: string; signCount: number; alone: boolean },
  now: Date,
): Promise<'counter' | 'removed' | 'second factor only' | undefined> {
  const { deviceId, signCount, alone } = use;
  const [row] = await tx
    .select({ signCount: mfaDevices.signCount, signsIn: mfaDevices.signsIn })
    .from(mfaDevices)
    .where(and(eq(mfaDevices.id, deviceId), isOfEnabled))
    .for('no key update');
  if (!row) return 'removed';
  if (alone && !row.signsIn) return 'second factor only';
  const last = row.signCount ?? 0;
  // Authenticators without a counter always send 0.
  if ((last > 0 || signCount > 0) && signCount <= last) return 'counter';
  await tx.update(mfaDevices).set({ signCount, lastUsedAt: now }).where(eq(mfaDevices.id, deviceId));
  return undefined;
}

/** Makes an account's passkeys second factors only, until their owner allows them to sign in again. */
export async function holdPasskeys(tx: Tx, userId: string): Promise<number> {
  const held = await tx
    .update(mfaDevices)
    .set({ signsIn: false })
    .where(and(isPasskeyOf(userId), eq(mfaDevices.signsIn, true)));
  return held.count;
}
