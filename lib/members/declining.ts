import { and, eq, gt } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { users } from '../../db/schema/accounts.ts';
import { declinedInvitations, invitationLinks, memberships, type Role } from '../../db/schema/orgs.ts';
import { invalidLink } from '../accounts/mailed-tokens.ts';
import type { Config } from '../config/config.ts';
import { randomHex, sha256Hex } from '../crypto/random.ts';
import { ApiError } from '../errors.ts';
import type { Org, OrgDirectory } from '../orgs/directory.ts';
import { inLinkedOrg } from '../orgs/linked.ts';
import { type Actor, readOrgName } from '../orgs/notices.ts';
import type { EndedToken } from '../tokens/creators.ts';
import { mailRoleChange } from './control.ts';
import { endMembership } from './ending.ts';
import { requireOtherOwner } from './owners.ts';
import { isControlling } from './roles.ts';

/*
 * The invited person declines by a mailed link, which needs no account. The membership ends, and the organization cannot invite the
 * address for a while.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
const LINK_MS = 30 * DAY_MS;
/** How long an address that declined is left alone. */
const QUIET_MS = 30 * DAY_MS;

/** Makes the token of the link in the mail of an invitation. */
export async function issueDeclineLink(
  tx: Tx,
  member: { orgId: string; userId: string },
  now: Date,
): Promise<string> {
  const token = randomHex(32);
  const expiresAt = new Date(now.getTime() + LINK_MS);
  await tx.insert(invitationLinks).values({ tokenHash: sha256Hex(token), ...member, expiresAt });
  return token;
}

// Hashed, so that nobody reads addresses of people without an account by accident. A known address can still be looked up.
const hashOf = (orgId: string, address: string) => sha256Hex(`${orgId} ${address}`);

/** @throws ApiError `resource_error/conflict` if the address has declined an invitation to the organization lately */
export async function requireNotDeclined(tx: Tx, orgId: string, address: string, now: Date): Promise<void> {
  const [declined] = await tx
    .select({ until: declinedInvitations.expiresAt })
    .from(declinedInvitations)
    .where(and(eq(declinedInvitations.hash, hashOf(orgId, address)), gt(declinedInvitations.expiresAt, now)));
  if (declined)
    throw new ApiError('resource_error/conflict', {
      message: `The owner of this address declined an invitation. It can be invited again after ${declined.until.toISOString().slice(0, 10)}.`,
    });
}

interface Declined {
  org: { name: string; slug: string };
  /** With its tables. */
  inOrg: Org;
  userId: string;
  userName: string;
  /** The invited one. */
  address: string;
  role: Role;
  tokens: EndedToken[];
}

/**
 * Declines an invitation that was not accepted yet. One of several requests at once succeeds.
 * @throws ApiError `validation_error/field_invalid` when the link does not work; `resource_error/conflict` for a member who has
 *   accepted, who can leave instead
 */
export async function declineInvitation(
  { db, config, directory }: { db: Db; config: Config; directory: OrgDirectory },
  { token, actor }: { token: string; actor: Omit<Actor, 'user'> },
): Promise<Declined> {
  const { now } = actor;
  const valid = and(eq(invitationLinks.tokenHash, sha256Hex(token)), gt(invitationLinks.expiresAt, now));
  const [found] = await db.select({ orgId: invitationLinks.orgId }).from(invitationLinks).where(valid);
  return await inLinkedOrg({ db, directory }, found?.orgId, async (tx, org, tables) => {
    const [link] = await tx.select().from(invitationLinks).where(valid);
    if (!link) throw invalidLink();
    const { userId } = link;
    const [member] = await tx
      .select({
        role: memberships.role,
        address: memberships.invitedEmail,
        confirmedAt: memberships.confirmedAt,
        createdAt: memberships.createdAt,
        name: users.name,
      })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)));
    const named = await readOrgName(tx, org.id);
    if (!named || member?.address == null) throw invalidLink();
    const { role, address, confirmedAt, createdAt, name } = member;
    if (confirmedAt && confirmedAt > createdAt)
      throw new ApiError('resource_error/conflict', {
        message: 'You have accepted this invitation. You can leave the organization on its page “Members”.',
      });
    if (role === 'owner') await requireOtherOwner(tx, config, org.id, userId);
    if (isControlling(role)) {
      const by: Actor = { ...actor, user: { id: userId, name } };
      const reason = 'the invitation was declined';
      await mailRoleChange(tx, by, { orgId: org.id, userId, from: role, reason });
    }
    await tx
      .delete(invitationLinks)
      .where(and(eq(invitationLinks.orgId, org.id), eq(invitationLinks.userId, userId)));
    const tokens = await endMembership(tx, { id: org.id, tables }, userId, { now });
    const expiresAt = new Date(now.getTime() + QUIET_MS);
    await tx
      .insert(declinedInvitations)
      .values({ hash: hashOf(org.id, address), orgId: org.id, expiresAt })
      .onConflictDoUpdate({ target: declinedInvitations.hash, set: { expiresAt } });
    return { org: named, inOrg: { ...org, tables }, userId, userName: name, address, role, tokens };
  });
}
