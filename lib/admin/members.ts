import { and, asc, eq, isNull, not, or } from 'drizzle-orm';
import type { Database, Tx } from '../../db/client.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { rankIn } from '../../db/schema/columns.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { memberships, orgs, ROLES, type Role } from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import { hasSignIn } from '../accounts/has-sign-in.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { mailRoleChange } from '../members/control.ts';
import { endOffersOf } from '../members/ending.ts';
import { hasAccess, isConfirmed, memberEmail, NO_OFFER } from '../members/fields.ts';
import { requireOtherOwner } from '../members/owners.ts';
import { standing } from '../members/ownership.ts';
import { isControlling } from '../members/roles.ts';
import { lockOrg } from '../quotas.ts';
import { logOperatorEvent } from '../security-events.ts';
import { endTokensOf } from '../tokens/creators.ts';
import { rankOf } from '../tokens/scopes.ts';
import { AdminError, EXIT, oneLine } from './error.ts';
import { type ControlCall, operator, operatorActor } from './operator.ts';
import { findOrg } from './orgs.ts';
import { findUser } from './users/account.ts';

/** A member who has no access in strict mode until an address is verified. */
export interface UnverifiedMember {
  org_id: string;
  org: string;
  user_id: string;
  name: string;
  role: Role;
  /** The address to verify. */
  email: string;
  /** `no password`: the account was created for an invitation that was not accepted yet. */
  reason: 'no password' | 'not verified';
}

/**
 * The members who have no access in strict mode, because the primary address or the invited address is not verified.
 * @param orgName slug or id of one organization. Unset: all
 * @throws AdminError when the organization does not exist
 */
export async function listUnverifiedMembers({ db }: Database, orgName?: string): Promise<UnverifiedMember[]> {
  const org = orgName === undefined ? undefined : await findOrg(db, orgName);
  const rows = await db
    .select({
      org_id: orgs.id,
      org: orgs.slug,
      user_id: users.id,
      name: users.name,
      role: memberships.role,
      invited: memberEmail,
      primary: userEmails.email,
      primaryVerifiedAt: userEmails.verifiedAt,
      hasSignIn,
    })
    .from(memberships)
    .innerJoin(orgs, eq(orgs.id, memberships.orgId))
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(and(org && eq(orgs.id, org.id), or(isNull(userEmails.verifiedAt), not(isConfirmed))))
    .orderBy(asc(orgs.slug), rankIn(ROLES, memberships.role), asc(userEmails.email));
  return rows.map(({ invited, primary, primaryVerifiedAt, hasSignIn, ...row }) => ({
    ...row,
    email: primaryVerifiedAt === null ? primary : invited,
    reason: hasSignIn ? 'not verified' : 'no password',
  }));
}

export interface RoleChange {
  org_id: string;
  org: string;
  user_id: string;
  email: string;
  role: Role;
  previous: Role;
  changed: boolean;
}

/**
 * Sets the role of a member, for an organization whose only owner is gone. Its owners get a mail, and so does a former one.
 * @throws AdminError when the account is not a member, cannot act as an owner, or is the only owner who can sign in
 */
export async function setMemberRole(
  call: ControlCall & { config: Config },
  { org: orgName, user: userName, role }: { org: string; user: string; role: string },
): Promise<RoleChange> {
  if (!isRole(role))
    throw new AdminError(`"${oneLine(role)}" is not a role: ${ROLES.join(', ')}`, EXIT.usage);
  const { config, log } = call;
  const { db } = call.database;
  const org = await findOrg(db, orgName);
  const user = await findUser(db, userName);
  const previous = await db.transaction(async (tx) => {
    await lockOrg(tx, org.id);
    const isMember = and(eq(memberships.orgId, org.id), eq(memberships.userId, user.id));
    const [member] = await tx
      .select({
        ...{ role: memberships.role, projectAccess: memberships.projectAccess },
        ...{ hasAccess: hasAccess(config), suspendedAt: memberships.suspendedAt },
      })
      .from(memberships)
      .innerJoin(userEmails, and(eq(userEmails.userId, memberships.userId), eq(userEmails.isPrimary, true)))
      .where(isMember);
    if (!member) throw new AdminError(`${user.email} is not a member of ${org.slug}`);
    if (member.role === role && !member.suspendedAt) return role;
    // Otherwise an account that registered an invited address without owning it would get the organization.
    if (role === 'owner' && (!user.has_password || user.disabled_at !== null || !member.hasAccess))
      throw new AdminError(
        `${user.email} cannot be an owner: disabled, suspended, without a password or not verified`,
      );
    if (member.role === 'owner')
      await requireOtherOwner(tx, config, org.id, user.id).catch((error) => {
        throw error instanceof ApiError ? new AdminError(`${user.email} is the only owner`) : error;
      });
    await tx
      .update(memberships)
      .set({
        role,
        roleProvisioned: false,
        suspendedAt: null,
        mappedBy: null,
        breakGlass: role === 'owner',
        ...NO_OFFER,
        ...standing(role, new Date()),
      })
      .where(isMember);
    await endOffersOf(tx, org.id, user.id);
    if (await tablesExist(tx, org.id)) {
      const tables = defineOrgTables(orgSchemaName(org.id));
      // Rules assign owners in all projects, and nobody who is suspended.
      const isWidened = role === 'owner' && member.projectAccess === 'assigned';
      if (isWidened || member.suspendedAt) await run(tx, reloadRulesOf(tables, user.id));
      if (rankOf(role) < rankOf(member.role)) await endTokensOf(tx, { id: org.id, tables }, user.id);
    }
    if (isControlling(role) || isControlling(member.role))
      await mailRoleChange(tx, operatorActor(call), {
        ...{ orgId: org.id, userId: user.id, from: member.role, to: role },
      });
    return member.role;
  });
  const change = { org_id: org.id, org: org.slug, user_id: user.id, email: user.email, role, previous };
  const changed = previous !== role;
  if (changed)
    logOperatorEvent(log, 'role_changed', {
      org: org.slug,
      operator: operator(),
      member: user.id,
      from: previous,
      to: role,
    });
  return { ...change, changed };
}

async function tablesExist(tx: Tx, orgId: string): Promise<boolean> {
  const [org] = await tx.select({ version: orgs.schemaVersion }).from(orgs).where(eq(orgs.id, orgId));
  return (org?.version ?? 0) > 0;
}

const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);
