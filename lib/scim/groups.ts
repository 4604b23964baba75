import { and, asc, count, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { scimGroupMembers as m, scimGroups as t } from '../../db/schema/scim.ts';
import { arrayText, run } from '../../db/statements.ts';
import { ApiError } from '../errors.ts';
import { ScimError } from './error.ts';
import { type AccessChange, applyRoles, grouped, isAnyOf, type ScimContext } from './roles.ts';

/* Groups of a provider. Their names give roles by the mappings of the connections for single sign-on. */

const MAX_GROUPS = 1_000;

export interface ScimGroup {
  id: string;
  displayName: string;
  externalId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The attributes that a provider sets. */
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
  sql`exists (select from ${m} where ${m.groupId} = ${t.id} and ${m.userId}::text = ${value.toLowerCase()})`;

/** The attributes of a filter, as conditions. */
export const GROUP_FILTERS: Readonly<Record<string, (value: string) => SQL | undefined>> = {
  id: (value) => sql`${t.id}::text = ${value.toLowerCase()}`,
  displayname: (value) => sql`lower(${t.displayName}) = lower(${value})`,
  externalid: (value) => eq(t.externalId, value),
  members: hasMember,
  'members.value': hasMember,
};

/** A page of the groups of an organization, the oldest first. */
export async function listGroups(
  db: Db | Tx,
  orgId: string,
  { where, offset, limit }: { where?: SQL | undefined; offset: number; limit: number },
): Promise<{ total: number; groups: ScimGroup[] }> {
  const matches = and(eq(t.orgId, orgId), where);
  const [row] = await db.select({ total: count() }).from(t).where(matches);
  const groups = await db
    .select(fields)
    .from(t)
    .where(matches)
    .orderBy(asc(t.createdAt), asc(t.id))
    .offset(offset)
    .limit(limit);
  return { total: row?.total ?? 0, groups };
}

/** @throws ApiError `resource_error/not_found` */
export async function requireGroup(db: Db | Tx, orgId: string, id: string): Promise<ScimGroup> {
  const { groups } = await listGroups(db, orgId, { where: GROUP_FILTERS.id?.(id), offset: 0, limit: 1 });
  const [group] = groups;
  if (!group) throw new ApiError('resource_error/not_found', { message: 'The group does not exist.' });
  return group;
}

/** The ids of the members of groups, by the ids of the groups. */
export async function membersOf(db: Db | Tx, groupIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db
    .select({ groupId: m.groupId, userId: m.userId })
    .from(m)
    .where(isAnyOf(m.groupId, groupIds))
    .orderBy(m.userId);
  const byGroup = grouped(rows, ({ groupId }) => groupId);
  return new Map([...byGroup].map(([id, found]) => [id, found.map(({ userId }) => userId)]));
}

/** The outcome of a change. */
export interface GroupChange {
  group: ScimGroup;
  added: string[];
  removed: string[];
  access: AccessChange[];
}

/** @throws ScimError `uniqueness` if another group has the name */
async function requireFreeName(tx: Tx, orgId: string, name: string, ownId?: string): Promise<void> {
  const other = ownId === undefined ? undefined : ne(t.id, ownId);
  const { total } = await listGroups(tx, orgId, {
    where: and(GROUP_FILTERS.displayname?.(name), other),
    ...{ offset: 0, limit: 0 },
  });
  if (total > 0) throw new ScimError('uniqueness', 'A group with this displayName exists.');
}

/** Inserts the members that are new and removes those that are left out. @throws ScimError `invalidValue` for an unknown user */
async function setMembers(
  tx: Tx,
  orgId: string,
  groupId: string,
  { before, after }: { before: ReadonlySet<string>; after: ReadonlySet<string> },
): Promise<{ added: string[]; removed: string[] }> {
  const added = [...after].filter((id) => !before.has(id));
  const removed = [...before].filter((id) => !after.has(id));
  if (added.length > 0) {
    const inserted = await run(
      tx,
      sql`insert into ${m} (group_id, org_id, user_id)
        select ${groupId}::uuid, org_id, user_id from ${memberships}
        where org_id = ${orgId}::uuid and user_id = any (${arrayText(added)}::uuid[]) returning user_id`,
    );
    if (inserted.length < added.length)
      throw new ScimError('invalidValue', 'members: one of the values is the id of no user.');
  }
  if (removed.length > 0) await tx.delete(m).where(and(eq(m.groupId, groupId), isAnyOf(m.userId, removed)));
  return { added, removed };
}

export async function createGroup(
  tx: Tx,
  context: ScimContext & { nextId: () => NewId },
  { displayName, externalId, members }: GroupAttributes,
): Promise<GroupChange> {
  const { org } = context;
  await requireFreeName(tx, org.id, displayName);
  if ((await tx.$count(t, eq(t.orgId, org.id))) >= MAX_GROUPS)
    throw new ApiError('resource_error/conflict', {
      message: `An organization can have at most ${MAX_GROUPS} groups.`,
    });
  const { id, at } = context.nextId();
  await tx.insert(t).values({ id, orgId: org.id, displayName, externalId, createdAt: at, updatedAt: at });
  const { added } = await setMembers(tx, org.id, id, { before: new Set(), after: members });
  const access = await applyRoles(tx, context, added);
  return { group: await requireGroup(tx, org.id, id), added, removed: [], access };
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
): Promise<GroupChange & { before: ScimGroup }> {
  const { actor, org } = context;
  const group = await requireGroup(tx, org.id, id);
  const before = new Set((await membersOf(tx, [group.id])).get(group.id));
  const after = changesOf({ ...group, members: before });
  const { displayName, externalId } = after;
  const isRenamed = displayName !== group.displayName;
  if (isRenamed) await requireFreeName(tx, org.id, displayName, group.id);
  const { added, removed } = await setMembers(tx, org.id, group.id, { before, after: after.members });
  const isChanged = isRenamed || externalId !== group.externalId || added.length + removed.length > 0;
  if (isChanged)
    await tx.update(t).set({ displayName, externalId, updatedAt: actor.now }).where(eq(t.id, group.id));
  // Another name may be mapped to another role.
  const affected = isRenamed ? [...before, ...after.members] : [...added, ...removed];
  const access = await applyRoles(tx, context, affected);
  return { before: group, group: await requireGroup(tx, org.id, group.id), added, removed, access };
}

export async function removeGroup(
  tx: Tx,
  context: ScimContext,
  id: string,
): Promise<{ group: ScimGroup; access: AccessChange[] }> {
  const group = await requireGroup(tx, context.org.id, id);
  const members = (await membersOf(tx, [group.id])).get(group.id) ?? [];
  await tx.delete(t).where(eq(t.id, group.id));
  return { group, access: await applyRoles(tx, context, members) };
}
