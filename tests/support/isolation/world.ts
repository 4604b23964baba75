import { createHash } from 'node:crypto';
import { inject } from 'vitest';
import type { Role } from '../../../db/schema/orgs.ts';
import { endpoints } from '../../../handlers/index.ts';

/*
 * The world of tests/orgs/isolation.test.ts: organizations in which the same ids, slugs and scan ids name different
 * things. Values that change during a run are passed to the model as `Facts`.
 */

export type EndpointName = keyof typeof endpoints;
/** On the edge, deliveries are written in the background at any time: no organization has a webhook or an integration there. */
export const HAS_WEBHOOKS = !inject('edgePort');
export const ENDPOINTS = (Object.keys(endpoints) as EndpointName[]).filter(
  (name) => HAS_WEBHOOKS || (name !== 'createWebhook' && name !== 'createIntegration'),
);

// --- The world ---

export const ORGS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'golf', 'hotel'] as const;
export type OrgName = (typeof ORGS)[number];
/** Have no tables at the start of each run. A first write creates them. Processes of the edge cannot be told that they are gone again. */
export const WITHOUT_TABLES: readonly OrgName[] = inject('edgePort') ? [] : ['echo', 'golf', 'hotel'];

export const USERS = ['ada', 'bob', 'cyd', 'dan', 'eve'] as const;
/** Has created all organizations. */
export const CREATOR = 'eve';
export type UserName = (typeof USERS)[number];

/** Delta requires MFA. */
export const MEMBERS: Record<OrgName, Partial<Record<UserName, Role>>> = {
  alpha: { ada: 'owner', bob: 'admin', cyd: 'member', dan: 'viewer' },
  bravo: { bob: 'owner', cyd: 'admin', ada: 'viewer' },
  charlie: { cyd: 'owner', dan: 'admin', bob: 'member' },
  delta: { dan: 'owner', ada: 'admin', cyd: 'member', eve: 'viewer' },
  echo: { ada: 'owner', bob: 'member', eve: 'viewer' },
  golf: { bob: 'owner', cyd: 'admin', ada: 'viewer' },
  hotel: { cyd: 'owner', dan: 'admin', ada: 'member' },
};
/** Members whose access is limited to projects, with their roles there. All others reach all projects. */
export const ACCESS: Partial<Record<OrgName, Partial<Record<UserName, Partial<Record<string, Role>>>>>> = {
  alpha: { cyd: { shop: 'member', site: 'viewer' } },
  bravo: { cyd: { vault: 'admin', shop: 'viewer' } },
  // The role in the organization is the ceiling.
  charlie: { bob: { site: 'admin' } },
  delta: { cyd: {} },
  hotel: { ada: {} },
};
/** The address by which a user was invited. The other members joined before invitations were recorded. */
export const INVITED: Record<OrgName, Partial<Record<UserName, (typeof EMAILS)[number]>>> = {
  // Not verified, so that it is pending where that counts.
  alpha: { dan: 'hidden' },
  bravo: {},
  // Verified, and the organization was not used since.
  charlie: { bob: 'spare' },
  delta: { cyd: 'main' },
  echo: {},
  golf: { ada: 'main' },
  hotel: {},
};
/** Users whose primary address is not verified. */
export const UNVERIFIED: readonly UserName[] = ['eve'];
export const STRICT: OrgName = 'delta';
export const WITH_MFA: readonly UserName[] = ['bob', 'cyd', 'eve'];

export const BASE_DOMAIN = 'svc.test';
/** Charlie's own domain, whose first label is another's slug. */
export const DOMAIN = { host: 'alpha.example', org: 'charlie' as OrgName };

