import { and, count, eq, isNull } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import { recoveryCodes } from '../../../db/schema/accounts.ts';
import { randomLetters, sha256Hex } from '../../crypto/random.ts';
import { shown, z } from '../../http/schema.ts';

/** Codes in a set (API contract, "Limits"). */
export const RECOVERY_CODES = 8;

/** A set as the API shows it. */
export const RecoveryCodes = z.array(shown('kqzt-mvhr-pwcx-2hdn-9rju-e4ks')).length(RECOVERY_CODES);

/** Groups of four in a code. From 112 bits on, a fast hash is as good as one for passwords (ASVS 6.5.2). */
const GROUPS = 6;

/** Salted with the user, so that nobody's codes can be guessed along with another's. Case, spaces and hyphens are the reader's. */
const hashOf = (userId: string, code: string): string =>
  sha256Hex(`${userId} ${code.toLowerCase().replace(/[\s-]/g, '')}`);

/** Puts a new set in the place of a user's codes. @returns the codes, 120 bits each, shown this once */
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

/** Uses a code up; of several that try at once, one succeeds. @returns whether it was one */
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

/** How many codes a user has left. */
export async function countRecoveryCodes(db: Db | Tx, userId: string): Promise<number> {
  const [row] = await db
    .select({ left: count() })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)));
  return row?.left ?? 0;
}
