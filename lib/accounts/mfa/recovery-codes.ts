import { and, count, eq, isNull } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import { recoveryCodes } from '../../../db/schema/accounts.ts';
import { randomLetters, sha256Hex } from '../../crypto/random.ts';
import { shown, z } from '../../schema.ts';

/** Codes in a set (docs/api.md, "Limits"). */
export const RECOVERY_CODES = 8;

/** A set in an API response. */
export const RecoveryCodes = z.array(shown('kqzt-mvhr-pwcx-2hdn-9rju-e4ks')).length(RECOVERY_CODES);

/** Groups of four characters in a code: 120 bits. A fast hash is sufficient from 112 bits on (ASVS 6.5.2). */
const GROUPS = 6;

/** Salted with the user id, so that one guess does not test the codes of all users. Ignores case, spaces and hyphens. */
const hashOf = (userId: string, code: string): string =>
  sha256Hex(`${userId} ${code.toLowerCase().replace(/[\s-]/g, '')}`);

/** Replaces a user's recovery codes. @returns the new codes, which cannot be read again */
export async function replaceRecoveryCodes(db: Db | Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: GROUPS }, () => randomLetters(4)).join('-'),
  );
  await deleteRecoveryCodes(db, userId);
  await db.insert(recoveryCodes).values(codes.map((code) => ({ userId, codeHash: hashOf(userId, code) })));
  return codes;
}

export async function deleteRecoveryCodes(db: Db | Tx, userId: string): Promise<void> {
  await db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

/** Consumes a code. Only one of several concurrent attempts succeeds. @returns whether the code was valid */
export async function useRecoveryCode(
  db: Db | Tx,
  userId: string,
  code: string,
  now: Date,
): Promise<boolean> {
  const used = await db
    .update(recoveryCodes)
    .set({ usedAt: now })
    .where(
      and(
        eq(recoveryCodes.userId, userId),
        eq(recoveryCodes.codeHash, hashOf(userId, code)),
        isNull(recoveryCodes.usedAt),
      ),
    )
    .returning({ userId: recoveryCodes.userId });
  return used.length > 0;
}

/** Counts a user's unused codes. */
export async function countRecoveryCodes(db: Db | Tx, userId: string): Promise<number> {
  const [row] = await db
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)));
  return row?.left ?? 0;
}
