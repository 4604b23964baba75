import { and, eq } from 'drizzle-orm';
import type { Db, Tx } from '../../../db/client.ts';
import { userEmails, users } from '../../../db/schema/accounts.ts';
import { isClaim } from '../../accounts/claim.ts';
import { AdminError, oneLine } from '../error.ts';

/** An account as an operator sees it. */
export interface AccountSummary {
  id: string;
  name: string;
  email: string;
  mfa_enabled: boolean;
  /** False for an invited account until its owner sets a password. */
  has_password: boolean;
  disabled_at: Date | null;
  created_at: Date;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds an account by id, or by its primary or a verified address. Unverified secondary addresses are ignored, because anyone
 * can add one to make the operator act on the wrong account.
 * @throws AdminError when the account does not exist
 */
export async function findUser(db: Db | Tx, name: string): Promise<AccountSummary> {
  const text = name.trim().toLowerCase();
  const [found] = UUID.test(text)
    ? [{ id: text }]
    : await db
        .select({ id: userEmails.userId })
        .from(userEmails)
        .where(and(eq(userEmails.email, text), isClaim));
  const [user] = found
    ? await db
        .select({
          id: users.id,
          name: users.name,
          email: userEmails.email,
          mfa_enabled: users.mfaEnabled,
          password_hash: users.passwordHash,
          disabled_at: users.disabledAt,
          created_at: users.createdAt,
        })
        .from(users)
        .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
        .where(eq(users.id, found.id))
    : [];
  if (!user) throw new AdminError(`account "${oneLine(name)}" does not exist`);
  const { password_hash, ...shown } = user;
  return { ...shown, has_password: password_hash !== null };
}
