import { and, asc, eq, isNotNull } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import { MFA_TYPES, mfaDevices, userEmails, users } from '../../../db/schema/accounts.ts';
import { id, shown, timestamp, z } from '../../schema.ts';
import { endMfaLogins } from './logins.ts';
import { deleteRecoveryCodes } from './recovery-codes.ts';

export const MfaDevice = z
  .object({
    id: id(),
    name: shown('Phone'),
    type: z.enum(MFA_TYPES),
    verified: z.boolean().openapi({ example: true }),
    last_used_at: timestamp().optional(),
  })
  .openapi('MfaDevice');

export const mfaDeviceFields = {
  id: mfaDevices.id,
  name: mfaDevices.name,
  type: mfaDevices.type,
  verified: mfaDevices.verified,
  last_used_at: mfaDevices.lastUsedAt,
};

/** Masks an address, such as `j***@example.com`, for a caller who has only entered the password. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address][0] ?? ''}***${address.slice(at)}`;
}

/** The devices that can complete a login, oldest first. */
export async function verifiedDevices(db: Db | Tx, userId: string) {
  return db
    .select({ id: mfaDevices.id, type: mfaDevices.type, name: mfaDevices.name, address: userEmails.email })
    .from(mfaDevices)
    .leftJoin(userEmails, eq(userEmails.id, mfaDevices.emailId))
    .where(and(eq(mfaDevices.userId, userId), eq(mfaDevices.verified, true)))
    .orderBy(asc(mfaDevices.id));
}

/**
 * Creates an e-mail device for one of the user's verified addresses. The device is verified from the start.
 * @returns undefined when the address already has a device
 */
export async function insertEmailDevice(
  tx: Db | Tx,
  device: { id: string; userId: string; emailId: string; address: string; createdAt: Date },
) {
  const { address, ...values } = device;
  const [row] = await tx
    .insert(mfaDevices)
    .values({ ...values, type: 'email', name: address, verified: true })
    .onConflictDoNothing({ target: mfaDevices.emailId })
    .returning(mfaDeviceFields);
  return row;
}

/** The verified address to create an e-mail device for: the primary one, or the oldest; undefined when none is verified. */
export async function verifiedAddress(db: Db | Tx, userId: string) {
  const rows = await db
    .select({ id: userEmails.id, address: userEmails.email, isPrimary: userEmails.isPrimary })
    .from(userEmails)
    .where(and(eq(userEmails.userId, userId), isNotNull(userEmails.verifiedAt)))
    .orderBy(asc(userEmails.id));
  return rows.find(({ isPrimary }) => isPrimary) ?? rows[0];
}

/** Disables MFA: deletes recovery codes and logins that wait for a second factor. The devices stay. */
export async function switchMfaOff(tx: Tx, userId: string): Promise<void> {
  await tx.update(users).set({ mfaEnabled: false }).where(eq(users.id, userId));
  await endMfaLogins(tx, userId);
  await deleteRecoveryCodes(tx, userId);
}
