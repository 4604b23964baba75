import { and, asc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Tx } from '../../db/client.ts';
import { sessions } from '../../db/schema/accounts.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { type MappedRole, type Role, ssoConnections, memberships as t } from '../../db/schema/orgs.ts';
import { personalTokens } from '../../db/schema/personal-tokens.ts';
import { scimGroupMembers, scimGroups, scimUsers } from '../../db/schema/scim.ts';
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

/**
 * Gives members the roles of their groups, and takes or gives back their access. The groups are mapped by the connections for single
 * sign-on. Without a mapped group, the role is the default one of the oldest connection that has one; where no connection has one, the
 * member has no access; without connections it is viewer. Roles that a person gave stay, and owners stay owners.
 * @throws ScimError `mutability` if no owner could sign in
 */
export async function applyRoles(
  tx: Tx,
  context: ScimContext,
  userIds: readonly string[],
): Promise<AccessChange[]> {
  if (userIds.length === 0) return [];
  const { org } = context;
  const connections = await tx
    .select({ roleMapping: ssoConnections.roleMapping, defaultRole: ssoConnections.defaultRole })
    .from(ssoConnections)
    .where(and(eq(ssoConnections.orgId, org.id), ssoConnections.enabled))
    .orderBy(asc(ssoConnections.createdAt), asc(ssoConnections.id));
  const mapping = connections.flatMap(({ roleMapping }) => roleMapping);
  const otherwise: MappedRole | undefined =
    connections.length === 0
      ? 'viewer'
      : (connections.find(({ defaultRole }) => defaultRole)?.defaultRole ?? undefined);
  const ids = [...new Set(userIds)];
  const groups = await tx
    .select({ userId: scimGroupMembers.userId, name: scimGroups.displayName })
    .from(scimGroupMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
    .where(and(eq(scimGroupMembers.orgId, org.id), isAnyOf(scimGroupMembers.userId, ids)));
  const groupsOf = grouped(groups, ({ userId }) => userId);
  const members = await tx
    .select({
      ...{ userId: t.userId, role: t.role, mappedBy: t.mappedBy, roleProvisioned: t.roleProvisioned },
      ...{ suspendedAt: t.suspendedAt, active: scimUsers.active },
    })
    .from(t)
    .leftJoin(scimUsers, and(eq(scimUsers.orgId, t.orgId), eq(scimUsers.userId, t.userId)))
    .where(and(eq(t.orgId, org.id), isAnyOf(t.userId, ids)))
    .orderBy(t.userId);
  const changes: AccessChange[] = [];
  for (const member of members) {
    const { userId, role: from, suspendedAt, active } = member;
    const names = groupsOf.get(userId)?.map(({ name }) => name) ?? [];
    const mapped = mappedRole(mapping, names);
    const isGiven =
      from !== 'owner' && (member.roleProvisioned || (member.mappedBy !== null && mapped !== undefined));
    const role = mapped ?? otherwise;
    const to = isGiven ? (role ?? from) : from;
    const isSuspended = active === false || (isGiven && role === undefined);
    const change: AccessChange = { userId, from, to, tokens: [] };
    if (isSuspended !== (suspendedAt !== null)) change.suspended = isSuspended;
    if (to === from && change.suspended === undefined) continue;
    if (to !== from) await changeRole(tx, context, change);
    if (change.suspended) await suspend(tx, context, change);
    else if (change.suspended === false) await reactivate(tx, context, change);
    const isLess = change.suspended || rankOf(to) < rankOf(from);
    if (isLess) change.tokens = await endTokensOf(tx, org, userId);
    changes.push(change);
  }
  return changes;
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

async function changeRole(tx: Tx, { actor, org }: ScimContext, { userId, from, to }: AccessChange) {
  await tx
    .update(t)
    .set({ role: to, mappedBy: null, roleProvisioned: true, ...NO_OFFER })
    .where(isMember(org.id, userId));
  if (isControlling(from) || isControlling(to))
    await mailRoleChange(tx, actor, { orgId: org.id, userId, from, to });
}

async function suspend(tx: Tx, context: ScimContext, { userId, to }: AccessChange): Promise<void> {
  const { actor, org } = context;
  if (to === 'owner') await keepOwner(tx, context, userId);
  await tx.update(t).set({ suspendedAt: actor.now }).where(isMember(org.id, userId));
  await endOffersOf(tx, org.id, userId);
  await endAccess(tx, org.id, userId, actor.now);
  await tell(tx, context, 'member_suspended', { userId, role: to });
}

async function reactivate(tx: Tx, context: ScimContext, { userId, to }: AccessChange): Promise<void> {
  await tx.update(t).set({ suspendedAt: null }).where(isMember(context.org.id, userId));
  await tell(tx, context, 'member_reactivated', { userId, role: to });
}

async function tell(
  tx: Tx,
  { actor, org }: ScimContext,
  change: 'member_suspended' | 'member_reactivated',
  { userId, role }: { userId: string; role: Role },
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
