import { and, asc, count, eq, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { markUsed } from '../../db/orgs/slugs.ts';
import { reloadRulesOf } from '../../db/rules/members.ts';
import { userEmails, users } from '../../db/schema/accounts.ts';
import { memberships, orgDomains, type ProjectAccess, type Role } from '../../db/schema/orgs.ts';
import { scimUsers as s, scimGroupMembers, scimGroups } from '../../db/schema/scim.ts';
import { arrayText, run } from '../../db/statements.ts';
import { ApiError } from '../errors.ts';
import { mailRoleChange } from '../members/control.ts';
import { requireNotDeclined } from '../members/declining.ts';
import { endMembership } from '../members/ending.ts';
import { isActive, memberEmail, memberName, provisioned } from '../members/fields.ts';
import { findInvitee, insertPlaceholder } from '../members/invitees.ts';
import { isControlling } from '../members/roles.ts';
import { accessOnReturn } from '../projects/members.ts';
import { requireNoMore } from '../quotas.ts';
import { domainOf } from '../sso/connections.ts';
import { membershipOf } from '../sso/membership.ts';
import { ScimError } from './error.ts';
import {
  type AccessChange,
  applyRoles,
  endAccess,
  keepOwner,
  roleRulesOf,
  type ScimContext,
  setActive,
} from './roles.ts';
import { grouped, hasId, isAnyOf } from './rows.ts';

/*
 * A SCIM user is a membership: one that the identity provider has linked, and others that it may link, so that it finds them before it
 * creates them: owners, and members whose address is verified, or the one that they were invited by.
 */

/** The attributes that an identity provider sets. */
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
  /** The name and the address that the organization sees. */
  name: string;
  address: string;
  createdAt: Date;
  updatedAt: Date;
  /** The identity provider has created or linked the member. */
  isLinked: boolean;
  groups: { id: string; displayName: string }[];
}

const userName = sql<string>`coalesce(${s.userName}, ${memberEmail})`;
const email = sql<string>`coalesce(${s.email}, ${memberEmail})`;
const active = sql<boolean>`${isActive}`;

const fieldsOf = (config: ScimContext['config']) => ({
  id: memberships.userId,
  role: memberships.role,
  name: memberName(config),
  address: memberEmail,
  ...{ userName, email, active, externalId: s.externalId, displayName: s.displayName },
  ...{ givenName: s.givenName, familyName: s.familyName },
  createdAt: memberships.createdAt,
  updatedAt: sql<Date>`coalesce(${s.updatedAt}, ${memberships.createdAt})`.mapWith(memberships.createdAt),
  isLinked: sql<boolean>`${s.userId} is not null`,
});

const isText = (expression: SQL, value: string): SQL => sql`lower(${expression}) = lower(${value})`;

/** The attributes of a filter, as conditions. */
export const USER_FILTERS: Readonly<Record<string, (value: string) => SQL | undefined>> = {
  id: (value) => hasId(memberships.userId, value),
  username: (value) => isText(userName, value),
  externalid: (value) => eq(s.externalId, value),
  emails: (value) => isText(email, value),
  'emails.value': (value) => isText(email, value),
  active: (value) => sql`${active} = ${value.toLowerCase() === 'true'}`,
  displayname: (value) => isText(sql`${s.displayName}`, value),
};

const select = (db: Db | Tx, { config, org }: UserContext, where: SQL | undefined) =>
  db
    .select(fieldsOf(config))
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(userEmails, and(eq(userEmails.userId, users.id), eq(userEmails.isPrimary, true)))
    .leftJoin(s, provisioned)
    .where(
      and(
        eq(memberships.orgId, org.id),
        or(
          ...[isNotNull(s.userId), isNotNull(memberships.invitedEmail), isNotNull(userEmails.verifiedAt)],
          eq(memberships.role, 'owner'),
        ),
        where,
      ),
    );

type UserContext = Pick<ScimContext, 'config'> & { org: { id: string } };

/** A page of the users of an organization, the oldest first. */
export async function listUsers(
  db: Db | Tx,
  context: UserContext,
  {
    where,
    offset,
    limit,
    showsGroups,
  }: { where?: SQL | undefined; offset: number; limit: number; showsGroups: boolean },
): Promise<{ total: number; users: ScimUser[] }> {
  const all = select(db, context, where).as('all_users');
  const [row] = await db.select({ total: count() }).from(all);
  const rows = await select(db, context, where)
    .orderBy(asc(memberships.createdAt), asc(memberships.userId))
    .offset(offset)
    .limit(limit);
  const users = showsGroups
    ? await withGroups(db, context, rows)
    : rows.map((user) => ({ ...user, groups: [] }));
  return { total: row?.total ?? 0, users };
}

