import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import type { Role } from '../../db/schema/orgs.ts';
import { findAnyAccount, lockUser } from '../accounts/accounts.ts';
import { isPlaceholder } from '../accounts/claim.ts';
import { ApiError } from '../errors.ts';
import type { Invitee } from './invitations.ts';

/** The account gave the address up while it was invited. */
export class GivenUp extends Error {}

/** The account of an address, locked so that the address is not verified until the invitation is written. */
export async function findInvitee(tx: Tx, address: string, role: Role): Promise<Invitee | undefined> {
  const account = await findAnyAccount(tx, address);
  if (!account) return undefined;
  // An operator has locked it out, and an invitation is no way back.
  if (account.disabledAt)
    throw new ApiError('resource_error/conflict', { message: 'This address cannot be invited.' });
  const { id: userId, emailId } = account;
  await lockUser(tx, userId);
  const [held] = await tx
    .select({ verifiedAt: userEmails.verifiedAt, isPlaceholder: sql<boolean>`${isPlaceholder}` })
    .from(userEmails)
    .innerJoin(users, eq(users.id, userEmails.userId))
    .where(and(eq(userEmails.id, emailId), eq(userEmails.userId, userId)));
  if (!held) throw new GivenUp();
  const verified = held.verifiedAt !== null;
  return { userId, emailId, address, role, verified, isPlaceholder: held.isPlaceholder };
}

/** An account that cannot log in yet, named by the local part of the address until its owner is there. */
export async function insertPlaceholder(
  tx: Tx,
  { nextId }: { nextId: () => NewId },
  address: string,
  role: Role,
): Promise<Invitee> {
  const { id: userId, at: createdAt } = nextId();
  const { id: emailId } = nextId();
  const name = address.slice(0, address.lastIndexOf('@')).slice(0, 200);
  await tx.insert(users).values({ id: userId, name, createdAt });
  await tx.insert(userEmails).values({ id: emailId, userId, email: address, isPrimary: true, createdAt });
  return { userId, emailId, address, role, verified: false, isPlaceholder: true };
}
