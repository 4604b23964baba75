import { and, eq, gt, isNull } from 'drizzle-orm';
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
 * @param owner.isDismissed the owner loses the role
 * @returns undefined for a change by an operator. Also undefined, and earlier links end, for an owner whom provisioning has suspended, and
 *   if an owner of longer standing dismisses one who came back by a link or got the role within the last 72 hours: otherwise a dismissed
 *   owner, or one after another that a dismissed owner makes, could come back for ever
 */
export async function issueUndoLink(
  tx: Tx,
  { user: by, now, publicUrl }: Actor,
  { orgId, userId, isDismissed }: { orgId: string; userId: string; isDismissed: boolean },
): Promise<Link | undefined> {
  if (publicUrl === undefined || !by) return undefined;
  const owner = await membershipOf(tx, orgId, userId);
  const actor = await membershipOf(tx, orgId, by.id);
  // Somebody may have registered the address of a person who has never come.
  if (!owner || owner.isHeld) return undefined;
  const own = and(eq(orgUndoLinks.orgId, orgId), eq(orgUndoLinks.userId, userId));
  if (owner.suspendedAt) {
    await tx.delete(orgUndoLinks).where(and(own, isNull(orgUndoLinks.usedAt)));
    return undefined;
  }
  const links = await tx
    .select()
    .from(orgUndoLinks)
    .where(and(own, gt(orgUndoLinks.expiresAt, new Date(now.getTime() - UNDO_MS))));
  // An owner who is removed and invited again is no newcomer.
  const memberSince = earliest(owner.createdAt, ...links.map((link) => link.memberSince));
  const ownerSince = earliest(standingOf(owner), ...links.map((link) => link.ownerSince ?? link.memberSince));
  const isRecent =
    links.some(({ usedAt, expiresAt }) => usedAt !== null && expiresAt > now) ||
    now.getTime() - ownerSince.getTime() < UNDO_MS;
  if (isDismissed && actor && standingOf(actor) < ownerSince && isRecent) {
    await tx.delete(orgUndoLinks).where(and(own, isNull(orgUndoLinks.usedAt)));
    return undefined;
  }
  const token = randomHex(32);
  await tx.insert(orgUndoLinks).values({
    tokenHash: sha256Hex(token),
    ...{ orgId, userId, memberSince, ownerSince },
    ...{ invitedEmail: owner.invitedEmail, confirmedAt: owner.confirmedAt },
    expiresAt: new Date(now.getTime() + UNDO_MS),
  });
  return { publicUrl, token };
}

type Membership = typeof memberships.$inferSelect;

async function membershipOf(tx: Tx, orgId: string, userId: string): Promise<Membership | undefined> {
  const [found] = await tx
    .select()
    .from(memberships)
    .where(and(eq(memberships.orgId, orgId), eq(memberships.userId, userId)));
  return found;
}

const standingOf = ({ ownerSince, createdAt }: Membership): Date => ownerSince ?? createdAt;

const earliest = (...times: Date[]): Date => new Date(Math.min(...times.map((time) => time.getTime())));
