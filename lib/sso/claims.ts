import type { MappedRole, RoleMapping, SsoClaims } from '../../db/schema/orgs.ts';
import { isStorable } from '../schema.ts';
import { domainOf, type SsoConnection } from './connections.ts';
import { SsoRefusal } from './refusal.ts';

/** The claims of an ID token, completed by those of UserInfo. */
export type Claims = Readonly<Record<string, unknown>>;

/** A claim by its name, or by a path of names with dots. Names of claims may contain dots themselves. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Claims)[part];
  }
  return at;
}

const textOf = (value: unknown, max: number): string | undefined =>
  typeof value === 'string' && isStorable(value) && value.trim() !== ''
    ? value.trim().slice(0, max)
    : undefined;

const ENTRA = /^https:\/\/(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn)\//;

/**
 * Identifies a person at an issuer for all time. An address does not: it can change, and another person can get it. The `sub` of
 * Entra ID differs by application, so a second connection would not know the person.
 */
export function subjectOf(issuer: string, claims: Claims): string {
  const [sub, oid, tid] = [textOf(claims.sub, 255), textOf(claims.oid, 100), textOf(claims.tid, 100)];
  if (ENTRA.test(issuer) && oid && tid) return `${tid}:${oid}`;
  if (!sub) throw new SsoRefusal('invalid', 'The provider sent no subject (claim sub).');
  return sub;
}

const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,253}$/;

/** The address of a person, in lower case. Undefined if the provider sent none that can be used. */
export function emailOf(claims: Claims, { email: name }: SsoClaims): string | undefined {
  const email = textOf(claimAt(claims, name), 254)?.toLowerCase();
  return email !== undefined && EMAIL.test(email) ? email : undefined;
}

/**
 * Whether the provider has verified the address; undefined if it does not say, as Entra ID. Some send texts.
 */
export function emailVerifiedOf({ email_verified: given }: Claims): boolean | undefined {
  if (given === undefined || given === null) return undefined;
  return given === true || given === 'true';
}

export const nameOf = (claims: Claims, { name }: SsoClaims, email: string): string =>
  textOf(claimAt(claims, name), 200) ?? email.slice(0, email.lastIndexOf('@')).slice(0, 200);

/** Groups that are read. More are ignored. */
const MAX_GROUPS = 5_000;

/** The groups that a provider named; undefined if the claim is missing. */
export function groupsOf(claims: Claims, { groups: name }: SsoClaims): string[] | undefined {
  const value = claimAt(claims, name) ?? (name === 'groups' ? claims.groups_direct : undefined);
  if (value === undefined || value === null) return undefined;
  const list = Array.isArray(value) ? value : [value];
  return list.filter((group) => typeof group === 'string').slice(0, MAX_GROUPS);
}

/** Entra ID leaves out the groups of a person who is in more than 200, and names another place to ask. */
export function hasOverage(claims: Claims, { groups: name }: SsoClaims): boolean {
  const names = claims._claim_names;
  const isElsewhere = typeof names === 'object' && names !== null && Object.hasOwn(names, name);
  return isElsewhere || claims.hasgroups === true || claims.hasgroups === 'true';
}

const RANK: Record<MappedRole, number> = { viewer: 0, member: 1, admin: 2 };

/** Keycloak writes groups as paths: `/security`. */
const plain = (group: string): string => group.replace(/^\//, '');

/** The highest role of the groups; undefined if none is mapped. */
export function mappedRole(
  mapping: readonly RoleMapping[],
  groups: readonly string[],
): MappedRole | undefined {
  const given = new Set(groups.map(plain));
  return mapping
    .filter(({ group }) => given.has(plain(group)))
    .map(({ role }) => role)
    .toSorted((a, b) => RANK[b] - RANK[a])[0];
}

/** Issuers where anyone can have an account. */
const OPEN_ISSUERS = [
  'https://accounts.google.com',
  'https://gitlab.com',
  'https://appleid.apple.com',
  'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
];

/** Whether the address is of a domain that the organization, or the operator, has proven, and the provider does not deny it. */
export const isProven = (
  connection: SsoConnection,
  email: string | undefined,
  verified: boolean | undefined,
) => email !== undefined && verified !== false && connection.proven.includes(domainOf(email));

/**
 * The role that a connection gives. The default role is for people of the connection's domains; without domains for everyone whom the
 * provider knows, unless anyone can have an account there.
 */
export function roleOf(
  connection: SsoConnection,
  person: { groups: readonly string[]; email: string | undefined; emailVerified: boolean | undefined },
): MappedRole | undefined {
  const mapped = mappedRole(connection.roleMapping, person.groups);
  if (mapped) return mapped;
  const { email, emailVerified } = person;
  const isOpen = OPEN_ISSUERS.includes(connection.issuer.replace(/\/$/, ''));
  const isTheirs =
    connection.domains.length > 0 || isOpen
      ? isProven(connection, email, emailVerified) &&
        (connection.domains.length === 0 || connection.domains.includes(domainOf(email ?? '')))
      : true;
  return isTheirs ? (connection.defaultRole ?? undefined) : undefined;
}

const KNOWLEDGE = new Set(['pwd', 'pin', 'kba']);
const INHERENCE = new Set(['fpt', 'face', 'iris', 'vbm', 'retina', 'user']);
const POSSESSION = new Set(['otp', 'hwk', 'swk', 'sc', 'sms', 'tel', 'pop', 'fido']);
const STRONG_ACR = new Set([
  'phr',
  'phrh',
  'https://refeds.org/profile/mfa',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'urn:okta:loa:2fa:any',
]);

/** Whether the provider used several factors (RFC 8176 `amr`, `acr`). */
export function usedMfa({ amr, acr }: Claims): boolean {
  if (typeof acr === 'string' && STRONG_ACR.has(acr)) return true;
  const methods = (Array.isArray(amr) ? amr : [amr]).filter((method) => typeof method === 'string');
  if (methods.includes('mfa')) return true;
  const has = (kind: ReadonlySet<string>) => methods.some((method) => kind.has(method));
  return has(POSSESSION) && (has(KNOWLEDGE) || has(INHERENCE));
}
