import { and, eq, gt, isNotNull, isNull } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { memberships, orgUndoLinks } from '../../db/schema/orgs.ts';
import { randomHex, sha256Hex } from '../crypto/random.ts';
import type { Link } from '../mail/templates/letter.ts';
import type { Actor } from './notices.ts';

/** How long a link works that gives an owner back the control of an organization. */
export const UNDO_MS = 72 * 60 * 60 * 1000;

/**
 * Makes the link for the mail to an owner who loses the role, or whose organization is deleted. Part of the transaction that makes the
 * change, before a membership is deleted.
 * @returns undefined for a change by an operator. Also undefined if the owner has come back by a link and loses the role again by a
 *   member of longer standing: otherwise a dismissed owner could come back for ever
 */
export async function issueUndoLink(
  tx: Tx,
  { user: by, now, publicUrl }: Actor,
  orgId: string,
  userId: string,
): Promise<Link | undefined> {
  if (publicUrl === undefined || !by) return undefined;
  const owner = await membershipOf(tx, orgId, userId);
  const actor = await membershipOf(tx, orgId, by.id);
  if (!owner) return undefined;
  const isSenior = actor && actor.createdAt < owner.createdAt;
  if (isSenior && (await endReturns(tx, owner, now))) return undefined;
  const token = randomHex(32);
  await tx.insert(orgUndoLinks).values({
    tokenHash: sha256Hex(token),
    ...{ orgId, userId },
    ...{ invitedEmail: owner.invitedEmail, confirmedAt: owner.confirmedAt, memberSince: owner.createdAt },
    expiresAt: new Date(now.getTime() + UNDO_MS),
  });
  return { publicUrl, token };
}

async function membershipOf(tx: Tx, orgId: string, userId: string) {
  const [found] = await tx
    .select()
    .from(memberships)
    .where(and(eq(memberships.orgId, orgId), eq(memberships.userId, userId)));
  return found;
}

/** If an owner has come back by a link within the last 72 hours, ends the other links. @returns whether it was so */
async function endReturns(
  tx: Tx,
  { orgId, userId }: { orgId: string; userId: string },
  now: Date,
): Promise<boolean> {
  const own = and(eq(orgUndoLinks.orgId, orgId), eq(orgUndoLinks.userId, userId));
  const used = await tx
    .select({ at: orgUndoLinks.usedAt })
    .from(orgUndoLinks)
    .where(and(own, isNotNull(orgUndoLinks.usedAt), gt(orgUndoLinks.expiresAt, now)))
    .limit(1);
  if (used.length === 0) return false;
  await tx.delete(orgUndoLinks).where(and(own, isNull(orgUndoLinks.usedAt)));
  return true;
}
