import { and, asc, eq, inArray, isNotNull, isNull, ne, or } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import { sessions, userEmails, users } from '../../db/schema/accounts.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import {
  MAPPED_ROLES,
  type MappedRole,
  orgUndoLinks,
  type ProjectAccess,
  type Role,
  ssoConnections,
  memberships as t,
} from '../../db/schema/orgs.ts';
import { personalTokens } from '../../db/schema/personal-tokens.ts';
import { scimGroupMembers, scimGroups } from '../../db/schema/scim.ts';
import { run } from '../../db/statements.ts';
import { lockUser } from '../accounts/accounts.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { mailRoleChange } from '../members/control.ts';
import { endOffersOf } from '../members/ending.ts';
import { memberEmail, NO_OFFER } from '../members/fields.ts';
import { requireOtherOwner } from '../members/owners.ts';
import { isControlling } from '../members/roles.ts';
import { type Actor, mailControl } from '../orgs/notices.ts';
import { type EndedToken, endTokensOf } from '../tokens/creators.ts';
import { rankOf } from '../tokens/scopes.ts';
import { ScimError } from './error.ts';
import { grouped, isAnyOf } from './rows.ts';

/** A transaction of provisioning, which has locked the organization. */
export interface ScimContext {
  config: Pick<Config, 'pendingInvitations' | 'quotas'>;
  actor: Actor;
  org: { id: string; tables: OrgTables };
}

/** The effect on a member's access. */
export interface AccessChange {
  userId: string;
  /** The address that the organization sees. */
  email: string;
  from: Role;
  to: Role;
  /** Access was taken or given back. Unset: neither. */
  suspended?: boolean;
  tokens: readonly EndedToken[];
}

/** The roles that an organization gives to groups. */
interface RoleRules {
  /** The highest role of some groups; undefined if none is mapped. */
  mapped(groups: readonly string[]): MappedRole | undefined;
  /** Without a mapped group. */
  otherwise: MappedRole;
  /** The access of new members: limited if any connection limits those who join by it. */
  projectAccess: ProjectAccess;
  /** Whether any group is mapped. Otherwise roles do not follow groups. */
  hasMapping: boolean;
}

const higher = (role: MappedRole, other: MappedRole | undefined): MappedRole =>
  other === undefined || rankOf(role) > rankOf(other) ? role : other;

/**
 * Reads the mappings of all connections for single sign-on, also of those that are switched off. Names of groups are compared exactly:
 * `/Admins` and `Admins` are two groups.
 */
export async function roleRulesOf(tx: Db | Tx, orgId: string): Promise<RoleRules> {
  const connections = await tx
    .select({
      ...{ roleMapping: ssoConnections.roleMapping, defaultRole: ssoConnections.defaultRole },
      projectAccess: ssoConnections.projectAccess,
    })
    .from(ssoConnections)
    .where(eq(ssoConnections.orgId, orgId))
    .orderBy(asc(ssoConnections.createdAt), asc(ssoConnections.id));
  const roles = new Map<string, MappedRole>();
  for (const { group, role } of connections.flatMap(({ roleMapping }) => roleMapping))
    roles.set(group, higher(role, roles.get(group)));
  return {
    mapped: (groups) =>
      groups.reduce<MappedRole | undefined>((highest, group) => {
        const role = roles.get(group);
        return role ? higher(role, highest) : highest;
      }, undefined),
    otherwise: connections.find(({ defaultRole }) => defaultRole)?.defaultRole ?? 'viewer',
    projectAccess: connections.some(({ projectAccess }) => projectAccess === 'assigned') ? 'assigned' : 'all',
    hasMapping: roles.size > 0,
  };
}

const isMember = (orgId: string, userId: string) => and(eq(t.orgId, orgId), eq(t.userId, userId));

/**
 * Gives members the roles of their groups. Without a mapped group, the role is the default one of the oldest connection that has one,
 * otherwise viewer. Roles that a person gave stay, and owners stay owners. A role that a sign-in gave follows the groups as soon as one
 * is mapped.
 */
