import {
  changeGroup,
  createGroup,
  GROUP_FILTERS,
  type GroupAttributes,
  type GroupChange,
  listGroups,
  membersOf,
  removeGroup,
  requireGroup,
  type ScimGroup,
} from '../../scim/groups.ts';
import { GROUP_SCHEMA } from '../../scim/schemas.ts';
import { changesOf, newValues } from '../audit.ts';
import { accessEntries } from './access.ts';
import { groupChanges, wholeGroup } from './attributes.ts';
import { inScim } from './call.ts';
import type { ScimHandler, ScimRequest, ScimResource } from './handler.ts';

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

/** The groups with their members, if the request asks for these: then of a list only the first groups, as many as fit into a page. */
async function toGroups({ base, call, shows }: ScimRequest, groups: readonly ScimGroup[]) {
  if (!shows('members')) return groups.map((group) => toGroup(base, group, undefined));
  const ids = groups.map(({ id }) => id);
  const members = await membersOf(call.db, call.org.id, ids);
  return groups.flatMap((group) => {
    const found = members.get(group.id);
    return found ? [toGroup(base, group, found)] : [];
  });
}

const targetOf = ({ id, displayName }: ScimGroup) => ({ type: 'group', id, name: displayName }) as const;

/** The ids that an entry of the audit log has. */
const MOST_IDS = 100;

const listed = (ids: readonly string[]) =>
  ids.length > MOST_IDS
    ? [...ids.slice(0, MOST_IDS), `and ${ids.length - MOST_IDS} more`]
    : ids.length > 0
      ? ids
      : undefined;

const membersIn = ({ added, removed, unknown }: Pick<GroupChange, 'added' | 'removed' | 'unknown'>) =>
  newValues({
    members_added: listed(added),
    members_removed: listed(removed),
    members_unknown: listed(unknown),
  });

export const getGroups: ScimHandler = async (request) => {
  const { call, page } = request;
  const { total, groups } = await listGroups(call.db, call.org.id, page(GROUP_FILTERS));
  return { total, resources: await toGroups(request, groups) };
};

const one = async (request: ScimRequest, group: ScimGroup) => {
  const [resource] = await toGroups(request, [group]);
  return { resource };
};

export const getGroup: ScimHandler = async (request) =>
  one(request, await requireGroup(request.call.db, request.call.org.id, request.id));

export const postGroup: ScimHandler = async (request) => {
  const { members = new Set<string>(), ...attributes } = wholeGroup(request.body);
  const { group } = await inScim(
    request.call,
    (tx, context) => createGroup(tx, context, { ...attributes, members }),
    (made) => [
      { action: 'group.created', target: targetOf(made.group), changes: membersIn(made) },
      ...accessEntries(made.access),
    ],
  );
  return { status: 201, ...(await one(request, group)) };
};

const change = (
  { call, id }: ScimRequest,
  changesTo: (before: GroupAttributes) => GroupAttributes,
): Promise<GroupChange> =>
  inScim(
    call,
    (tx, context) => changeGroup(tx, context, id, changesTo),
    ({ access, before, group, isChanged, ...members }) => {
      const changes = {
        ...changesOf(before, group, ['displayName', 'externalId']),
        ...membersIn(members),
      };
      return isChanged
        ? [{ action: 'group.changed', target: targetOf(group), changes }, ...accessEntries(access)]
        : [];
    },
  );

export const putGroup: ScimHandler = async (request) => {
  const whole = wholeGroup(request.body);
  const { group } = await change(request, (before) => ({ ...before, ...whole }));
  return one(request, group);
};

/** Answers without a body: a group may have thousands of members. */
export const patchGroup: ScimHandler = async (request) => {
  await change(request, groupChanges(request.body));
  return { status: 204 };
};

export const deleteGroup: ScimHandler = async ({ call, id }) => {
  await inScim(
    call,
    (tx, context) => removeGroup(tx, context, id),
    ({ access, group }) => [{ action: 'group.deleted', target: targetOf(group) }, ...accessEntries(access)],
  );
  return { status: 204 };
};
