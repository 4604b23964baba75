import type { AuditAction } from '../../audit/actions.ts';
import { ScimError } from '../../scim/error.ts';
import type { AccessChange } from '../../scim/roles.ts';
import { USER_SCHEMA } from '../../scim/schemas.ts';
import {
  changeUser,
  createUser,
  listUsers,
  nameOf,
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
import { userChanges, wholeUser } from './attributes.ts';
import { type Entry, inScim, type ScimCall } from './call.ts';
import type { ScimHandler, ScimResource } from './handler.ts';

const toUser = (base: string, user: ScimUser): ScimResource => {
  const { id, userName, externalId, displayName, givenName, familyName, groups } = user;
  const location = `${base}/Users/${id}`;
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    userName,
    name: {
      ...(givenName !== null && { givenName }),
      ...(familyName !== null && { familyName }),
      formatted: [givenName, familyName].filter(Boolean).join(' ') || (displayName ?? userName),
    },
    displayName: nameOf(user) ?? userName,
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

/** The entry of a changed user. Values of attributes are personal data, which an entry never holds. */
function entryOf({ user, changed, access }: UserChange): Entry | undefined {
  if (changed.length === 0) return undefined;
  const [change] = access;
  const target = { type: 'member', id: user.id, name: user.email ?? user.userName } as const;
  return {
    action: actionOf(change),
    target,
    changes: { ...newValues({ attributes: changed }), ...effectOf(change) },
  };
}

function actionOf(change: AccessChange | undefined): AuditAction {
  if (!change) return 'member.changed';
  if (change.suspended === undefined) return 'member.role_changed';
  return change.suspended ? 'member.suspended' : 'member.reactivated';
}

const effectOf = (change: AccessChange | undefined) =>
  change && {
    ...(change.from !== change.to && { role: { from: change.from, to: change.to } }),
    ...tokensRevoked(change.tokens),
  };

export const getUsers: ScimHandler = async ({ base, call, page }) => {
  const { total, users } = await listUsers(call.db, call.org.id, page(USER_FILTERS));
  return { total, resources: users.map((user) => toUser(base, user)) };
};

export const getUser: ScimHandler = async ({ base, call, id }) => ({
  resource: toUser(base, await requireUser(call.db, call.org.id, id)),
});

export const postUser: ScimHandler = async ({ base, body, call }) => {
  const given = wholeUser(body);
  const address = email().safeParse(given.email ?? given.userName);
  if (!address.success)
    throw new ScimError('invalidValue', 'emails: an address is required, or a userName that is one.');
  const attributes = { active: true, ...given, email: address.data };
  const { user } = await inScim(
    call,
    (tx, context) => createUser(tx, context, attributes),
    (made) => ({
      action: 'member.joined',
      target: { type: 'member', id: made.user.id, name: address.data },
      changes: newValues({
        role: made.user.role,
        suspended: made.access.some(({ suspended }) => suspended) || undefined,
      }),
    }),
  );
  logSecurityEvent(call, 'member_invited', { member: user.id, role: user.role });
  return { status: 201, resource: toUser(base, user) };
};

const change = async (base: string, call: ScimCall, id: string, changes: Partial<UserAttributes>) => {
  const { user } = await inScim(call, (tx, context) => changeUser(tx, context, id, changes), entryOf);
  return { resource: toUser(base, user) };
};

export const putUser: ScimHandler = ({ base, body, call, id }) => change(base, call, id, wholeUser(body));

export const patchUser: ScimHandler = ({ base, body, call, id }) => change(base, call, id, userChanges(body));

export const deleteUser: ScimHandler = async ({ call, id }) => {
  const { user } = await inScim(
    call,
    (tx, context) => removeUser(tx, context, id),
    ({ access: [{ tokens }], user }) => ({
      action: 'member.removed',
      target: { type: 'member', id: user.id, name: user.email ?? user.userName },
      changes: { role: { from: user.role }, ...tokensRevoked(tokens) },
    }),
  );
  logSecurityEvent(call, 'member_removed', { member: user.id, role: user.role });
  return { status: 204 };
};
