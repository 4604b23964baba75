import { and, asc, count, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { markUsed } from '../../db/orgs/slugs.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import { userEmails } from '../../db/schema/accounts.ts';
import { memberships, type Role } from '../../db/schema/orgs.ts';
import { scimUsers as s, scimGroupMembers, scimGroups } from '../../db/schema/scim.ts';
import { run } from '../../db/statements.ts';
import { ApiError } from '../errors.ts';
import { mailRoleChange } from '../members/control.ts';
import { requireNotDeclined } from '../members/declining.ts';
import { endMembership } from '../members/ending.ts';
import { memberEmail } from '../members/fields.ts';
import { findInvitee, insertPlaceholder } from '../members/invitees.ts';
import { isControlling } from '../members/roles.ts';
import { requireNoMore } from '../quotas.ts';
import { ScimError } from './error.ts';
import {
  type AccessChange,
  applyRoles,
  endAccess,
  grouped,
  isAnyOf,
  keepOwner,
  type ScimContext,
} from './roles.ts';

/* A SCIM user is a membership. Members whom the provider has not named are users too, so that it finds them before it creates them. */

/** The attributes that a provider sets. */
export interface UserAttributes {
  userName: string;
  externalId: string | null;
  displayName: string | null;
  givenName: string | null;
  familyName: string | null;
  email: string | null;
  active: boolean;
}

export interface ScimUser extends UserAttributes {
  id: string;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
  /** The provider has named the member. */
  isNamed: boolean;
  groups: { id: string; displayName: string }[];
}

const userName = sql<string>`coalesce(${s.userName}, ${memberEmail})`;
const email = sql<string>`coalesce(${s.email}, ${memberEmail})`;

const fields = {
  id: memberships.userId,
  role: memberships.role,
  ...{ userName, email, externalId: s.externalId, displayName: s.displayName },
  ...{ givenName: s.givenName, familyName: s.familyName },
  active: sql<boolean>`coalesce(${s.active}, ${memberships.suspendedAt} is null)`,
  createdAt: memberships.createdAt,
  updatedAt: sql<Date>`coalesce(${s.updatedAt}, ${memberships.createdAt})`.mapWith(memberships.createdAt),
  isNamed: sql<boolean>`${s.userId} is not null`,
};

const isText = (expression: SQL, value: string): SQL => sql`lower(${expression}) = lower(${value})`;

/** The attributes of a filter, as conditions. */
export const USER_FILTERS: Readonly<Record<string, (value: string) => SQL | undefined>> = {
  id: (value) => sql`${memberships.userId}::text = ${value.toLowerCase()}`,
  username: (value) => isText(userName, value),
  externalid: (value) => eq(s.externalId, value),
  emails: (value) => isText(email, value),
  'emails.value': (value) => isText(email, value),
  active: (value) => sql`${fields.active} = ${value.toLowerCase() === 'true'}`,
  displayname: (value) => isText(sql`${s.displayName}`, value),
};

const select = (db: Db | Tx) =>
  db
    .select(fields)
    .from(memberships)
    .innerJoin(userEmails, and(eq(userEmails.userId, memberships.userId), eq(userEmails.isPrimary, true)))
    .leftJoin(s, and(eq(s.orgId, memberships.orgId), eq(s.userId, memberships.userId)));

/** A page of the users of an organization, the oldest first. */
export async function listUsers(
  db: Db | Tx,
  orgId: string,
  { where, offset, limit }: { where?: SQL | undefined; offset: number; limit: number },
): Promise<{ total: number; users: ScimUser[] }> {
  const matches = and(eq(memberships.orgId, orgId), where);
  const all = select(db).where(matches).as('all_users');
  const [row] = await db.select({ total: count() }).from(all);
  const rows = await select(db)
    .where(matches)
    .orderBy(asc(memberships.createdAt), asc(memberships.userId))
    .offset(offset)
    .limit(limit);
  const ids = rows.map(({ id }) => id);
  const groups = await db
    .select({ userId: scimGroupMembers.userId, id: scimGroups.id, displayName: scimGroups.displayName })
    .from(scimGroupMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
    .where(and(eq(scimGroupMembers.orgId, orgId), isAnyOf(scimGroupMembers.userId, ids)))
    .orderBy(scimGroups.displayName);
  const groupsOf = grouped(groups, ({ userId }) => userId);
  return {
    total: row?.total ?? 0,
    users: rows.map((user) => ({
      ...user,
      groups: (groupsOf.get(user.id) ?? []).map(({ id, displayName }) => ({ id, displayName })),
    })),
  };
}

/** @throws ApiError `resource_error/not_found` */
export async function requireUser(db: Db | Tx, orgId: string, id: string): Promise<ScimUser> {
  const where = USER_FILTERS.id?.(id);
  const { users } = await listUsers(db, orgId, { where, offset: 0, limit: 1 });
  const [user] = users;
  if (!user) throw new ApiError('resource_error/not_found', { message: 'The user does not exist.' });
  return user;
}

/** @throws ScimError `uniqueness` if another user has the name */
async function requireFreeName(tx: Tx, orgId: string, name: string, ownId?: string): Promise<void> {
  const other = ownId === undefined ? undefined : ne(memberships.userId, ownId);
  const [found] = await select(tx)
    .where(and(eq(memberships.orgId, orgId), isText(userName, name), other))
    .limit(1);
  if (found) throw new ScimError('uniqueness', 'A user with this userName exists.');
}

const columnsOf = ({ userName, externalId, displayName, ...others }: UserAttributes) => ({
  ...{ userName, externalId, displayName },
  ...{ givenName: others.givenName, familyName: others.familyName, email: others.email },
  active: others.active,
});

/** The outcome of a change. */
export interface UserChange {
  user: ScimUser;
  /** Names of the attributes that changed. */
  changed: string[];
  access: AccessChange[];
}

/**
 * Adds a member, as an invitation does, but without a mail: an address without an account gets a placeholder account, and an account
 * that has not verified the address gets no access until it does. Links a member with the address whom the provider has not named yet.
 * @throws ScimError `uniqueness`; a unique violation or GivenUp if the account changes at the same moment
 */
export async function createUser(
  tx: Tx,
  context: ScimContext & { nextId: () => NewId },
  attributes: UserAttributes & { email: string },
): Promise<UserChange> {
  const { actor, config, org } = context;
  const { email: address } = attributes;
  const createdAt = actor.now;
  const invitee =
    (await findInvitee(tx, address, 'viewer')) ??
    (await insertPlaceholder(tx, context, address, 'viewer', nameOf(attributes)?.slice(0, 200)));
  const { userId, isPlaceholder, verified } = invitee;
  const [member] = await select(tx).where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)));
  const isLinked = member && !member.isNamed && member.email === address;
  if (member && !isLinked) throw new ScimError('uniqueness', 'A user with this address exists.');
  await requireFreeName(tx, org.id, attributes.userName, member?.id);
  if (!isLinked) {
    await requireNotDeclined(tx, org.id, address, createdAt);
    await tx.insert(memberships).values({
      ...{ orgId: org.id, userId, role: 'viewer', roleProvisioned: true, createdAt },
      invitedEmail: address,
      confirmedAt: verified ? createdAt : null,
      // Somebody may have registered an address that is not theirs.
      isHeld: !verified && !isPlaceholder,
    });
    await requireNoMore(tx, config, 'membersPerOrg', memberships, eq(memberships.orgId, org.id));
    await markUsed(tx, org.id);
    // A former member may still be the assignee of a rule.
    if (!isPlaceholder) await run(tx, reloadRulesOf(org.tables, userId));
  }
  await tx
    .insert(s)
    .values({ orgId: org.id, userId, ...columnsOf(attributes), createdAt, updatedAt: createdAt });
  const access = await applyRoles(tx, context, [userId]);
  return { user: await requireUser(tx, org.id, userId), changed: Object.keys(attributes), access };
}

