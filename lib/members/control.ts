import { and, eq, inArray, ne } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { memberships, type Role } from '../../db/schema/orgs.ts';
import { type ControlChange, ownershipLost } from '../mail/templates/organizations.ts';
import {
  type Actor,
  isOwner,
  mailControl,
  mailOwners,
  memberAddress,
  readOrgName,
  withAddress,
} from '../orgs/notices.ts';
import { issueUndoLink } from '../orgs/undo-links.ts';

interface RoleChange {
  orgId: string;
  userId: string;
  /** Unset: the member is new. */
  from?: Role;
  /** Unset: the member leaves or is removed. */
  to?: Role;
  /** No link undoes it: the member leaves by the own decision, or by that of the provider. */
  reason?: 'the account was deleted' | 'the invitation was declined' | 'removed by provisioning';
  /** The change of an offer to become an owner (`ownership.ts`). */
  offer?: 'offered' | 'withdrawn' | 'declined' | undefined;
}

/**
 * Tells all owners that somebody got or lost the role of an admin or owner. A former owner gets a link that undoes it. Part of the
 * transaction that makes the change. Call it while there is a membership: after it is inserted or updated, before it is deleted.
 */
export async function mailRoleChange(
  tx: Tx,
  actor: Actor,
  { orgId, userId, from, to, reason, offer }: RoleChange,
): Promise<void> {
  const change: ControlChange = offer
    ? `ownership_${offer}`
    : !from
      ? 'member_added'
      : to
        ? 'role_changed'
        : 'member_removed';
  const role = from && to && from !== to ? `${to}, was ${from}` : (to ?? from ?? '');
  const facts: [string, string][] = [
    ['Member', (await memberAddress(tx, orgId, userId)) ?? ''],
    ['Role', role],
    ...(reason ? [['Reason', reason] as [string, string]] : []),
  ];
  const isLost = from === 'owner';
  // A new owner gets an invitation instead.
  const others = isLost || !from ? and(isOwner, ne(memberships.userId, userId)) : isOwner;
  await mailControl(tx, actor, orgId, change, facts, others);
  if (!isLost || reason) return;
  const org = await readOrgName(tx, orgId);
  if (!org) return;
  const notice = { org, by: actor.user && (await withAddress(tx, orgId, actor.user)), at: actor.now };
  await mailOwners(
    tx,
    actor,
    orgId,
    async ({ name }) => {
      const undo = await issueUndoLink(tx, actor, { orgId, userId, isDismissed: true });
      return ownershipLost(change, { name, ...notice, undo }, facts);
    },
    eq(memberships.userId, userId),
  );
}

/** The most organizations whose owners get a mail about one event of an account: those that it has belonged to for longest. */
export const MOST_ORGS = 10;

/**
 * The organizations that a user controls, which is the reason to tell their owners about the user: those that the user joined first.
 */
export const controlledBy = (
  tx: Tx,
  userId: string,
  { orgId, most = MOST_ORGS }: { orgId?: string | undefined; most?: number } = {},
) =>
  tx
    .select({ orgId: memberships.orgId, role: memberships.role })
    .from(memberships)
    .where(
      and(
        eq(memberships.userId, userId),
        inArray(memberships.role, ['owner', 'admin']),
        orgId === undefined ? undefined : eq(memberships.orgId, orgId),
      ),
    )
    .orderBy(memberships.createdAt, memberships.orgId)
    .limit(most);

/** Tells the owners of the organizations that an account controls that it is deleted. Part of the transaction that deletes it. */
export async function mailAccountDeletion(tx: Tx, actor: Actor, userId: string): Promise<void> {
  for (const { orgId, role } of await controlledBy(tx, userId))
    await mailRoleChange(tx, actor, { orgId, userId, from: role, reason: 'the account was deleted' });
}
