import { and, eq, exists, sql } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { markUsed } from '../../db/orgs/slugs.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import {
  type MappedRole,
  type ProjectAccess,
  type Role,
  ssoConnections,
  memberships as t,
} from '../../db/schema/orgs.ts';
import { run } from '../../db/statements.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { mailRoleChange } from '../members/control.ts';
import { endMembership } from '../members/ending.ts';
import { NO_OFFER } from '../members/fields.ts';
import { readRoles } from '../members/owners.ts';
import { isControlling } from '../members/roles.ts';
import type { Actor } from '../orgs/notices.ts';
import { accessOnReturn } from '../projects/members.ts';
import { requireNoMore } from '../quotas.ts';
import { type EndedToken, endTokensOf } from '../tokens/creators.ts';
import { rankOf } from '../tokens/scopes.ts';

/** Requires that the caller is still an owner, under the lock of the organization. @throws ApiError `permission_error/denied` */
export async function requireOwner(tx: Tx, orgId: string, userId: string): Promise<void> {
  const { own } = await readRoles(tx, orgId, { caller: userId, member: userId });
  if (own.role !== 'owner') throw new ApiError('permission_error/denied');
}

/** Exempts the present owners from single sign-on that is required, so that no owner locks out another by a change of connections. */
export async function exemptOwners(tx: Tx, orgId: string): Promise<void> {
  const required = tx
    .select()
    .from(ssoConnections)
    .where(and(eq(ssoConnections.orgId, orgId), ssoConnections.requireSso));
  await tx
    .update(t)
    .set({ breakGlass: true })
    .where(and(eq(t.orgId, orgId), eq(t.role, 'owner'), exists(required)));
}

/** The effect of a sign-in on a membership. After `removed` and `refused` the person is no member, or not by this connection. */
export interface Mapped {
  kind: 'kept' | 'joined' | 'changed' | 'removed' | 'refused';
  from?: Role;
  to?: Role;
  /** Unset: the person was a member before. */
  projectAccess?: ProjectAccess;
  tokens: readonly EndedToken[];
}

/** The membership of a person before a sign-in. */
export async function membershipOf(tx: Tx, orgId: string, userId: string) {
  const [row] = await tx
    .select({
      ...{ role: t.role, mappedBy: t.mappedBy },
      ...{ isProvisioned: t.roleProvisioned, isSuspended: sql<boolean>`${t.suspendedAt} is not null` },
    })
    .from(t)
    .where(and(eq(t.orgId, orgId), eq(t.userId, userId)));
  return row;
}

/**
 * Gives a member the role that a connection says, or takes it. Only roles that the connection gave change: those that a person gave
 * stay, and the connection signs in a member only if it gives a role, speaks for the address, or provisioning gave the role.
 * Nobody signs in while suspended. Part of a transaction that has locked the organization.
 * @param role undefined: none
 * @param isVouched the connection speaks for the address of the person
 * @param projectAccess of a new member
 */
export async function applyRole(
  tx: Tx,
  context: { config: Pick<Config, 'quotas'>; actor: Actor; org: { id: string; tables: OrgTables } },
  {
    userId,
    connectionId,
    role,
    isVouched,
    projectAccess: usual,
  }: {
    userId: string;
    connectionId: string;
    role: MappedRole | undefined;
    isVouched: boolean;
    projectAccess: ProjectAccess;
  },
): Promise<Mapped> {
  const { config, actor, org } = context;
  const { now } = actor;
  const mine = and(eq(t.orgId, org.id), eq(t.userId, userId));
  const before = await membershipOf(tx, org.id, userId);
  const unchanged = (kind: 'kept' | 'refused'): Mapped => ({ kind, tokens: [] });
  if (!before) {
    if (!role) return unchanged('refused');
    const projectAccess = await accessOnReturn(tx, org.tables, userId, usual);
    await tx
      .insert(t)
      .values({ orgId: org.id, userId, role, projectAccess, mappedBy: connectionId, createdAt: now });
    await requireNoMore(tx, config, 'membersPerOrg', t, eq(t.orgId, org.id));
    await markUsed(tx, org.id);
    if (isControlling(role)) await mailRoleChange(tx, actor, { orgId: org.id, userId, to: role });
    // A former member may still be the assignee of a rule.
    await run(tx, reloadRulesOf(org.tables, userId));
    return { kind: 'joined', to: role, projectAccess, tokens: [] };
  }
  const { role: from, isProvisioned, isSuspended } = before;
  if (isSuspended) return unchanged('refused');
  if (before.mappedBy !== connectionId || from === 'owner')
    return unchanged(role || isVouched || isProvisioned ? 'kept' : 'refused');
  if (role === from) return unchanged('kept');
  if (!role) {
    if (isControlling(from)) await mailRoleChange(tx, actor, { orgId: org.id, userId, from });
    const tokens = await endMembership(tx, org, userId, { now });
    return { kind: 'removed', from, tokens };
  }
  await tx
    .update(t)
    .set({ role, ...NO_OFFER })
    .where(mine);
  if (isControlling(from) || isControlling(role))
    await mailRoleChange(tx, actor, { orgId: org.id, userId, from, to: role });
  const tokens = rankOf(role) < rankOf(from) ? await endTokensOf(tx, org, userId) : [];
  return { kind: 'changed', from, to: role, tokens };
}