export async function applyRoles(
  tx: Tx,
  context: ScimContext,
  userIds: readonly string[],
): Promise<AccessChange[]> {
  const { org } = context;
  const rules = userIds.length > 0 ? await roleRulesOf(tx, org.id) : undefined;
  if (!rules?.hasMapping) return [];
  const ids = [...new Set(userIds)];
  const groups = await tx
    .select({ userId: scimGroupMembers.userId, name: scimGroups.displayName })
    .from(scimGroupMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
    .where(and(eq(scimGroupMembers.orgId, org.id), isAnyOf(scimGroupMembers.userId, ids)));
  const groupsOf = grouped(groups, ({ userId }) => userId);
  const members = await tx
    .select({ userId: t.userId, email: memberEmail, from: t.role, isProvisioned: t.roleProvisioned })
    .from(t)
    .innerJoin(users, eq(users.id, t.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(
      and(
        ...[eq(t.orgId, org.id), isAnyOf(t.userId, ids), ne(t.role, 'owner')],
        or(t.roleProvisioned, isNotNull(t.mappedBy)),
      ),
    )
    .orderBy(t.userId);
  const given = members.flatMap(({ isProvisioned, ...member }) => {
    const mapped = rules.mapped((groupsOf.get(member.userId) ?? []).map(({ name }) => name));
    if (!isProvisioned && mapped === undefined) return [];
    const to = mapped ?? rules.otherwise;
    return to === member.from && isProvisioned ? [] : [{ ...member, to }];
  });
  for (const role of MAPPED_ROLES) {
    const some = given.filter(({ to }) => to === role).map(({ userId }) => userId);
    if (some.length > 0)
      await tx
        .update(t)
        .set({ role, mappedBy: null, roleProvisioned: true, ...NO_OFFER })
        .where(and(eq(t.orgId, org.id), isAnyOf(t.userId, some)));
  }
  const changed = given.filter(({ from, to }) => from !== to);
  const lowered = changed.filter(({ from, to }) => rankOf(to) < rankOf(from)).map(({ userId }) => userId);
  const tokens = grouped(await endTokensOf(tx, org, lowered), ({ createdBy }) => createdBy);
  await tellOfRoles(tx, context, changed);
  return changed.map((change) => ({ ...change, tokens: tokens.get(change.userId) ?? [] }));
}

/** The most members that one mail names. */
const MOST_NAMED = 20;

/** Tells the owners about new and former admins: in one mail, whatever their number. */
async function tellOfRoles(
  tx: Tx,
  { actor, org }: ScimContext,
  changed: readonly Omit<AccessChange, 'tokens'>[],
): Promise<void> {
  const controlling = changed.filter(({ from, to }) => isControlling(from) || isControlling(to));
  const [first] = controlling;
  if (!first) return;
  if (controlling.length === 1) return await mailRoleChange(tx, actor, { orgId: org.id, ...first });
  const facts = controlling
    .slice(0, MOST_NAMED)
    .map(({ email, from, to }): [string, string] => ['Member', `${email}: ${to}, was ${from}`]);
  const more = controlling.length - facts.length;
  if (more > 0) facts.push(['And', `${more} more: see the audit log`]);
  await mailControl(tx, actor, org.id, 'roles_changed', facts);
}

/** Gives all members with provisioned or mapped roles the roles of their groups, after a change of the connections. */
export async function reapplyRoles(tx: Tx, context: ScimContext): Promise<AccessChange[]> {
  const members = await tx
    .select({ userId: t.userId })
    .from(t)
    .where(and(eq(t.orgId, context.org.id), or(t.roleProvisioned, isNotNull(t.mappedBy))));
  return applyRoles(
    tx,
    context,
    members.map(({ userId }) => userId),
  );
}

/**
 * Suspends or reactivates a member.
 * @throws ScimError `mutability` if no other owner could sign in without the identity provider
 */
export async function setActive(
  tx: Tx,
  context: ScimContext,
  { id: userId, address: email, role }: { id: string; address: string; role: Role },
  isActive: boolean,
): Promise<AccessChange> {
  const { actor, org } = context;
  if (!isActive && role === 'owner') await keepOwner(tx, context, userId);
  await tx
    .update(t)
    .set({ suspendedAt: isActive ? null : actor.now, ...NO_OFFER })
    .where(isMember(org.id, userId));
  if (!isActive) await endAccess(tx, org.id, userId, actor.now);
  await run(tx, reloadRulesOf(org.tables, userId));
  const tokens = isActive ? [] : await endTokensOf(tx, org, userId);
  if (isControlling(role))
    await mailControl(tx, actor, org.id, isActive ? 'member_reactivated' : 'member_suspended', [
      ['Member', email],
      ['Role', role],
    ]);
  return { userId, email, from: role, to: role, suspended: !isActive, tokens };
}

/**
 * Keeps an owner who can sign in with a password: an identity provider must not become the only way into an organization.
 * @throws ScimError `mutability`
 */
export async function keepOwner(tx: Tx, { config, org }: ScimContext, userId: string): Promise<void> {
  await requireOtherOwner(tx, config, org.id, userId, isNotNull(users.passwordHash)).catch((error) => {
    if (error instanceof ApiError)
      throw new ScimError(
        'mutability',
        'An organization needs an owner with a password: make another member an owner first.',
      );
    throw error;
  });
}

/**
 * Ends what a member signs in with, as far as it belongs to the organization: personal access tokens for it alone, sessions of its
 * connections, and links that would bring an owner back. Sign-ins that wait for a second factor begin no session (`insertSsoSession`).
 * Other sessions and tokens of the account no longer reach the organization.
 */
export async function endAccess(tx: Tx, orgId: string, userId: string, now: Date): Promise<void> {
  // As every change of what an account signs in with: nobody waits for another in a circle.
  await lockUser(tx, userId);
  await endOffersOf(tx, orgId, userId);
  await tx
    .delete(personalTokens)
    .where(and(eq(personalTokens.orgId, orgId), eq(personalTokens.userId, userId)));
  await tx
    .delete(orgUndoLinks)
    .where(and(eq(orgUndoLinks.orgId, orgId), eq(orgUndoLinks.userId, userId), isNull(orgUndoLinks.usedAt)));
  const connections = tx
    .select({ id: ssoConnections.id })
    .from(ssoConnections)
    .where(eq(ssoConnections.orgId, orgId));
  await tx
    .update(sessions)
    .set({ revokedAt: now })
    .where(
      and(
        eq(sessions.userId, userId),
        isNull(sessions.revokedAt),
        inArray(sessions.ssoConnectionId, connections),
      ),
    );
}
