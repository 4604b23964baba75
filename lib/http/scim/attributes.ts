import { text, uuid, z } from '../../schema.ts';
import { ScimError } from '../../scim/error.ts';
import type { GroupAttributes } from '../../scim/groups.ts';
import type { UserAttributes } from '../../scim/users.ts';
import { email } from '../fields.ts';

/*
 * The attributes in requests of identity providers. Names are case-insensitive, with or without the URN of the schema. Attributes that the
 * service does not keep are ignored (RFC 7644, 3.3). Entra ID sends booleans as text, and patches without a path; Okta replaces.
 */

type Values = Readonly<Record<string, unknown>>;

const URN = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** The name of an attribute in lower case, without the URN of the schema. */
export const plainName = (name: string): string => name.toLowerCase().replace(URN, '');

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of an object by their names in lower case. */
export const byName = (value: Values): Values =>
  Object.fromEntries(Object.entries(value).map(([name, one]) => [plainName(name), one]));

function valid<T>(schema: z.ZodType<T>, name: string, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ScimError('invalidValue', `${name}: ${parsed.error.issues[0]?.message ?? 'is invalid'}`);
}

const line = (max: number) => text({ min: 1, max, trim: true });
const isNothing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '');
const orNull = <T>(schema: z.ZodType<T>) =>
  z.preprocess((value) => (isNothing(value) ? null : value), schema.nullable());

/** Entra ID sends booleans as text. */
const isTrue = (given: unknown): boolean =>
  given === true || (typeof given === 'string' && given.toLowerCase() === 'true');

const active = z.union([
  z.boolean(),
  z
    .string()
    .regex(/^(?:true|false)$/i, 'must be a boolean')
    .transform(isTrue),
]);

/** The address that counts: the primary one, that of work, or the first. */
function addressIn(value: unknown): unknown {
  if (!Array.isArray(value)) return isObject(value) ? byName(value).value : value;
  const all = value.map((one): Values => (isObject(one) ? byName(one) : { value: one }));
  const found =
    all.find(({ primary }) => isTrue(primary)) ?? all.find(({ type }) => type === 'work') ?? all[0];
  return found?.value;
}

/** Sets one attribute of a user, named as `byName` does. Null removes it. */
function setOfUser(into: Partial<UserAttributes>, name: string, value: unknown): void {
  switch (name) {
    case 'username':
      into.userName = valid(line(320), 'userName', value);
      break;
    case 'externalid':
      into.externalId = valid(orNull(line(512)), 'externalId', value);
      break;
    case 'displayname':
      into.displayName = valid(orNull(line(256)), 'displayName', value);
      break;
    case 'name':
      if (value === null) Object.assign(into, { givenName: null, familyName: null });
      else setAll(into, valid(z.looseObject({}), 'name', value), 'name.');
      break;
    case 'name.givenname':
      into.givenName = valid(orNull(line(256)), 'name.givenName', value);
      break;
    case 'name.familyname':
      into.familyName = valid(orNull(line(256)), 'name.familyName', value);
      break;
    case 'emails':
    case 'emails.value':
      into.email = valid(orNull(email()), 'emails', addressIn(value));
      break;
    case 'active':
      into.active = valid(active, 'active', value);
  }
}

function setAll(into: Partial<UserAttributes>, values: Values, prefix = ''): void {
  for (const [name, value] of Object.entries(values)) setPath(into, parsePath(prefix + name), value);
}

/** One address is kept: the primary one, or that of work. */
function setPath(into: Partial<UserAttributes>, { name, filter }: Path, value: unknown): void {
  const { type = 'work', primary = 'true', ...others } = filter ?? {};
  const isKept = type.toLowerCase() === 'work' && isTrue(primary) && Object.keys(others).length === 0;
  if (isKept) setOfUser(into, name, value);
}

const NOTHING = { externalId: null, displayName: null, givenName: null, familyName: null };

/** The attributes of a body that describes a whole user: those that are left out are removed, except `active` and the address. */
export function wholeUser(
  body: Values,
): Omit<UserAttributes, 'active' | 'email'> & Partial<Pick<UserAttributes, 'active' | 'email'>> {
  const given: Partial<UserAttributes> = {};
  setAll(given, body);
  const { userName = valid(line(320), 'userName', undefined), ...others } = given;
  const { name } = byName(body);
  const formatted = isObject(name) ? byName(name).formatted : undefined;
  const user = { ...NOTHING, ...others, userName };
  if (!user.displayName && !user.givenName && !user.familyName)
    user.displayName = valid(orNull(line(256)), 'name.formatted', formatted);
  return user;
}

/** A path of an attribute, such as `emails[type eq "work"].value`. */
interface Path {
  /** Named as `byName` does, with the sub-attribute. */
  name: string;
  /** The values that the filter asks for, by attribute. */
  filter: Readonly<Record<string, string>> | undefined;
}

/** One operation of a PATCH request. */
interface Operation {
  op: 'add' | 'remove' | 'replace';
  /** Unset: the value has the attributes. */
  path: Path | undefined;
  value: unknown;
}