/** The most groups in a page of users, so that its users fit into the memory of a request. */
const MAX_PAGE_GROUPS = 10_000;

/** Users with their groups: the first ones whose groups fit into a page, at least one user. */
async function withGroups(
  db: Db | Tx,
  { org }: UserContext,
  rows: Omit<ScimUser, 'groups'>[],
): Promise<ScimUser[]> {
  const ids = rows.map(({ id }) => id);
  const groups = await db
    .select({ userId: scimGroupMembers.userId, id: scimGroups.id, displayName: scimGroups.displayName })
    .from(scimGroupMembers)
    .innerJoin(scimGroups, eq(scimGroups.id, scimGroupMembers.groupId))
    .where(and(eq(scimGroupMembers.orgId, org.id), isAnyOf(scimGroupMembers.userId, ids)))
    .orderBy(
      sql`array_position(${arrayText(ids)}::uuid[], ${scimGroupMembers.userId})`,
      scimGroups.displayName,
    )
    .limit(MAX_PAGE_GROUPS + 1);
  // The groups of the last user may be cut.
  const cut = groups.length > MAX_PAGE_GROUPS ? ids.indexOf(groups.at(-1)?.userId ?? '') : ids.length;
  const groupsOf = grouped(groups, ({ userId }) => userId);
  return rows.slice(0, Math.max(1, cut)).map((user) => ({
    ...user,
    groups: (groupsOf.get(user.id) ?? []).map(({ id, displayName }) => ({ id, displayName })),
  }));
}

/** @throws ApiError `resource_error/not_found` */
export async function requireUser(db: Db | Tx, context: UserContext, id: string): Promise<ScimUser> {
  const rows = await select(db, context, eq(memberships.userId, id));
  const [user] = await withGroups(db, context, rows);
  if (!user) throw new ApiError('resource_error/not_found', { message: 'The user does not exist.' });
  return user;
}

/** @throws ScimError `uniqueness` if another user has the name */
async function requireFreeName(tx: Tx, context: UserContext, name: string, ownId?: string): Promise<void> {
  const other = ownId === undefined ? undefined : ne(memberships.userId, ownId);
  const [found] = await select(tx, context, and(isText(userName, name), other)).limit(1);
  if (found) throw new ScimError('uniqueness', 'A user with this userName exists.');
}

/** @throws ScimError `invalidValue` unless the organization has proven the domain of an address */
async function requireProvenDomain(tx: Tx, orgId: string, address: string): Promise<void> {
  const domain = domainOf(address);
  const [proven] = await tx
    .select({ id: orgDomains.id })
    .from(orgDomains)
    .where(and(eq(orgDomains.orgId, orgId), eq(orgDomains.domain, domain), isNotNull(orgDomains.verifiedAt)));
  if (!proven)
    throw new ScimError(
      'invalidValue',
      `emails: the organization has not proven the domain ${domain}. An owner proves it under Settings > Single sign-on, or an admin invites the person, who can then be provisioned.`,
    );
}

const columnsOf = ({
  userName,
  externalId,
  displayName,
  givenName,
  familyName,
  email,
}: Omit<UserAttributes, 'active'>) => ({
  ...{ userName, externalId, displayName, givenName, familyName, email },
});

/** The outcome of a change. */
export interface UserChange {
  user: ScimUser;
  /** Names of the attributes that changed. */
  changed: string[];
  access: AccessChange[];
}

/**
 * Adds a member by an address of a proven domain, without a mail: an address without an account gets a placeholder account, and an
 * account that has not verified the address gets no access until it does. Links a member who was invited by the address or has verified
 * it, and whom the identity provider has not linked yet.
 * @throws ScimError `uniqueness`, `invalidValue`; a unique violation or GivenUp if the account changes at the same moment
 */
