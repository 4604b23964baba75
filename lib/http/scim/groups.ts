import {
  changeGroup,
  createGroup,
  GROUP_FILTERS,
  type GroupAttributes,
  listGroups,
  membersOf,
  removeGroup,
  requireGroup,
  type ScimGroup,
} from '../../scim/groups.ts';
import type { AccessChange } from '../../scim/roles.ts';
import { GROUP_SCHEMA } from '../../scim/schemas.ts';
import { changesOf, newValues } from '../audit.ts';
import { groupChanges, wholeGroup } from './attributes.ts';
import { inScim, type ScimCall } from './call.ts';
import type { ScimHandler, ScimResource } from './handler.ts';

const toGroup = (base: string, group: ScimGroup, members: readonly string[] | undefined): ScimResource => {
  const { id, displayName, externalId } = group;
  const location = `${base}/Groups/${id}`;
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members && {
      members: members.map((value) => ({ value, type: 'User', $ref: `${base}/Users/${value}` })),
    }),
    meta: { resourceType: 'Group', created: group.createdAt, lastModified: group.updatedAt, location },
  };
};

/** Adds the members, unless the request excludes them. */
async function withMembers(call: ScimCall, base: string, groups: readonly ScimGroup[], isExcluded: boolean) {
  const ids = groups.map(({ id }) => id);
  const members = isExcluded ? undefined : await membersOf(call.db, ids);
  return groups.map((group) => toGroup(base, group, members && (members.get(group.id) ?? [])));
}

const targetOf = ({ id, displayName }: ScimGroup) => ({ type: 'group', id, name: displayName }) as const;

/** Lists in an entry of the audit log. */
const listed = (access: readonly AccessChange[], members: { added?: string[]; removed?: string[] } = {}) => {
  const orNone = <T>(values: readonly T[] = []) => (values.length > 0 ? values : undefined);
  return newValues({
    members_added: orNone(members.added),
    members_removed: orNone(members.removed),
    access: orNone(access.map(({ userId, to, suspended }) => ({ id: userId, role: to, suspended }))),
    tokens_revoked: orNone(access.flatMap(({ tokens }) => tokens.map(({ id }) => id))),
  });
};

export const getGroups: ScimHandler = async ({ base, call, excludesMembers, page }) => {
  const { total, groups } = await listGroups(call.db, call.org.id, page(GROUP_FILTERS));
  return { total, resources: await withMembers(call, base, groups, excludesMembers) };
};

export const getGroup: ScimHandler = async ({ base, call, excludesMembers, id }) => {
  const group = await requireGroup(call.db, call.org.id, id);
  const [resource] = await withMembers(call, base, [group], excludesMembers);
  return { resource };
};

export const postGroup: ScimHandler = async ({ base, body, call }) => {
  const attributes = wholeGroup(body);
  const { group } = await inScim(
    call,
    (tx, context) => createGroup(tx, context, attributes),
    (made) => ({ action: 'group.created', target: targetOf(made.group), changes: listed(made.access, made) }),
  );
  const [resource] = await withMembers(call, base, [group], false);
  return { status: 201, resource };
};

const change = (call: ScimCall, id: string, changesTo: (before: GroupAttributes) => GroupAttributes) =>
  inScim(
    call,
    (tx, context) => changeGroup(tx, context, id, changesTo),
    ({ access, added, before, group, removed }) => {
      const changes = {
        ...changesOf(before, group, ['displayName', 'externalId']),
        ...listed(access, { added, removed }),
      };
      return Object.keys(changes).length > 0
        ? { action: 'group.changed', target: targetOf(group), changes }
        : undefined;
    },
  );

export const putGroup: ScimHandler = async ({ base, body, call, id }) => {
  const whole = wholeGroup(body);
  const { group } = await change(call, id, () => whole);
  const [resource] = await withMembers(call, base, [group], false);
  return { resource };
};

/** Answers without a body: a group may have thousands of members. */
export const patchGroup: ScimHandler = async ({ body, call, id }) => {
  await change(call, id, groupChanges(body));
  return { status: 204 };
};

export const deleteGroup: ScimHandler = async ({ call, id }) => {
  await inScim(
    call,
    (tx, context) => removeGroup(tx, context, id),
    ({ access, group }) => ({ action: 'group.deleted', target: targetOf(group), changes: listed(access) }),
  );
  return { status: 204 };
};
