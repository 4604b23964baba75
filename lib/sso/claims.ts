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

/** A claim that is compared as it is. */
export const exactText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && isStorable(value) ? value : undefined;

const ENTRA = /^https:\/\/(?:login\.microsoftonline\.(?:com|us)|login\.partner\.microsoftonline\.cn)\//;

/**
 * Identifies a person at an issuer for all time. An address does not: it can change, and another person can get it. The `sub` of
 * Entra ID differs by application, so a second connection would not know the person.
 */
export function subjectOf(issuer: string, claims: Claims): string {
  const { sub, oid, tid } = claims;
  const parts = ENTRA.test(issuer) ? [tid, oid] : [sub];
  const texts = parts.map((part) => exactText(part) ?? '');
  const subject = texts.join(':');
  if (texts.includes('') || subject.length > 255)
    throw new SsoRefusal(
      'invalid',
      'The provider sent no subject (claim sub; of Entra ID tid and oid), or one of more than 255 characters.',
    );
  return subject;
}

const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,253}$/;

/** The address of a person, in lower case. Undefined if the provider sent none that can be used. */
export function emailOf(claims: Claims, { email: name }: SsoClaims): string | undefined {
  const email = textOf(claimAt(claims, name), Number.POSITIVE_INFINITY)?.toLowerCase();
  return email !== undefined && email.length <= 254 && EMAIL.test(email) ? email : undefined;
}

/** At Google, anyone can have an account with an address of any domain, and keeps it after leaving. */
const GOOGLE = 'https://accounts.google.com';

/**
 * Whether the provider has verified the address; undefined if it does not say, as Entra ID, or speaks of another claim. Some send texts.
 * Google says by `hd` whether the domain's owner manages the account.
 */
export function emailVerifiedOf(
  issuer: string,
  { email_verified: given, hd }: Claims,
  { email: name }: SsoClaims,
  email: string | undefined,
): boolean | undefined {
  if (issuer === GOOGLE && (email === undefined || hd !== domainOf(email))) return false;
  if (name !== 'email' || given === undefined || given === null) return undefined;
  return given === true || given === 'true';
}

/** When the person signed in at the provider; undefined if it does not say. */
export const authTimeOf = ({ auth_time: seconds }: Claims, now: Date): Date | undefined =>
  typeof seconds === 'number' && seconds > 0 && seconds * 1000 < now.getTime()
    ? new Date(seconds * 1000)
    : undefined;

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

/** An address that a provider names. */
export interface Address {
  email: string | undefined;
  emailVerified: boolean | undefined;
}

/** Whether the connection speaks for the domain of an address, and the provider does not deny the address. Any provider can name any address. */
export const vouchesFor = (
  { trustedDomains }: Pick<SsoConnection, 'trustedDomains'>,
  { email, emailVerified }: Address,
): boolean => email !== undefined && emailVerified !== false && trustedDomains.includes(domainOf(email));

/** The role that a connection gives: of the groups, or the default one of people whose address it speaks for. */
export const roleOf = (
  connection: Pick<SsoConnection, 'trustedDomains' | 'roleMapping' | 'defaultRole'>,
  { groups, ...address }: Address & { groups: readonly string[] },
): MappedRole | undefined =>
  mappedRole(connection.roleMapping, groups) ??
  ((vouchesFor(connection, address) && connection.defaultRole) || undefined);

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