/** Names of ids, for people. */
const names = new Map<string, string>();
const ids = new Map<string, string>();
/** When all ids of the world were made, in June 2024. */
export const OLD = '01900000';
/** An id that is the same in every run. */
export function idOf(kind: string, name: string): string {
  const key = `${kind}:${name}`;
  const made = ids.get(key);
  if (made) return made;
  const hex = createHash('sha256').update(`${kind}/${name}`).digest('hex');
  const id = `${OLD}-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
  ids.set(key, id);
  names.set(id, `<${key}>`);
  return id;
}
/** With names in the place of ids and tokens. */
export const readable = (text: string) =>
  text.replace(
    /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|eyJ[\w.-]+/g,
    (id) => names.get(id) ?? id,
  );
export const nameOf = <Name extends string>(
  kind: string,
  all: readonly Name[],
  id: string,
): Name | undefined => all.find((name) => idOf(kind, name) === id);
export const userOf = (id: string) => nameOf('user', USERS, id);
export const orgOf = (id: string) => nameOf('org', ORGS, id);

/** Only Bravo has `vault`; no organization has `nowhere`. */
export const PROJECTS = ['shop', 'site', 'vault', 'nowhere'] as const;
export const SCANS = ['nightly', 'weekly', 'vault-scan', 'nowhere'] as const;
export const FINDINGS = ['sqli', 'xss', 'vault-rce', 'nowhere'] as const;
export const EXPLOITS = ['poc-sqli', 'poc-xss', 'poc-vault', 'nowhere'] as const;
export const COMMENTS = ['on-sqli', 'on-xss', 'on-vault-rce', 'nowhere'] as const;
export const CHANGES = ['of-sqli', 'of-xss', 'of-vault-rce', 'nowhere'] as const;
export const VIEWS = ['private', 'shared', 'nowhere'] as const;
/** Each organization has one webhook and one integration, whose ids are its own: all are in one table. */
export const webhookOf = (org: OrgName | 'nowhere') => idOf('webhook', org);
export const integrationOf = (org: OrgName | 'nowhere') => idOf('integration', org);
export const DELIVERIES = ['sent', 'nowhere'] as const;
export const RULES = ['scans', 'shop', 'nowhere'] as const;
export const TOKENS = [
  'shop',
  'site',
  'wide',
  'twin',
  'shop-read',
  'shop-triage',
  'read',
  'triage',
  'admin',
  'revoked',
  'expired',
  'vault',
  'nowhere',
] as const;
/** Tokens with other scopes than `ingest`. */
export const SCOPES: Partial<Record<TokenName, string>> = {
  'shop-read': 'read',
  'shop-triage': 'ingest,triage',
  read: 'read',
  triage: 'ingest,triage',
  admin: 'read,admin',
};
export const FLAGS = ['org_wide_tokens', 'require_mfa', 'nowhere'] as const;
export type TokenName = (typeof TOKENS)[number];

/** All tokens share their prefix. The twin's text is the same in all organizations, its rights are not. */
export const tokenText = (org: string, name: TokenName): string =>
  `svc_aaaaaaaa${sha256(name === 'twin' ? name : `${org}/${name}`).slice(0, 24)}`;
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Everybody has each of them. `alpha` is limited to that organization. */
export const PERSONAL = ['read', 'triage', 'admin', 'alpha', 'expired'] as const;
export type PersonalName = (typeof PERSONAL)[number];
export const PERSONAL_SCOPES: Record<PersonalName, string> = {
  read: 'read',
  triage: 'triage',
  admin: 'admin',
  alpha: 'admin',
  expired: 'admin',
};
export const personalText = (user: UserName, name: PersonalName): string =>
  `svcp_${sha256(`${user}/${name}`).slice(0, 32)}`;

/** The first is primary; the last is not verified. */
export const EMAILS = ['main', 'spare', 'hidden'] as const;
export const emailOf = (user: string, name: string) => `secret.${user}.${name}@users.example`;
/** An unverified TOTP device, an e-mail device, and a verified TOTP device; everybody's have the same secret. */
export const DEVICES = ['phone', 'mail', 'watch'] as const;
export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
export const SESSIONS = ['live', 'other', 'revoked', 'expired'] as const;
export function mailedToken(purpose: string, user: UserName): string {
  const token = sha256(`${purpose}/${user}`);
  names.set(token, `<${purpose}:${user}>`);
  return token;
}
export const RECOVERY_CODE = 'abcd-efgh-ijkm';
export const RIGHT_PASSWORD = 'Correct1horse';

export const minted = new Map<string, string>();
/** Registers a signed token: a session cookie by its name in `COOKIES`, or `mfa/<user>`. */
export function mint(name: string, token: string): void {
  minted.set(name, token);
  names.set(token, `<${name}>`);
}

// --- The current state, which the test reads from the database ---

export interface Facts {
  orgs: Record<OrgName, OrgFacts>;
  users: Record<string, { mfa: boolean }>;
  emails: Record<string, { user: string; email: string; primary: boolean; verified: boolean }>;
  devices: Record<string, { user: string; type: string }>;
  sessions: Record<string, { user: string; live: boolean; fresh: boolean }>;
  personal: Record<
    string,
    { user: string; hash: string; org: string | null; scopes: string; expired: boolean }
  >;
}

/** A webhook or an integration. */
export interface DestinationFacts {
  enabled: boolean;
  projects: string[] | null;
}

export interface OrgFacts {
  hasTables: boolean;
  /** The effect on tokens whose creator loses rights. */
  rule: 'keep' | 'limit' | 'revoke';
  members: Record<string, Membership>;
  flags: Record<string, boolean>;
  /** Slugs by id. */
  projects: Record<string, string>;
  /** Roles by `project user`. */
  assigned: Record<string, Role>;
  /** Projects by id. */
  scans: Record<string, string>;
  findings: Record<string, string>;
  /** Findings by id. */
  exploits: Record<string, string>;
  comments: Record<string, { finding: string; author: string }>;
  changes: Record<string, { finding: string; author: string; undone: boolean }>;
  views: Record<string, { owner: string; shared: boolean }>;
  /** Names in the audit log, by position and side. */
  logged: Record<string, string>;
  rules: Record<string, string>;
  webhooks: Record<string, DestinationFacts>;
  integrations: Record<string, DestinationFacts>;
  /** States by `destination delivery`. */
  deliveries: Record<string, string>;
  tokens: Record<
    string,
    {
      hash: string;
      project: string | null;
      scopes: string;
      creator: string;
      revoked: boolean;
      expired: boolean;
    }
  >;
}

export interface Membership {
  role: Role;
  /** The invited address. */
  invited: string | null;
  /** The address is verified. */
  confirmed: boolean;
  /** The address was verified before the invitation, and the user has not visited the organization since. */
  unseen: boolean;
  /** The access is limited to projects. */
  limited: boolean;
  /** An owner asks the admin to become an owner. */
  offered: boolean;
}

/** A row that was written while a call was answered. `TOUCH` is an update that notes a use, and nothing else. */
export interface Change {
  schema: string;
  table: string;
  op: 'INSERT' | 'UPDATE' | 'DELETE' | 'TOUCH';
  row: Record<string, unknown>;
}

export const TOO_HARD = (what: string) =>
  new Error(`tests/support/isolation does not know ${what}: teach it`);

/** The texts that betray whose they are. */
export const marksIn = (text: string): string[] => [...new Set(text.match(/secret\.\w+(\.\w+)*/g) ?? [])];

export const schemaOf = (org: OrgName) => `org_${idOf('org', org).replaceAll('-', '')}`;
