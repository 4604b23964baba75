import { text, uuid, z } from '../../schema.ts';
import { ScimError } from '../../scim/error.ts';
import type { GroupAttributes } from '../../scim/groups.ts';
import type { UserAttributes } from '../../scim/users.ts';
import { email } from '../fields.ts';

/*
 * The attributes in requests of providers. Names are case-insensitive, with or without the URN of the schema. Attributes that the
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
const orNull = <T>(schema: z.ZodType<T>) =>
  z.preprocess((value) => (value === '' || value === undefined ? null : value), schema.nullable());

const active = z.union([
  z.boolean(),
  z
    .string()
    .regex(/^(?:true|false)$/i, 'must be a boolean')
    .transform((given) => given.toLowerCase() === 'true'),
]);

/** The address that counts: the primary one, that of work, or the first. */
function addressIn(value: unknown): unknown {
  if (!Array.isArray(value)) return isObject(value) ? byName(value).value : value;
  const all = value.map((one): Values => (isObject(one) ? byName(one) : { value: one }));
  const isTrue = (given: unknown) => given === true || String(given).toLowerCase() === 'true';
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
      into.externalId = valid(orNull(line(500)), 'externalId', value);
      break;
    case 'displayname':
      into.displayName = valid(orNull(line(200)), 'displayName', value);
      break;
    case 'name':
      if (value === null) Object.assign(into, { givenName: null, familyName: null });
      else setAll(into, valid(z.looseObject({}), 'name', value), 'name.');
      break;
    case 'name.givenname':
      into.givenName = valid(orNull(line(200)), 'name.givenName', value);
      break;
    case 'name.familyname':
      into.familyName = valid(orNull(line(200)), 'name.familyName', value);
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
  for (const [name, value] of Object.entries(byName(values))) setOfUser(into, prefix + name, value);
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
    user.displayName = valid(orNull(line(200)), 'name.formatted', formatted);
  return user;
}

/** One operation of a PATCH request. */
interface Operation {
  op: 'add' | 'remove' | 'replace';
  /** Named as `byName` does; unset: the value has the attributes. */
  path: string | undefined;
  /** The value of the filter in the path, such as `work` in `emails[type eq "work"].value`. */
  selected: string | undefined;
  value: unknown;
}

const OPERATIONS = z.array(z.looseObject({})).min(1).max(1_000);
const OP = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['add', 'remove', 'replace']));
const PATH =
  /^([\w$:.-]{1,200})(?:\[ *[\w.]{1,50} +eq +(?:"([^"\\\]]{0,500})"|true|false) *\](\.\w{1,50})?)?$/i;

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
    if (path === undefined || path === null || path === '') {
      if (known.data === 'remove') throw new ScimError('invalidPath', 'remove requires a path.');
      return { op: known.data, path: undefined, selected: undefined, value };
    }
    const [, name, selected, sub = ''] = PATH.exec(String(path).trim()) ?? [];
    if (name === undefined) throw new ScimError('invalidPath', 'The path is not supported.');
    return { op: known.data, path: plainName(name) + sub.toLowerCase(), selected, value };
  });
}

/** @throws ScimError */
export function userChanges(body: Values): Partial<UserAttributes> {
  const changes: Partial<UserAttributes> = {};
  for (const { op, path, selected, value } of operationsOf(body)) {
    if (path === undefined) setAll(changes, valid(z.looseObject({}), 'value', value));
    // One address is kept: that of work, or the primary one.
    else if (selected === undefined || selected.toLowerCase() === 'work')
      setOfUser(changes, path, op === 'remove' ? null : value);
  }
  return changes;
}

const memberId = uuid();
const MEMBER = z.looseObject({ value: memberId });

/** The ids of members in a request: objects, or the ids themselves. */
function idsIn(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map((one) =>
    isObject(one) ? valid(MEMBER, 'members', byName(one)).value : valid(memberId, 'members', one),
  );
}

function setOfGroup(before: GroupAttributes, name: string, op: Operation): GroupAttributes {
  switch (name) {
    case 'displayname':
      return { ...before, displayName: valid(line(200), 'displayName', op.value) };
    case 'externalid':
      return { ...before, externalId: valid(orNull(line(500)), 'externalId', op.value) };
    case 'members':
      return { ...before, members: membersAfter(before.members, op) };
    default:
      return before;
  }
}

function membersAfter(before: ReadonlySet<string>, { op, selected, value }: Operation): ReadonlySet<string> {
  if (op === 'remove') {
    const isAll = selected === undefined && (value === undefined || value === null);
    const gone = selected === undefined ? idsIn(value) : [selected.toLowerCase()];
    const removed = new Set(gone);
    return isAll ? new Set() : new Set([...before].filter((id) => !removed.has(id)));
  }
  const ids = idsIn(value);
  return new Set(op === 'add' ? [...before, ...ids] : ids);
}

/** The attributes of a body that describes a whole group. */
export function wholeGroup(body: Values): GroupAttributes {
  const { displayname, externalid, members } = byName(body);
  return {
    displayName: valid(line(200), 'displayName', displayname),
    externalId: valid(orNull(line(500)), 'externalId', externalid),
    members: new Set(idsIn(members)),
  };
}

/** The change of a group by a PATCH request. @throws ScimError */
export function groupChanges(body: Values): (before: GroupAttributes) => GroupAttributes {
  const operations = operationsOf(body);
  return (before) => {
    let group = before;
    for (const operation of operations) {
      const { path, op, value } = operation;
      if (path !== undefined)
        group = setOfGroup(
          group,
          path,
          op === 'remove' && path !== 'members' ? { ...operation, value: null } : operation,
        );
      else
        for (const [name, one] of Object.entries(byName(valid(z.looseObject({}), 'value', value))))
          group = setOfGroup(group, name, { ...operation, value: one });
    }
    return group;
  };
}
