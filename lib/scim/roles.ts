import { and, asc, eq, inArray, isNotNull, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Tx } from '../../db/client.ts';
import { sessions } from '../../db/schema/accounts.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { type MappedRole, type Role, ssoConnections, memberships as t } from '../../db/schema/orgs.ts';
import { personalTokens } from '../../db/schema/personal-tokens.ts';
import { scimGroupMembers, scimGroups } from '../../db/schema/scim.ts';
import { arrayText } from '../../db/statements.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { mailRoleChange } from '../members/control.ts';
import { endOffersOf } from '../members/ending.ts';
import { NO_OFFER } from '../members/fields.ts';
import { requireOtherOwner } from '../members/owners.ts';
import { isControlling } from '../members/roles.ts';
import { type Actor, mailControl, memberAddress } from '../orgs/notices.ts';
import { mappedRole } from '../sso/claims.ts';
import { type EndedToken, endTokensOf } from '../tokens/creators.ts';
import { rankOf } from '../tokens/scopes.ts';
import { ScimError } from './error.ts';

/** A transaction of provisioning, which has locked the organization. */
export interface ScimContext {
  config: Pick<Config, 'pendingInvitations' | 'quotas'>;
  actor: Actor;
  org: { id: string; tables: OrgTables };
}

/** The effect on a member's access. */
export interface AccessChange {
  userId: string;
  from: Role;
  to: Role;
  /** Access was taken or given back. Unset: neither. */
  suspended?: boolean;
  tokens: readonly EndedToken[];
}

/** The roles that the connections of an organization give to groups. */
interface RoleRules {
  /** Empty: roles do not follow groups. */
  mapping: { group: string; role: MappedRole }[];
  /** Without a mapped group. */
  otherwise: MappedRole;
}

async function rulesOf(tx: Tx, orgId: string): Promise<RoleRules> {
  const connections = await tx
    .select({ roleMapping: ssoConnections.roleMapping, defaultRole: ssoConnections.defaultRole })
    .from(ssoConnections)
    .where(eq(ssoConnections.orgId, orgId))
    .orderBy(asc(ssoConnections.createdAt), asc(ssoConnections.id));
  return {
    mapping: connections.flatMap(({ roleMapping }) => roleMapping),
    otherwise: connections.find(({ defaultRole }) => defaultRole)?.defaultRole ?? 'viewer',
  };
}

/** The role of a member without a group. */
export const initialRole = async (tx: Tx, orgId: string): Promise<MappedRole> =>
  (await rulesOf(tx, orgId)).otherwise;

/**
 * Gives members the roles of their groups, which the connections for single sign-on map, also those that are switched off. Without a
 * mapped group the role is the default one of the oldest connection that has one, otherwise viewer. Roles that a person gave stay,
 * owners stay owners, and without any mapping all roles stay. A role that a sign-in gave follows the groups as soon as one is mapped.
 */
