import { and, eq, inArray, isNull, ne, notExists, type SQL } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Tx } from '../../db/client.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { isLimited, memberships, orgDeletions, orgs, type Role } from '../../db/schema/orgs.ts';
import { hasSignIn } from '../accounts/has-sign-in.ts';
import type { Config } from '../config/config.ts';
import { ApiError } from '../errors.ts';
import { hasAccess } from './fields.ts';
import { isControlling } from './roles.ts';

/** The role of a member, and whether the access is limited to projects. */
export interface Rights {
  role: Role;
  isLimited: boolean;
}

/**
 * Reads the rights of the caller and of another member. Call it after `lockOrg`.
 * @throws ApiError `tenant_error/not_member` when the caller was removed or suspended meanwhile, `resource_error/not_found`
 */
export async function readRoles(
  tx: Tx,
  orgId: string,
  ids: { caller: string; member: string },
): Promise<{ own: Rights; other: Rights }> {
  const rows = await tx
    .select({
      ...{ userId: memberships.userId, role: memberships.role, isLimited },
      suspendedAt: memberships.suspendedAt,
    })
    .from(memberships)
    .where(and(eq(memberships.orgId, orgId), inArray(memberships.userId, Object.values(ids))));
  const rowOf = (id: string) => rows.find(({ userId }) => userId === id);
  const own = rowOf(ids.caller);
  const other = rowOf(ids.member);
  if (!own || own.suspendedAt) throw new ApiError('tenant_error/not_member');
  if (!other) throw new ApiError('resource_error/not_found', { message: 'The member does not exist.' });
  return { own, other };
}

/**
 * Checks the caller again under the lock, because role and access may have changed since the access check.
 * @throws ApiError `permission_error/denied`
 */
export function requireAdmin({ role, isLimited }: Rights): void {
  if (isLimited || !isControlling(role)) throw new ApiError('permission_error/denied');
}

const own = alias(memberships, 'own');

type Settings = Pick<Config, 'pendingInvitations'>;

/** The owners of an organization who can sign in, besides a user: with a password or a provider, not disabled and not pending. */
const otherOwners = (
  tx: Tx,
  settings: Settings,
  orgId: string | typeof own.orgId,
  userId: string,
  where?: SQL,
) =>
  tx
    .select({ userId: memberships.userId })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .where(
      and(
        eq(memberships.orgId, orgId),
        eq(memberships.role, 'owner'),
        ne(memberships.userId, userId),
        hasSignIn,
        isNull(users.disabledAt),
        hasAccess(settings),
        where,
      ),
    )
    .limit(1);

/**
 * Requires that an organization keeps an owner who can sign in. Call it after `lockOrg`.
 * @param userId the owner who leaves, is removed or gets another role
 * @param where what else the other owner has to fulfil
 * @throws ApiError `resource_error/conflict`
 */
export async function requireOtherOwner(
  tx: Tx,
  settings: Settings,
  orgId: string,
  userId: string,
  where?: SQL,
): Promise<void> {
  if ((await otherOwners(tx, settings, orgId, userId, where)).length > 0) return;
  throw new ApiError('resource_error/conflict', {
    message: 'An organization needs an owner who can sign in: make another member an owner first.',
  });
}

/**
 * The slugs of the organizations that would have no owner who can sign in without a user. Deleted organizations need none. Call it
 * after they are locked.
 */
export async function solelyOwned(tx: Tx, settings: Settings, userId: string): Promise<string[]> {
  const rows = await tx
    .select({ slug: orgs.slug })
    .from(own)
    .innerJoin(orgs, eq(orgs.id, own.orgId))
    .where(
      and(
        eq(own.userId, userId),
        eq(own.role, 'owner'),
        notExists(otherOwners(tx, settings, own.orgId, userId)),
        notExists(tx.select().from(orgDeletions).where(eq(orgDeletions.orgId, own.orgId))),
      ),
    )
    .orderBy(orgs.slug);
  return rows.map(({ slug }) => slug);
}