export async function createUser(
  tx: Tx,
  context: ScimContext & { nextId: () => NewId },
  attributes: UserAttributes & { email: string },
): Promise<UserChange & { joined?: { projectAccess: ProjectAccess } }> {
  const { actor, config, org } = context;
  const { email: address, active } = attributes;
  const createdAt = actor.now;
  const found = await findInvitee(tx, address, 'viewer');
  const [member] = found ? await select(tx, context, eq(memberships.userId, found.userId)) : [];
  if (member?.isLinked || (member && !found?.verified && member.email !== address))
    throw new ScimError('uniqueness', 'A user with this address exists.');
  if (found && !member && (await membershipOf(tx, org.id, found.userId)))
    throw new ScimError('uniqueness', 'A member has this address, but has not verified it.');
  await requireFreeName(tx, context, attributes.userName, member?.id);
  const values = { orgId: org.id, ...columnsOf(attributes), createdAt, updatedAt: createdAt };
  if (member) {
    await tx.insert(s).values({ ...values, userId: member.id });
    const access = active === member.active ? [] : [await setActive(tx, context, member, active)];
    access.push(...(await applyRoles(tx, context, [member.id])));
    const user = await requireUser(tx, context, member.id);
    return { user, changed: Object.keys(attributes), access };
  }
  await requireProvenDomain(tx, org.id, address);
  await requireNotDeclined(tx, org.id, address, createdAt);
  const { otherwise: role, projectAccess: usual } = await roleRulesOf(tx, org.id);
  const { userId, isPlaceholder, verified } = found ?? (await insertPlaceholder(tx, context, address, role));
  const projectAccess = await accessOnReturn(tx, org.tables, userId, usual);
  await tx.insert(memberships).values({
    ...{ orgId: org.id, userId, role, roleProvisioned: true, createdAt },
    projectAccess,
    invitedEmail: address,
    confirmedAt: verified ? createdAt : null,
    // Somebody may have registered an address that is not theirs.
    isHeld: !verified && !isPlaceholder,
    suspendedAt: active ? null : createdAt,
  });
  await requireNoMore(tx, config, 'membersPerOrg', memberships, eq(memberships.orgId, org.id));
  await markUsed(tx, org.id);
  await tx.insert(s).values({ ...values, userId });
  // A former member may still be the assignee of a rule.
  if (!isPlaceholder) await run(tx, reloadRulesOf(org.tables, userId));
  if (isControlling(role)) await mailRoleChange(tx, actor, { orgId: org.id, userId, to: role });
  const user = await requireUser(tx, context, userId);
  return { user, changed: Object.keys(attributes), access: [], joined: { projectAccess } };
}

/** Changes what the identity provider says about a member. @throws ApiError `resource_error/not_found`, ScimError */
export async function changeUser(
  tx: Tx,
  context: ScimContext,
  id: string,
  changes: Partial<UserAttributes>,
): Promise<UserChange> {
  const { actor, org } = context;
  const before = await requireUser(tx, context, id);
  const { active = before.active, ...attributes } = changes;
  const after = columnsOf({ ...before, ...attributes });
  // Without an address the one of the membership is shown.
  if (after.email === null && before.email === before.address) after.email = before.address;
  const changed = Object.entries({ ...after, active })
    .filter(([name, value]) => value !== before[name as keyof UserAttributes])
    .map(([name]) => name);
  if (changed.length === 0) return { user: before, changed, access: [] };
  if (changed.includes('userName')) await requireFreeName(tx, context, after.userName, id);
  const updatedAt = actor.now;
  await tx
    .insert(s)
    .values({ orgId: org.id, userId: id, ...after, createdAt: updatedAt, updatedAt })
    .onConflictDoUpdate({ target: [s.orgId, s.userId], set: { ...after, updatedAt } });
  const access = active === before.active ? [] : [await setActive(tx, context, before, active)];
  return { user: await requireUser(tx, context, id), changed, access };
}

/** Removes a member. @throws ApiError `resource_error/not_found`, ScimError `mutability` for the last owner */
export async function removeUser(
  tx: Tx,
  context: ScimContext,
  id: string,
): Promise<{ user: ScimUser; access: [AccessChange] }> {
  const { actor, org } = context;
  const user = await requireUser(tx, context, id);
  const { role: from } = user;
  if (from === 'owner') await keepOwner(tx, context, id);
  if (isControlling(from))
    await mailRoleChange(tx, actor, { orgId: org.id, userId: id, from, reason: 'removed by provisioning' });
  await endAccess(tx, org.id, id, actor.now);
  const tokens = await endMembership(tx, org, id, actor);
  return { user, access: [{ userId: id, email: user.address, from, to: from, tokens }] };
}