export async function applyRoles(
  tx: Tx,
  context: ScimContext,
  userIds: readonly string[],
): Promise<AccessChange[]> {
  if (userIds.length === 0) return [];
  const { org } = context;
  const { mapping, otherwise } = await rulesOf(tx, org.id);
  if (mapping.length === 0) return [];
  const ids = [...new Set(userIds)];
  const groups = await tx
    .select({ userId: scimGroupMembers.userId, name: scimGroups.displayName })
    .from(scimGroupMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
    .where(and(eq(scimGroupMembers.orgId, org.id), isAnyOf(scimGroupMembers.userId, ids)));
  const groupsOf = grouped(groups, ({ userId }) => userId);
  const members = await tx
    .select({ userId: t.userId, role: t.role, isProvisioned: t.roleProvisioned })
    .from(t)
    .where(
      and(
        ...[eq(t.orgId, org.id), isAnyOf(t.userId, ids), ne(t.role, 'owner')],
        or(t.roleProvisioned, isNotNull(t.mappedBy)),
      ),
    )
    .orderBy(t.userId);
  const changes: AccessChange[] = [];
  for (const { userId, role: from, isProvisioned } of members) {
    const names = groupsOf.get(userId)?.map(({ name }) => name) ?? [];
    const mapped = mappedRole(mapping, names);
    if (!isProvisioned && mapped === undefined) continue;
    const to = mapped ?? otherwise;
    if (to === from && isProvisioned) continue;
    const change: AccessChange = { userId, from, to, tokens: [] };
    await changeRole(tx, context, change);
    if (rankOf(to) < rankOf(from)) change.tokens = await endTokensOf(tx, org, userId);
    if (to !== from) changes.push(change);
  }
  return changes;
}

/** Suspends or reactivates a member. @throws ScimError `mutability` if no owner could sign in */
export async function setActive(
  tx: Tx,
  context: ScimContext,
  { id: userId, role }: { id: string; role: Role },
  isActive: boolean,
): Promise<AccessChange> {
  const { org } = context;
  await (isActive ? reactivate : suspend)(tx, context, { userId, role });
  const tokens = isActive ? [] : await endTokensOf(tx, org, userId);
  return { userId, from: role, to: role, suspended: !isActive, tokens };
}

/** Rows by a key. */
export function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const found = groups.get(keyOf(row));
    if (found) found.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/** Whether a column has one of many ids, as one parameter. */
export const isAnyOf = (column: PgColumn, ids: readonly string[]): SQL =>
  sql`${column} = any (${arrayText(ids)}::uuid[])`;

/** The same for all members whose role provisioning gave, after a change of the connections. */
export async function reapplyRoles(tx: Tx, context: ScimContext): Promise<AccessChange[]> {
  const members = await tx
    .select({ userId: t.userId })
    .from(t)
    .where(and(eq(t.orgId, context.org.id), t.roleProvisioned));
  return applyRoles(
    tx,
    context,
    members.map(({ userId }) => userId),
  );
}

const isMember = (orgId: string, userId: string) => and(eq(t.orgId, orgId), eq(t.userId, userId));

async function changeRole(
  tx: Tx,
  { actor, org }: ScimContext,
  { userId, from, to }: AccessChange,
): Promise<void> {
  await tx
    .update(t)
    .set({ role: to, mappedBy: null, roleProvisioned: true, ...NO_OFFER })
    .where(isMember(org.id, userId));
  if (to !== from && (isControlling(from) || isControlling(to)))
    await mailRoleChange(tx, actor, { orgId: org.id, userId, from, to });
}

interface Member {
  userId: string;
  role: Role;
}

async function suspend(tx: Tx, context: ScimContext, { userId, role }: Member): Promise<void> {
  const { actor, org } = context;
  if (role === 'owner') await keepOwner(tx, context, userId);
  await tx.update(t).set({ suspendedAt: actor.now }).where(isMember(org.id, userId));
  await endOffersOf(tx, org.id, userId);
  await endAccess(tx, org.id, userId, actor.now);
  await tell(tx, context, 'member_suspended', { userId, role });
}

async function reactivate(tx: Tx, context: ScimContext, { userId, role }: Member): Promise<void> {
  await tx.update(t).set({ suspendedAt: null }).where(isMember(context.org.id, userId));
  await tell(tx, context, 'member_reactivated', { userId, role });
}

async function tell(
  tx: Tx,
  { actor, org }: ScimContext,
  change: 'member_suspended' | 'member_reactivated',
  { userId, role }: Member,
): Promise<void> {
  if (!isControlling(role)) return;
  await mailControl(tx, actor, org.id, change, [
    ['Member', (await memberAddress(tx, org.id, userId)) ?? ''],
    ['Role', role],
  ]);
}

/** @throws ScimError `mutability` if a member is the last owner who can sign in */
export async function keepOwner(tx: Tx, { config, org }: ScimContext, userId: string): Promise<void> {
  await requireOtherOwner(tx, config, org.id, userId).catch((error) => {
    if (error instanceof ApiError) throw new ScimError('mutability', error.message);
    throw error;
  });
}

/**
 * Ends what a member signed in with, as far as it belongs to the organization: personal access tokens for it alone, and sessions of its
 * connections. Other sessions and tokens of the account no longer reach the organization.
 */
export async function endAccess(tx: Tx, orgId: string, userId: string, now: Date): Promise<void> {
  await tx
    .delete(personalTokens)
    .where(and(eq(personalTokens.orgId, orgId), eq(personalTokens.userId, userId)));
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
