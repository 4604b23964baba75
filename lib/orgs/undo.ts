import { and, eq, gt, isNull } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { readDeletion } from '../../db/orgs/deletion.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import { users } from '../../db/schema/accounts.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { isLimited, memberships, orgUndoLinks } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import { invalidLink } from '../accounts/mailed-tokens.ts';
import { sha256Hex } from '../crypto/random.ts';
import { ApiError } from '../errors.ts';
import { type AccessChange, accessOfOwner } from '../members/access.ts';
import { NO_OFFER } from '../members/fields.ts';
import { removeRoles } from '../projects/members.ts';
import { restoreLocked } from './deletion.ts';
import type { Org, OrgDirectory } from './directory.ts';
import { inLinkedOrg } from './linked.ts';
import { type Actor, mailControl, memberAddress, readOrgName } from './notices.ts';
import { UNDO_MS } from './undo-links.ts';

/*
 * Owners undo the loss of the role and the deletion of the organization by a mailed link. It needs no session: whoever made the change
 * may have taken that too. All links do the same, whichever mail they are from, so that an attacker who uses up the mails about one
 * kind of change cannot keep the owner from undoing another.
 */

export const UNDOABLE = ['ownership', 'deletion'] as const;

export interface Undone {
  undone: (typeof UNDOABLE)[number][];
  /** Unset: the access to projects stays. */
  access: AccessChange['access'];
  org: { id: string; name: string; slug: string };
  userId: string;
  userName: string;
  /** With its tables. */
  inOrg: Org;
}

/**
 * Undoes changes by a mailed link. One of several requests at once succeeds. A request that is refused does not use up the link.
 * @throws ApiError `validation_error/field_invalid` when the link does not work; `resource_error/conflict` when there is nothing to undo
 */
export async function undoOrgChange(
  db: Db,
  directory: OrgDirectory,
  { token, actor }: { token: string; actor: Omit<Actor, 'user'> },
): Promise<Undone> {
  const valid = and(
    eq(orgUndoLinks.tokenHash, sha256Hex(token)),
    isNull(orgUndoLinks.usedAt),
    gt(orgUndoLinks.expiresAt, actor.now),
  );
  const [found] = await db.select({ orgId: orgUndoLinks.orgId }).from(orgUndoLinks).where(valid);
  return await inLinkedOrg({ db, directory }, found?.orgId, async (tx, org, tables) => {
    // A used link is kept as long as it counts against another return.
    const used = { usedAt: actor.now, expiresAt: new Date(actor.now.getTime() + UNDO_MS) };
    const [link] = await tx.update(orgUndoLinks).set(used).where(valid).returning();
    if (!link) throw invalidLink();
    // The link of a disabled account keeps: it works once the account is enabled.
    const [user] = await tx
      .select({ id: users.id, name: users.name })
      .from(users)
      .where(and(eq(users.id, link.userId), isNull(users.disabledAt)));
    const current = await readOrgName(tx, org.id);
    if (!user || !current) throw invalidLink();
    const by: Actor = { ...actor, user };
    const undone: Undone['undone'] = [];
    const given = await giveBack(tx, link, by, tables);
    if (given) undone.push('ownership');
    if (await readDeletion(tx, org.id)) {
      if (!(await restoreLocked(tx, { id: org.id, tables }, by)))
        throw conflict('The organization is being removed for good.');
      undone.push('deletion');
    }
    if (undone.length === 0)
      throw conflict(
        'There is nothing to undo: you are an owner of the organization, and it is not deleted.',
      );
    const inOrg = { ...org, tables };
    const named = { userId: user.id, userName: user.name, org: { id: org.id, ...current } };
    return { undone, access: given?.access, inOrg, ...named };
  });
}

const conflict = (message: string) => new ApiError('resource_error/conflict', { message });

/**
 * Makes a former owner an owner again, whatever has become of the membership. No quota keeps the owner out.
 * @returns the change of the access to projects; undefined if the user is an owner
 */
async function giveBack(
  tx: Tx,
  link: typeof orgUndoLinks.$inferSelect,
  by: Actor,
  tables: OrgTables,
): Promise<Pick<Undone, 'access'> | undefined> {
  const { orgId, userId, invitedEmail, confirmedAt, memberSince, ownerSince } = link;
  const [before] = await tx
    .select({ role: memberships.role, isLimited, suspendedAt: memberships.suspendedAt })
    .from(memberships)
    .where(and(eq(memberships.orgId, orgId), eq(memberships.userId, userId)));
  if (before?.suspendedAt) throw invalidLink();
  if (before?.role === 'owner') return undefined;
  const former = {
    ...{ role: 'owner' as const, invitedEmail, confirmedAt, createdAt: memberSince, ownerSince },
    // Single sign-on may be required meanwhile, by those who took the ownership.
    ...{ breakGlass: true, mappedBy: null, roleProvisioned: false, projectAccess: 'all' as const },
  };
  await tx
    .insert(memberships)
    .values({ ...former, orgId, userId })
    .onConflictDoUpdate({
      target: [memberships.orgId, memberships.userId],
      set: { ...former, ...NO_OFFER },
    });
  // The mark of a limited member who has left.
  if (!before) await removeRoles(tx, tables, userId);
  // A former or limited member may be the assignee of a rule.
  await run(tx, reloadRulesOf(tables, userId));
  await mailControl(tx, by, orgId, 'owner_restored', [
    ['Member', (await memberAddress(tx, orgId, userId)) ?? ''],
  ]);
  return { access: before && accessOfOwner(before) };
}
