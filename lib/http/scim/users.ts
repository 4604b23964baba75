import { ScimError } from '../../scim/error.ts';
import { USER_SCHEMA } from '../../scim/schemas.ts';
import {
  changeUser,
  createUser,
  listUsers,
  removeUser,
  requireUser,
  type ScimUser,
  USER_FILTERS,
  type UserAttributes,
  type UserChange,
} from '../../scim/users.ts';
import { newValues, tokensRevoked } from '../audit.ts';
import { email } from '../fields.ts';
import { logSecurityEvent } from '../security-log.ts';
import { accessEntries, actionOf, effectOf } from './access.ts';
import { userChanges, wholeUser } from './attributes.ts';
import { type Entry, inScim, type ScimCall } from './call.ts';
import type { ScimHandler, ScimResource } from './handler.ts';

const toUser = (base: string, user: ScimUser): ScimResource => {
  const { id, userName, externalId, displayName, groups } = user;
  const { givenName, familyName } = namesOf(user);
  const fullName = [givenName, familyName].filter(Boolean).join(' ');
  const location = `${base}/Users/${id}`;
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    name: {
      ...(givenName !== null && { givenName }),
      ...(familyName !== null && { familyName }),
      formatted: fullName || (displayName ?? userName),
    },
    displayName: displayName ?? (fullName || user.name),
    emails: [{ value: user.email, type: 'work', primary: true }],
    active: user.active,
    groups: groups.map((group) => ({
      value: group.id,
      display: group.displayName,
      $ref: `${base}/Groups/${group.id}`,
    })),
    meta: { resourceType: 'User', created: user.createdAt, lastModified: user.updatedAt, location },
  };
};

/** The names of a user: those of the identity provider, otherwise the parts of the account's name. */
function namesOf({ isLinked, givenName, familyName, name }: ScimUser) {
  if (isLinked) return { givenName, familyName };
  const [, first = name, last = null] = /^(.*\S)\s+(\S+)$/.exec(name) ?? [];
  return { givenName: first, familyName: last };
}

const targetOf = ({ address, id }: ScimUser) => ({ type: 'member', id, name: address }) as const;

/** The entry of a changed user. Values of attributes are personal data, which an entry never holds. */
function entriesOf({ user, changed, access: [change, ...others] }: UserChange): Entry[] {
  if (changed.length === 0) return [];
  const action = change ? actionOf(change) : 'member.changed';
  const changes = { ...newValues({ attributes: changed }), ...(change && effectOf(change)) };
  return [{ action, target: targetOf(user), changes }, ...accessEntries(others)];
}

const contextOf = ({ org, services }: ScimCall) => ({ config: services.config, org });

export const getUsers: ScimHandler = async ({ base, call, page, shows }) => {
  const asked = { ...page(USER_FILTERS), showsGroups: shows('groups') };
  const { total, users } = await listUsers(call.db, contextOf(call), asked);
  return { total, resources: users.map((user) => toUser(base, user)) };
};

export const getUser: ScimHandler = async ({ base, call, id }) => ({
  resource: toUser(base, await requireUser(call.db, contextOf(call), id)),
});

export const postUser: ScimHandler = async ({ base, body, call }) => {
  const given = wholeUser(body);
  const address = email().safeParse(given.email ?? given.userName);
  if (!address.success)
    throw new ScimError('invalidValue', 'emails: an address is required, or a userName that is one.');
  const attributes = { active: true, ...given, email: address.data };
  const { joined, user } = await inScim(
    call,
    (tx, context) => createUser(tx, context, attributes),
    (made) =>
      made.joined
        ? [
            {
              action: 'member.joined',
              target: targetOf(made.user),
              changes: newValues({
                role: made.user.role,
                project_access: made.joined.projectAccess,
                suspended: made.user.active ? undefined : true,
              }),
            },
          ]
        : entriesOf(made),
  );
  if (joined) logSecurityEvent(call, 'member_provisioned', { member: user.id, role: user.role });
  return { status: 201, resource: toUser(base, user) };
};

const change = async (base: string, call: ScimCall, id: string, changes: Partial<UserAttributes>) => {
  const { user } = await inScim(call, (tx, context) => changeUser(tx, context, id, changes), entriesOf);
  return { resource: toUser(base, user) };
};

export const putUser: ScimHandler = ({ base, body, call, id }) => change(base, call, id, wholeUser(body));

export const patchUser: ScimHandler = ({ base, body, call, id }) => change(base, call, id, userChanges(body));

export const deleteUser: ScimHandler = async ({ call, id }) => {
  const { user } = await inScim(
    call,
    (tx, context) => removeUser(tx, context, id),
    ({ access: [{ tokens }], user }) => [
      {
        action: 'member.removed',
        target: targetOf(user),
        changes: { role: { from: user.role }, ...tokensRevoked(tokens) },
      },
    ],
  );
  logSecurityEvent(call, 'member_removed', { member: user.id, role: user.role });
  return { status: 204 };
};
