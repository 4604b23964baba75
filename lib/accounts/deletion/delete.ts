import { and, eq } from 'drizzle-orm';
import { deleteAndNote, deleteMemberships, lockOrgsOf } from '../../../db/accounts/erasure.ts';
import type { Tx } from '../../../db/client.ts';
import { userEmails, users } from '../../../db/schema/accounts.ts';
import type { Config } from '../../config/config.ts';
import { ApiError } from '../../errors.ts';
import { mailAccountDeletion } from '../../members/control.ts';
import { solelyOwned } from '../../members/owners.ts';
import type { Actor } from '../../orgs/notices.ts';

/** An account that is about to be deleted. */
export interface Leaving {
  name: string;
  /** The primary address. */
  email: string;
  emailVerified: boolean;
}

/**
 * Deletes an account in the caller's transaction, which has locked its row: all that is in `shared`. `eraseAccounts` removes the
 * rest. The owners of organizations where it was an admin or owner get a mail.
 * @param confirm the primary address, as the caller typed it
 * @throws ApiError `validation_error/field_invalid`; `resource_error/conflict` with the slugs of organizations that would have no
 * owner
 */
export async function deleteAccount(
  tx: Tx,
  settings: Pick<Config, 'pendingInvitations'>,
  { userId, confirm, actor }: { userId: string; confirm: string; actor: Actor },
): Promise<Leaving> {
  // Organizations after the user, as everywhere. No key is locked yet: a transaction that adds the user as a member may go on.
  const orgIds = await lockOrgsOf(tx, userId);
  const [leaving] = await tx
    .select({ name: users.name, email: userEmails.email, verifiedAt: userEmails.verifiedAt })
    .from(users)
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(eq(users.id, userId));
  if (!leaving) throw new ApiError('auth_error/not_authenticated');
  if (confirm.trim().toLowerCase() !== leaving.email)
    throw new ApiError('validation_error/field_invalid', {
      details: [{ field: 'confirm', message: 'must be the primary e-mail address of the account' }],
    });
  // From here on nobody can add the user as a member.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
  const slugs = await solelyOwned(tx, settings, userId);
  if (slugs.length > 0) throw soleOwner(slugs);
  await mailAccountDeletion(tx, actor, userId);
  if (await deleteMemberships(tx, userId, orgIds))
    throw new ApiError('resource_error/conflict', {
      message: 'The account was added to an organization at this moment. Try again.',
    });
  await deleteAndNote(tx, { userId, orgIds, now: actor.now });
  const { name, email, verifiedAt } = leaving;
  return { name, email, emailVerified: verifiedAt !== null };
}

const soleOwner = (slugs: readonly string[]) =>
  new ApiError('resource_error/conflict', {
    message:
      'The account is the only owner of organizations. Make another member an owner of each, or delete it, first.',
    details: slugs.map((slug) => ({ field: 'orgs', message: slug })),
  });