const OPERATIONS = z.array(z.looseObject({})).min(1).max(1_000);
const OP = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['add', 'remove', 'replace']));
const PATH = /^([\w$:.-]{1,200})(?:\[([^\]]{1,600})\](\.\w{1,50})?)?$/;
const CONDITION = /^([\w.]{1,50}) +eq +(?:"([^"\\]{0,500})"|(true|false))$/i;

/** @throws ScimError `invalidPath` */
function parsePath(path: unknown): Path {
  const [, name, filter, sub = ''] = (typeof path === 'string' && PATH.exec(path.trim())) || [];
  if (name === undefined) throw new ScimError('invalidPath', 'The path is not supported.');
  return {
    name: plainName(name) + sub.toLowerCase(),
    filter: filter === undefined ? undefined : filterIn(filter),
  };
}

function filterIn(filter: string): Record<string, string> {
  const conditions = filter.split(/ and /i).map((one) => {
    const [, name, text, boolean] = CONDITION.exec(one.trim()) ?? [];
    const value = text ?? boolean;
    if (name === undefined || value === undefined)
      throw new ScimError('invalidPath', 'A filter in a path compares with eq only, combined with and.');
    return [name.toLowerCase(), value] as const;
  });
  return Object.fromEntries(conditions);
}

/** @throws ScimError `invalidSyntax`, `invalidPath` */
function operationsOf(body: Values): Operation[] {
  const { operations } = byName(body);
  const parsed = OPERATIONS.safeParse(operations);
  if (!parsed.success)
    throw new ScimError('invalidSyntax', 'Operations must be an array of 1 to 1000 objects.');
  return parsed.data.map((given) => {
    const { op, path, value } = byName(given);
    const known = OP.safeParse(op);
    if (!known.success) throw new ScimError('invalidSyntax', 'op must be add, remove or replace.');
    if (path !== undefined && path !== null && path !== '')
      return { op: known.data, path: parsePath(path), value };
    if (known.data === 'remove') throw new ScimError('invalidPath', 'remove requires a path.');
    return { op: known.data, path: undefined, value };
  });
}

const attributesIn = (value: unknown): Values => valid(z.looseObject({}), 'value', value);

/** @throws ScimError */
export function userChanges(body: Values): Partial<UserAttributes> {
  const changes: Partial<UserAttributes> = {};
  for (const { op, path, value } of operationsOf(body)) {
    if (path) setPath(changes, path, op === 'remove' ? null : value);
    else setAll(changes, attributesIn(value));
  }
  return changes;
}

const memberId = uuid();
const MEMBER = z.looseObject({ value: memberId });

/** The ids of members in a request: of objects, or the ids themselves. */
function idsIn(value: unknown): string[] {
  if (value === undefined || value === null) throw new ScimError('invalidValue', 'members: must be a list.');
  return [value]
    .flat()
    .map((one) =>
      isObject(one) ? valid(MEMBER, 'members', byName(one)).value : valid(memberId, 'members', one),
    );
}

/** The attributes of a body that describes a whole group. Members that are left out stay. */
export function wholeGroup(
  body: Values,
): Omit<GroupAttributes, 'members'> & Partial<Pick<GroupAttributes, 'members'>> {
  const { displayname, externalid, members } = byName(body);
  return {
    displayName: groupName(displayname),
    externalId: externalIdOf(externalid),
    ...(members !== undefined && { members: new Set(idsIn(members)) }),
  };
}

const groupName = (value: unknown): string => valid(line(256), 'displayName', value);
const externalIdOf = (value: unknown): string | null => valid(orNull(line(512)), 'externalId', value);

/** The change of a group by a PATCH request. @throws ScimError */
export function groupChanges(body: Values): (before: GroupAttributes) => GroupAttributes {
  const operations = operationsOf(body).flatMap(({ op, path, value }): Operation[] =>
    path
      ? [{ op, path, value }]
      : Object.entries(attributesIn(value)).map(([name, one]) => ({ op, path: parsePath(name), value: one })),
  );
  return (before) => {
    const group = { ...before, members: new Set(before.members) };
    for (const { op, path, value } of operations) {
      if (path?.name === 'members') changeMembers(group.members, op, path, value);
      else if (path?.name === 'displayname') group.displayName = groupName(op === 'remove' ? null : value);
      else if (path?.name === 'externalid') group.externalId = externalIdOf(op === 'remove' ? null : value);
    }
    return group;
  };
}

/** @throws ScimError */
function changeMembers(members: Set<string>, op: Operation['op'], { filter }: Path, value: unknown): void {
  if (filter) {
    const { value: id, ...others } = filter;
    if (op !== 'remove' || id === undefined || Object.keys(others).length > 0)
      throw new ScimError('invalidPath', 'members[value eq "…"] is supported with remove only.');
    members.delete(id.toLowerCase());
    return;
  }
  const isAll = op === 'replace' || (op === 'remove' && (value === undefined || value === null));
  const ids = op === 'remove' && isAll ? [] : idsIn(value);
  if (isAll) members.clear();
  for (const id of ids) {
    if (op === 'remove') members.delete(id);
    else members.add(id);
  }
}