export const nameOf = ({
  displayName,
  givenName,
  familyName,
}: Pick<UserAttributes, 'displayName' | 'givenName' | 'familyName'>): string | undefined =>
  displayName ?? ([givenName, familyName].filter(Boolean).join(' ') || undefined);

/** Changes what a provider says about a member. @throws ApiError `resource_error/not_found`, ScimError */
export async function changeUser(
  tx: Tx,
  context: ScimContext,
  id: string,
  changes: Partial<UserAttributes>,
): Promise<UserChange> {
  const { actor, org } = context;
  const before = await requireUser(tx, org.id, id);
  const after = { ...columnsOf(before), ...changes };
  const changed = Object.entries(after)
    .filter(([name, value]) => value !== before[name as keyof UserAttributes])
    .map(([name]) => name);
  if (changed.length === 0) return { user: before, changed, access: [] };
  if (changed.includes('userName')) await requireFreeName(tx, org.id, after.userName, before.id);
  const updatedAt = actor.now;
  await tx
    .insert(s)
    .values({ orgId: org.id, userId: before.id, ...after, createdAt: updatedAt, updatedAt })
    .onConflictDoUpdate({ target: [s.orgId, s.userId], set: { ...after, updatedAt } });
  const access = await applyRoles(tx, context, [before.id]);
  return { user: await requireUser(tx, org.id, before.id), changed, access };
}

/** Removes a member. @throws ApiError `resource_error/not_found`, ScimError `mutability` for the last owner */
export async function removeUser(
  tx: Tx,
  context: ScimContext,
  id: string,
): Promise<{ user: ScimUser; access: [AccessChange] }> {
  const { actor, org } = context;
  const user = await requireUser(tx, org.id, id);
  const { id: userId, role: from } = user;
  if (from === 'owner') await keepOwner(tx, context, userId);
  if (isControlling(from))
    await mailRoleChange(tx, actor, { orgId: org.id, userId, from, reason: 'removed by provisioning' });
  await endAccess(tx, org.id, userId, actor.now);
  const tokens = await endMembership(tx, org, userId);
  return { user, access: [{ userId, from, to: from, tokens }] };
}
