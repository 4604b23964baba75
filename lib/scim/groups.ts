import { and, asc, count, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { scimGroupMembers as m, scimGroups as t } from '../../db/schema/scim.ts';
import { arrayText, run } from '../../db/statements.ts';
import { ApiError } from '../errors.ts';
import { ScimError } from './error.ts';
import { type AccessChange, applyRoles, type ScimContext } from './roles.ts';
import { grouped, hasId, isAnyOf } from './rows.ts';

/* Groups of an identity provider. Their names give roles by the mappings of the connections for single sign-on. */

/** The most groups of an organization. */
export const MAX_GROUPS = 1_000;
/** The most members of all groups together. */
const MAX_GROUP_MEMBERS = 100_000;
/** The members in a page of groups, so that its groups fit into the memory of a request. */
const MAX_PAGE_MEMBERS = 10_000;

export interface ScimGroup {
  id: string;
  displayName: string;
  externalId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The attributes that an identity provider sets. */
export interface GroupAttributes {
  displayName: string;
  externalId: string | null;
  /** Ids of users. */
  members: ReadonlySet<string>;
}

const fields = {
  ...{ id: t.id, displayName: t.displayName, externalId: t.externalId },
  ...{ createdAt: t.createdAt, updatedAt: t.updatedAt },
};

const hasMember = (value: string): SQL =>
  sql`exists (select from ${m} where ${m.groupId} = ${t.id} and ${hasId(m.userId, value)})`;

/** The attributes of a filter, as conditions. */
export const GROUP_FILTERS: Readonly<Record<string, (value: string) => SQL | undefined>> = {
  id: (value) => hasId(t.id, value),
  displayname: (value) => sql`lower(${t.displayName}) = lower(${value})`,
  externalid: (value) => eq(t.externalId, value),
  members: hasMember,
  'members.value': hasMember,
};

const ofOrg = (orgId: string, where: SQL | undefined) => and(eq(t.orgId, orgId), where);

/** A page of the groups of an organization, the oldest first. */
export async function listGroups(
  db: Db | Tx,
  orgId: string,
  { where, offset, limit }: { where?: SQL | undefined; offset: number; limit: number },
): Promise<{ total: number; groups: ScimGroup[] }> {
  const total = await db.$count(t, ofOrg(orgId, where));
  const groups = await db
    .select(fields)
    .from(t)
    .where(ofOrg(orgId, where))
    .orderBy(asc(t.createdAt), asc(t.id))
    .offset(offset)
    .limit(limit);
  return { total, groups };
}

/** @throws ApiError `resource_error/not_found` */
export async function requireGroup(db: Db | Tx, orgId: string, id: string): Promise<ScimGroup> {
  const [group] = await db
    .select(fields)
    .from(t)
    .where(ofOrg(orgId, eq(t.id, id)));
  if (!group) throw new ApiError('resource_error/not_found', { message: 'The group does not exist.' });
  return group;
}

/**
 * The ids of the members of groups, by the ids of the groups: of the first groups whose members fit into a page, at least one group.
 */
export async function membersOf(
  db: Db | Tx,
  orgId: string,
  groupIds: readonly string[],
): Promise<Map<string, string[]>> {
  const counts = await db
    .select({ groupId: m.groupId, size: count() })
    .from(m)
    .where(and(eq(m.orgId, orgId), isAnyOf(m.groupId, groupIds)))
    .groupBy(m.groupId);
  const sizes = new Map(counts.map(({ groupId, size }) => [groupId, size]));
  const shown: string[] = [];
  let sum = 0;
  for (const id of groupIds) {
    sum += sizes.get(id) ?? 0;
    if (shown.length > 0 && sum > MAX_PAGE_MEMBERS) break;
    shown.push(id);
  }
  const rows = await db
    .select({ groupId: m.groupId, userId: m.userId })
    .from(m)
    .where(and(eq(m.orgId, orgId), isAnyOf(m.groupId, shown)))
    .orderBy(m.userId);
  const byGroup = grouped(rows, ({ groupId }) => groupId);
  return new Map(shown.map((id) => [id, (byGroup.get(id) ?? []).map(({ userId }) => userId)]));
}

/** The outcome of a change. */
export interface GroupChange {
  group: ScimGroup;
  added: string[];
  removed: string[];
  /** Ids that belong to no member, which are skipped: a person may have been removed here. */
  unknown: string[];
  access: AccessChange[];
}

/** @throws ScimError `uniqueness` if another group has the name */
async function requireFreeName(tx: Tx, orgId: string, name: string, ownId?: string): Promise<void> {
  const other = ownId === undefined ? undefined : ne(t.id, ownId);
  const hasName = and(GROUP_FILTERS.displayname?.(name), other);
  if ((await tx.$count(t, ofOrg(orgId, hasName))) > 0)
    throw new ScimError('uniqueness', 'A group with this displayName exists.');
}

const tooMany = (what: string) =>
  new ApiError('resource_error/conflict', { message: `An organization can have at most ${what}.` });

/** Inserts the members that are new, and removes those that are left out. */
async function setMembers(
  tx: Tx,
  orgId: string,
  groupId: string,
  { before, after }: { before: ReadonlySet<string>; after: ReadonlySet<string> },
): Promise<Pick<GroupChange, 'added' | 'removed' | 'unknown'>> {
  const given = [...after].filter((id) => !before.has(id));
  const removed = [...before].filter((id) => !after.has(id));
  const added: string[] = [];
  if (given.length > 0) {
    const rows = await run<{ user_id: string }>(
      tx,
      sql`insert into ${m} (group_id, org_id, user_id)
        select ${groupId}::uuid, org_id, user_id from ${memberships}
        where org_id = ${orgId}::uuid and user_id = any (${arrayText(given)}::uuid[]) returning user_id`,
    );
    added.push(...rows.map(({ user_id: id }) => id));
    if ((await tx.$count(m, eq(m.orgId, orgId))) > MAX_GROUP_MEMBERS)
      throw tooMany(`${MAX_GROUP_MEMBERS} members in all groups together`);
  }
  if (removed.length > 0)
    await tx
      .delete(m)
      .where(and(...[eq(m.orgId, orgId), eq(m.groupId, groupId), isAnyOf(m.userId, removed)]));
  const isAdded = new Set(added);
  return { added, removed, unknown: given.filter((id) => !isAdded.has(id)) };
}

export async function createGroup(
  tx: Tx,
  context: ScimContext & { nextId: () => NewId },
  { displayName, externalId, members }: GroupAttributes,
): Promise<GroupChange> {
  const { org } = context;
  await requireFreeName(tx, org.id, displayName);
  if ((await tx.$count(t, eq(t.orgId, org.id))) >= MAX_GROUPS) throw tooMany(`${MAX_GROUPS} groups`);
  const { id, at } = context.nextId();
  await tx.insert(t).values({ id, orgId: org.id, displayName, externalId, createdAt: at, updatedAt: at });
  const changed = await setMembers(tx, org.id, id, { before: new Set(), after: members });
  const access = await applyRoles(tx, context, changed.added);
  return { group: await requireGroup(tx, org.id, id), ...changed, access };
}

/**
 * Changes a group, and the roles that it gives.
 * @param changesOf returns the attributes from the present ones
 */
export async function changeGroup(
  tx: Tx,
  context: ScimContext,
  id: string,
  changesOf: (before: GroupAttributes) => GroupAttributes,
): Promise<GroupChange & { before: ScimGroup; isChanged: boolean }> {
  const { actor, org } = context;
  const group = await requireGroup(tx, org.id, id);
  const before = new Set((await membersOf(tx, org.id, [group.id])).get(group.id));
  const after = changesOf({ ...group, members: before });
  const { displayName, externalId } = after;
  const isRenamed = displayName !== group.displayName;
  if (isRenamed) await requireFreeName(tx, org.id, displayName, group.id);
  const changed = await setMembers(tx, org.id, group.id, { before, after: after.members });
  const { added, removed } = changed;
  const isChanged = isRenamed || externalId !== group.externalId || added.length + removed.length > 0;
  if (isChanged)
    await tx
      .update(t)
      .set({ displayName, externalId, updatedAt: actor.now })
      .where(ofOrg(org.id, eq(t.id, group.id)));
  // Another name may be mapped to another role.
  const affected = isRenamed ? [...before, ...after.members] : [...added, ...removed];
  const access = await applyRoles(tx, context, affected);
  return { before: group, group: await requireGroup(tx, org.id, group.id), ...changed, access, isChanged };
}

export async function removeGroup(
  tx: Tx,
  context: ScimContext,
  id: string,
): Promise<{ group: ScimGroup; access: AccessChange[] }> {
  const { id: orgId } = context.org;
  const group = await requireGroup(tx, orgId, id);
  const members = (await membersOf(tx, orgId, [group.id])).get(group.id) ?? [];
  await tx.delete(t).where(ofOrg(orgId, eq(t.id, group.id)));
  return { group, access: await applyRoles(tx, context, members) };
}
