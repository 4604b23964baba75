import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { TOTP } from 'otpauth';
import type { Role } from '../../../db/schema/orgs.ts';
import { endpoints as table } from '../../../handlers/index.ts';
import type { Endpoint } from '../../../lib/http/endpoint.ts';
import type { Answer } from '../api/api.ts';

/*
 * A model of who may see and change what, for tests/orgs/isolation.test.ts. It knows the world the test builds: organizations
 * in which the same ids, slugs and scan ids name different things. What changes during a run, it is told as `Facts`.
 */

export type EndpointName = keyof typeof table;
export const ENDPOINTS = Object.keys(table) as EndpointName[];

// --- The world ---

export const ORGS = ['alpha', 'bravo', 'charlie', 'delta'] as const;
export type OrgName = (typeof ORGS)[number];

export const USERS = ['ada', 'bob', 'cyd', 'dan', 'eve'] as const;
export type UserName = (typeof USERS)[number];

/** Delta requires MFA. */
export const MEMBERS: Record<OrgName, Partial<Record<UserName, Role>>> = {
  alpha: { ada: 'owner', bob: 'admin', cyd: 'member', dan: 'viewer' },
  bravo: { bob: 'owner', cyd: 'admin', ada: 'viewer' },
  charlie: { cyd: 'owner', dan: 'admin', bob: 'member' },
  delta: { dan: 'owner', ada: 'admin', cyd: 'member', eve: 'viewer' },
};
/** Who was invited by which of their addresses; the others are members of before invitations were kept. */
export const INVITED: Record<OrgName, Partial<Record<UserName, (typeof EMAILS)[number]>>> = {
  // Not verified, so that it is pending where that counts.
  alpha: { dan: 'hidden' },
  bravo: {},
  // Verified, and the organization was not used since.
  charlie: { bob: 'spare' },
  delta: { cyd: 'main' },
};
/** Whose primary address is not verified. */
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
const OLD = '01900000';
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
const nameOf = <Name extends string>(kind: string, all: readonly Name[], id: string): Name | undefined =>
  all.find((name) => idOf(kind, name) === id);
export const userOf = (id: string) => nameOf('user', USERS, id);
export const orgOf = (id: string) => nameOf('org', ORGS, id);

/** A vault is what only Bravo has; nowhere is what nobody has. */
export const PROJECTS = ['shop', 'site', 'vault', 'nowhere'] as const;
export const SCANS = ['nightly', 'weekly', 'vault-scan', 'nowhere'] as const;
export const FINDINGS = ['sqli', 'xss', 'vault-rce', 'nowhere'] as const;
export const EXPLOITS = ['poc-sqli', 'poc-xss', 'poc-vault', 'nowhere'] as const;
export const TOKENS = ['shop', 'site', 'wide', 'twin', 'revoked', 'expired', 'vault', 'nowhere'] as const;
const FLAGS = ['org_wide_tokens', 'require_mfa', 'nowhere'] as const;
export type TokenName = (typeof TOKENS)[number];

/** All tokens share their prefix. The twin's text is the same in all organizations, its rights are not. */
export const tokenText = (org: string, name: TokenName): string =>
  `svc_aaaaaaaa${sha256(name === 'twin' ? name : `${org}/${name}`).slice(0, 24)}`;
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

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

const minted = new Map<string, string>();
/** Tells the model a token that was signed: a session cookie by its name in `COOKIES`, or `mfa/<user>`. */
export function mint(name: string, token: string): void {
  minted.set(name, token);
  names.set(token, `<${name}>`);
}

// --- What is true at the moment, read by the test from the database ---

export interface Facts {
  orgs: Record<OrgName, OrgFacts>;
  users: Record<string, { mfa: boolean }>;
  emails: Record<string, { user: string; email: string; primary: boolean; verified: boolean }>;
  devices: Record<string, { user: string; type: string }>;
  sessions: Record<string, { user: string; live: boolean; fresh: boolean }>;
}

export interface OrgFacts {
  members: Record<string, Membership>;
  flags: Record<string, boolean>;
  /** Slugs by id. */
  projects: Record<string, string>;
  /** Projects by id. */
  scans: Record<string, string>;
  findings: Record<string, string>;
  /** Findings by id. */
  exploits: Record<string, string>;
  tokens: Record<string, { hash: string; project: string | null; revoked: boolean; expired: boolean }>;
}

export interface Membership {
  role: Role;
  /** The invited address. */
  invited: string | null;
  /** The address is verified. */
  confirmed: boolean;
  /** So it was before the invitation, and the organization was not used since. */
  unseen: boolean;
}

/** A row that was written while a call was answered. `TOUCH` is an update of `last_used` or `last_active_at` alone. */
export interface Change {
  schema: string;
  table: string;
  op: 'INSERT' | 'UPDATE' | 'DELETE' | 'TOUCH';
  row: Record<string, unknown>;
}

// --- Calls ---

/** Where a request arrives: at an app with a base domain, at one in single-host mode, or at such a one in strict mode. */
interface Door {
  app: 'based' | 'single' | 'strict';
  host: string;
  slug?: string;
}

const DOORS: Door[] = [
  ...ORGS.map((org) => ({ app: 'based' as const, host: `${org}.${BASE_DOMAIN}` })),
  ...ORGS.map((slug) => ({ app: 'single' as const, host: 'localhost', slug })),
  ...ORGS.map((slug) => ({ app: 'strict' as const, host: 'localhost', slug })),
  { app: 'based', host: BASE_DOMAIN },
  { app: 'based', host: DOMAIN.host },
  { app: 'single', host: DOMAIN.host, slug: 'bravo' },
  { app: 'based', host: 'BRAVO.SVC.test.:8443', slug: 'alpha' },
  { app: 'based', host: `bravo.${BASE_DOMAIN}`, slug: 'alpha' },
  { app: 'based', host: BASE_DOMAIN, slug: 'alpha' },
  { app: 'based', host: `alpha.bravo.${BASE_DOMAIN}` },
  { app: 'based', host: `nowhere.${BASE_DOMAIN}` },
  { app: 'based', host: `alpha.${BASE_DOMAIN}.evil.example`, slug: 'alpha' },
  { app: 'single', host: `bravo.${BASE_DOMAIN}`, slug: 'alpha' },
  { app: 'single', host: 'localhost' },
  { app: 'single', host: 'localhost', slug: 'nowhere' },
];

const CROSSED = 'ada with a session of bob';
export const COOKIES = [
  ...USERS.map((user) => `${user}/live`),
  ...USERS.flatMap((user) => ['revoked', 'expired'].map((state) => `${user}/${state}`)),
  CROSSED,
  'garbage',
];
/** Whose session a cookie claims, and which it is. */
export function claimsOf(cookie: string | undefined): { user: UserName; session: string } | undefined {
  if (cookie === CROSSED) return { user: 'ada', session: idOf('session', 'bob/live') };
  const user = USERS.find((name) => cookie?.startsWith(`${name}/`));
  return user && { user, session: idOf('session', cookie ?? '') };
}

/** What a call is made of, by name. Most calls heed few of them. */
interface Picks {
  endpoint: EndpointName;
  door: Door;
  cookie: string | undefined;
  /** `here` is the organization the door leads to. */
  token: { org: OrgName | 'here'; name: TokenName } | 'garbage' | undefined;
  origin: string | undefined;
  project: (typeof PROJECTS)[number];
  scan: (typeof SCANS)[number];
  finding: (typeof FINDINGS)[number];
  exploit: (typeof EXPLOITS)[number];
  apiToken: TokenName;
  flag: (typeof FLAGS)[number];
  org: OrgName | 'nowhere';
  /** Whose things are asked for. */
  whose: UserName | 'own';
  /** Chooses among the values of an enumeration. */
  choice: number;
  /** Chooses among somebody's things. */
  thing: number;
}

const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 9) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare });
const known = <const T>(...all: T[]) => fc.constantFrom(...all);

const WITH_BODY = new Set(ENDPOINTS.filter((name) => table[name].describe().request?.body));

/** The more an endpoint takes, the more ways there are to mix it up. */
function weigh(name: EndpointName): EndpointName[] {
  const takes = WITH_BODY.has(name) || table[name].path.includes('{');
  return Array(MIXING.includes(name) ? 8 : takes ? 3 : 1).fill(name);
}
/** Those that take several things of an account, each of which may be another's. */
const MIXING: readonly EndpointName[] = ['validateMfa', 'sendEmailOtp', 'sendStepUpOtp', 'verifyEmail'];

export const anyCall = (endpoints: readonly EndpointName[]): fc.Arbitrary<Call> =>
  fc
    .record<Picks>({
      endpoint: known(...endpoints.flatMap(weigh)),
      door: often(known(...DOORS.slice(0, 14)), known(...DOORS), 4),
      cookie: often(
        known(...COOKIES.slice(0, USERS.length)),
        fc.option(known(...COOKIES), { nil: undefined }),
      ),
      token: often(
        fc.record({ org: known<OrgName | 'here'>('here'), name: known(...TOKENS.slice(0, 4)) }),
        fc.oneof(
          fc.record({ org: known<OrgName | 'here'>(...ORGS), name: known(...TOKENS) }),
          fc.record({ org: known<OrgName | 'here'>('here'), name: known(...TOKENS) }),
          known('garbage' as const, undefined),
        ),
        3,
      ),
      origin: often(
        known(undefined),
        known('http://localhost', `https://bravo.${BASE_DOMAIN}`, 'https://evil.example'),
        15,
      ),
      project: often(known(...PROJECTS.slice(0, 2)), known(...PROJECTS), 3),
      scan: often(known(...SCANS.slice(0, 2)), known(...SCANS), 3),
      finding: often(known(...FINDINGS.slice(0, 2)), known(...FINDINGS), 3),
      exploit: known(...EXPLOITS),
      apiToken: known(...TOKENS),
      flag: known(...FLAGS),
      org: known(...ORGS, 'nowhere' as const),
      whose: often<Picks['whose']>(known('own'), known(...USERS), 1),
      choice: fc.nat(11),
      thing: fc.nat(11),
    })
    .map((picks) => new Call(picks));

const TOO_HARD = (what: string) =>
  new Error(`tests/support/isolation/model.ts does not know ${what}: teach it`);

/** What a body says about an account, where no cookie does. */
interface Claim {
  /** Whose account it names. */
  about?: UserName;
  /** It brings the proof, a password or a code, to be let in as them. */
  proven?: boolean;
  /** It mixes two accounts. */
  mixed?: boolean;
}

export class Call {
  readonly picks: Picks;
  readonly endpoint: Endpoint;
  readonly [fc.toStringMethod]: () => string;

  constructor(picks: Picks) {
    this.picks = picks;
    this.endpoint = table[picks.endpoint];
    this[fc.toStringMethod] = () => this.toString();
  }

  /** Where it arrives; accounts are mostly asked for where they are to be. */
  get door(): Door {
    const { door, thing } = this.picks;
    const isAtHome = this.endpoint.access.kind === 'baseDomainOnly' && door.app === 'based' && thing % 4 > 0;
    return isAtHome ? { app: 'based', host: BASE_DOMAIN } : door;
  }

  get own(): UserName | undefined {
    return claimsOf(this.picks.cookie)?.user;
  }

  /** Whose things are asked for. */
  get target(): UserName {
    return this.picks.whose === 'own' ? (this.own ?? 'ada') : this.picks.whose;
  }

  /** The organization the door leads to (API contract, "Organization resolution"). */
  get org(): OrgName | undefined {
    const { app, host, slug } = this.door;
    const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
    if (name === DOMAIN.host) return DOMAIN.org;
    const label = app === 'based' ? new RegExp(`^([^.]+)\\.${BASE_DOMAIN}$`).exec(name)?.[1] : slug;
    return ORGS.find((org) => org === label);
  }

  get tokenText(): string | undefined {
    const { token } = this.picks;
    if (token === undefined || token === 'garbage') return token;
    return tokenText(this.tokenOrg, token.name);
  }

  private get tokenOrg(): OrgName {
    const { token } = this.picks;
    const given = typeof token === 'object' ? token.org : 'here';
    return given === 'here' ? (this.org ?? 'alpha') : given;
  }

  pick<T>(...values: T[]): T {
    return values[this.picks.choice % values.length] as T;
  }

  private thing<T>(all: readonly T[]): T {
    return all[this.picks.thing % all.length] as T;
  }

  /** The id of one of the target's things. */
  private get emailId() {
    return idOf('email', `${this.target}/${this.thing(EMAILS)}`);
  }
  private get deviceId() {
    return idOf('device', `${this.target}/${this.thing(DEVICES)}`);
  }

  /** What stands for a path's parameter, by the word in front of it. */
  readonly params: Record<string, () => string> = {
    projects: () =>
      this.endpoint.path.endsWith('{slug}') && this.pick(true, false)
        ? this.picks.project
        : idOf('project', this.picks.project),
    tokens: () => idOf('token', this.picks.apiToken),
    scans: () => this.picks.scan,
    findings: () => idOf('finding', this.picks.finding),
    exploits: () => idOf('exploit', this.picks.exploit),
    members: () => idOf('user', this.target),
    'org-features': () => this.picks.flag,
    orgs: () => this.picks.org,
    emails: () => this.emailId,
    devices: () => this.deviceId,
    totp: () => this.deviceId,
    sessions: () => idOf('session', `${this.target}/${this.thing(['other', 'live', 'revoked'])}`),
  };

  /** The parameters of the path: the word in front of each, and its value. */
  get named(): [word: string, value: string][] {
    return [...this.endpoint.path.matchAll(/([\w-]+)\/\{\w+\}/g)].map(([, word = '']) => {
      const value = this.params[word];
      if (!value) throw TOO_HARD(`the ids behind /${word}/`);
      return [word, value()];
    });
  }

  get path(): string {
    const values = this.named.map(([, value]) => value);
    const path = this.endpoint.path.replace(/\{\w+\}/g, () => encodeURIComponent(values.shift() ?? ''));
    const { project, scan, endpoint } = this.picks;
    const projectId = `project_id=${idOf('project', project)}`;
    const queries: Partial<Record<string, string[]>> = {
      listAgentFindings: [projectId, `${projectId}&page=1`],
      listFindings: [
        ...['', projectId, `scan_id=${scan}`, 'q=secret', 'per_page=2&sort=-severity'],
        ...['format=csv', 'format=sarif', 'format=json&omit=description'],
        ...['new', 'seen_again', 'gone'].map((change) => `scan_id=${scan}&against=weekly&change=${change}`),
      ],
      listScans: ['', 'page=1', projectId, `${projectId}&status=running&page=1`],
      scanChanges: ['', ...SCANS.map((other) => `against=${other}`)],
    };
    const query = this.pick(...(queries[endpoint] ?? ['']));
    return query ? `${path}?${query}` : path;
  }

  get code(): string {
    return this.pick(true, true, true, false)
      ? new TOTP({ secret: TOTP_SECRET, digits: 6, period: 30 }).generate()
      : '000000';
  }

  /** The body with `MARK` where a text of `markFor` will stand, and what it says about an account; undefined when there is none. */
  get body(): { json: Record<string, unknown>; claim?: Claim } | undefined {
    const { picks, target } = this;
    if (!WITH_BODY.has(picks.endpoint)) return undefined;
    const user = this.own ?? 'ada';
    const mixed = user !== target;
    const password = this.pick(RIGHT_PASSWORD, RIGHT_PASSWORD, 'Wrong1horse');
    const proven = password === RIGHT_PASSWORD;
    const project_id = idOf('project', picks.project);
    const mfa_token = minted.get(`mfa/${user}`);
    const address = this.pick(emailOf(target, 'main'), emailOf(target, 'spare'), 'newcomer@users.example');
    const about = address.startsWith('secret') ? { about: target } : {};
    const bodies: Partial<Record<EndpointName, () => [Record<string, unknown>, Claim?]>> = {
      register: () => [{ email: address, password, name: 'Newcomer' }],
      login: () => [
        { email: address, password },
        { ...about, proven },
      ],
      forgotPassword: () => [{ email: address }, about],
      resetPassword: () => [
        { token: mailedToken(this.pick('reset_password', 'verify_email'), user), password: 'Other2horse' },
        { about: user },
      ],
      verifyEmail: () => [
        {
          token: mailedToken(this.pick('verify_email', 'reset_password'), user),
          email_id: idOf('email', `${target}/hidden`),
        },
        { about: user, mixed },
      ],
      validateMfa: () => [
        this.pick(true, true, false)
          ? { mfa_token, device_id: this.deviceId, code: this.code }
          : { mfa_token, code: RECOVERY_CODE, is_recovery: true },
        { about: user, proven: true, mixed: mixed && this.pick(true, true, false) },
      ],
      sendEmailOtp: () => [
        { mfa_token, device_id: idOf('device', `${target}/mail`) },
        { about: user, proven: true, mixed },
      ],
      stepUp: () => [{ password, code: RECOVERY_CODE, is_recovery: true }],
      sendStepUpOtp: () => [{ device_id: idOf('device', `${target}/mail`) }],
      undoEmailChange: () => [{ token: mailedToken('undo_email_change', user) }, { about: user }],
      changePassword: () => [{ current_password: password, new_password: 'Other2horse' }],
      addEmail: () => [{ email: this.pick('extra@users.example', emailOf(target, 'main')) }],
      createTotpDevice: () => [{ name: 'MARK' }],
      verifyTotpDevice: () => [{ code: this.code }],
      createEmailDevice: () => [{ email_id: this.emailId }],
      removeMfaDevice: () => [{ password }],
      disableMfa: () => [{ password }],
      regenerateRecoveryCodes: () => [{ password }],
      createOrg: () => [{ name: 'MARK', slug: this.pick(undefined, 'alpha', 'www') }],
      updateFindings: () => {
        const status = this.pick('open', 'confirmed', 'fixed', 'wontfix');
        const named = FINDINGS.slice(this.picks.thing % FINDINGS.length);
        return [{ changes: named.map((name) => ({ id: idOf('finding', name), status })) }];
      },
      updateMember: () => [{ role: this.pick('viewer', 'member', 'admin', 'owner') }],
      updateFinding: () => [{ status: this.pick('open', 'confirmed', 'fixed', 'wontfix') }],
      createProject: () => [{ name: 'MARK', slug: this.pick(undefined, 'shop', 'fresh') }],
      inviteMember: () => [{ email: address, role: this.pick('viewer', 'member', 'admin', 'owner') }],
      pushFinding: () => [
        {
          scan_id: picks.scan,
          project_id,
          fingerprint: this.pick('sqli', 'xss', 'fresh'),
          title: 'MARK',
          severity: 'high',
          description: 'MARK',
        },
      ],
      updateAgentFinding: () => [{ status: this.pick('open', 'verified') }],
      attachExploit: () => [{ filename: 'MARK', language: 'python', code: 'MARK' }],
      registerScan: () => [
        { scan_id: this.pick(picks.scan, 'fresh'), project_id, persona: 'senku', name: 'MARK' },
      ],
      endScan: () => [{ status: this.pick('completed', 'failed'), error_message: 'MARK' }],
      createProjectToken: () => [{ name: 'MARK' }],
      createToken: () => [{ name: 'MARK' }],
      updateOrgFeature: () => [{ enabled: this.pick(true, false) }],
      updateSecuritySettings: () => [{ viewer_tokens_verify: true }],
    };
    const made = bodies[picks.endpoint]?.();
    if (!made) throw TOO_HARD(`a body for ${picks.endpoint}`);
    return { json: made[0], ...(made[1] && { claim: made[1] }) };
  }

  /** For people: `PATCH /api/v1/findings/<finding:xss> {"status":"open"} at alpha.svc.test as ada/live`. */
  toString(): string {
    const { door } = this;
    const { cookie, token, origin } = this.picks;
    const credentials = [
      cookie && `cookie=${cookie}`,
      token && `token=${token === 'garbage' ? token : `${this.tokenOrg}/${token.name}`}`,
      origin && `origin=${origin}`,
    ];
    const { json } = this.body ?? {};
    const place = `host=${door.host}${door.slug === undefined ? '' : ` X-Org-Slug=${door.slug}`}`;
    const text = [
      this.endpoint.method,
      this.path,
      json && JSON.stringify(json),
      place,
      ...credentials,
      `(${door.app})`,
    ]
      .filter(Boolean)
      .join(' ');
    return readable(text);
  }
}

/** The credentials and headers to send. */
export function optionsOf(call: Call, facts: Facts) {
  const { door } = call;
  const { cookie, origin } = call.picks;
  const mark = markFor(call, facts);
  const json = call.body && JSON.stringify(call.body.json).replaceAll('MARK', mark);
  return {
    host: door.host,
    org: door.slug,
    cookie: cookie === undefined ? undefined : (minted.get(cookie) ?? 'garbage'),
    token: call.tokenText,
    ...(origin !== undefined && { headers: { origin } }),
    ...(json !== undefined && { body: json }),
  };
}

/** The mark a text has to carry where this call writes it. */
function markFor(call: Call, facts: Facts): string {
  if (call.endpoint.access.kind === 'cookie') return `secret.${call.own}`;
  const { org } = call;
  if (!org) return 'secret.nobody';
  const project = projectOf(call, facts.orgs[org]);
  const name = project && nameOf('project', PROJECTS, project);
  return name && call.endpoint.access.kind === 'bearer' ? `secret.${org}.${name}` : `secret.${org}`;
}

/** The project an agent's call acts on, as far as there is one. */
function projectOf(call: Call, org: OrgFacts): string | undefined {
  const given = call.body?.json.project_id ?? /project_id=([\w-]+)/.exec(call.path)?.[1];
  if (typeof given === 'string') return given;
  for (const [word, value] of call.named) {
    if (word === 'findings') return org.findings[value];
    if (word === 'scans') return org.scans[value];
  }
  return undefined;
}

// --- Who is let in ---

type Refusal = [status: number, error: string];

interface Admitted {
  kind: 'nobody' | 'user' | 'member' | 'agent';
  user?: UserName;
  session?: string;
  org?: OrgName;
  role?: Role;
  token?: { id: string; project: string | null };
}

const NOT_AUTHENTICATED: Refusal = [401, 'auth_error/not_authenticated'];
const SESSION_OVER: Refusal = [401, 'auth_error/session_revoked'];
const NO_ORG: Refusal = [404, 'tenant_error/not_found'];
const DENIED: Refusal = [403, 'permission_error/denied'];
const NOT_VERIFIED: Refusal = [403, 'permission_error/email_not_verified'];
const SCOPE: Refusal = [403, 'token_error/scope_mismatch'];
const NOT_FOUND: Refusal = [404, 'resource_error/not_found'];
const RANK: Role[] = ['viewer', 'member', 'admin', 'owner'];

/** What the guard says (docs/architecture.md). */
function guard(call: Call, facts: Facts): Admitted | Refusal {
  const { access, method } = call.endpoint;
  const { door } = call;
  const { origin, token } = call.picks;
  const { org } = call;
  if (access.kind === 'bearer') {
    if (token === undefined) return NOT_AUTHENTICATED;
    if (token === 'garbage') return [401, 'token_error/invalid_format'];
    if (!org) return NO_ORG;
    const hash = sha256(call.tokenText ?? '');
    const [id, row] = Object.entries(facts.orgs[org].tokens).find(([, row]) => row.hash === hash) ?? [];
    if (!id || !row || row.revoked) return [401, 'token_error/invalid'];
    if (row.expired) return [401, 'token_error/expired'];
    return { kind: 'agent', org, token: { id, project: row.project } };
  }
  if (method !== 'GET' && origin && !isFriendly(origin, door)) return DENIED;
  const visitor = visitorOf(call, facts);
  if (access.kind === 'public') {
    // Tells a visitor who they are, and is for those that are nobody, too.
    return call.picks.endpoint === 'session' && !Array.isArray(visitor) ? visitor : { kind: 'nobody' };
  }
  if (access.kind === 'baseDomainOnly')
    return door.app === 'based' && door.host !== BASE_DOMAIN
      ? [403, 'auth_error/base_domain_only']
      : { kind: 'nobody' };

  if (Array.isArray(visitor)) return visitor;
  const id = idOf('user', visitor.user);
  const isFree = access.kind === 'cookie' && access.unverified;
  if (door.app === 'strict' && !isFree && !isVerified(id, facts)) return NOT_VERIFIED;
  if (access.kind === 'cookie') {
    const isFresh = facts.sessions[visitor.session ?? '']?.fresh;
    return access.stepUp && !isFresh ? [403, 'permission_error/step_up_required'] : visitor;
  }
  if (!org) return NO_ORG;
  const { flags } = facts.orgs[org];
  const { role } = membershipOf(call, facts, org, id) ?? {};
  if (!role) return [403, 'tenant_error/not_member'];
  if (flags.require_mfa && !facts.users[id]?.mfa) return [403, 'permission_error/mfa_required_by_org'];
  if (RANK.indexOf(role) < RANK.indexOf(access.role)) return DENIED;
  return { ...visitor, kind: 'member', org, role };
}

const isVerified = (user: string, { emails }: Facts) =>
  Object.values(emails).some((email) => email.user === user && email.primary && email.verified);

/** A membership that gives access where the call arrives. */
function membershipOf(call: Call, facts: Facts, org: OrgName, user: string): Membership | undefined {
  const membership = facts.orgs[org].members[user];
  if (!membership || call.door.app !== 'strict') return membership;
  const { invited, confirmed } = membership;
  return confirmed || (invited === null && isVerified(user, facts)) ? membership : undefined;
}

/** Who the cookie is of. */
function visitorOf(call: Call, facts: Facts): (Admitted & { user: UserName }) | Refusal {
  const claims = claimsOf(call.picks.cookie);
  if (!claims) return NOT_AUTHENTICATED;
  const { user, session } = claims;
  const row = facts.sessions[session];
  if (!row?.live || row.user !== idOf('user', user)) return SESSION_OVER;
  return { kind: 'user', user, session };
}

const isFriendly = (origin: string, { app, host }: Door) =>
  new URL(origin).host === host || (app === 'based' && origin.endsWith(`.${BASE_DOMAIN}`));

/**
 * What a call that was let in has to be refused for: what it names is not there, or not for it.
 * @returns undefined when there is no reason to
 */
function refusal(call: Call, facts: Facts, admitted: Admitted): Refusal | undefined {
  const { org, role, token, user } = admitted;
  if (admitted.kind === 'user')
    return namesForeign(call, facts, idOf('user', user ?? ''))
      ? NOT_FOUND
      : verifiesOther(call, facts, idOf('user', user ?? ''))
        ? NOT_VERIFIED
        : undefined;
  if (!org) return undefined;
  const here = facts.orgs[org];
  const path = Object.fromEntries(call.named);
  const own = idOf('user', user ?? '');
  const json = call.body?.json ?? {};

  if (path.findings && !(path.findings in here.findings)) return NOT_FOUND;
  if (path.exploits && here.exploits[path.exploits] !== path.findings) return NOT_FOUND;
  if (path.scans && !(path.scans in here.scans)) return NOT_FOUND;
  const against = /against=([\w-]+)/.exec(call.path)?.[1];
  if (against && path.scans && here.scans[against] !== here.scans[path.scans])
    return [400, 'validation_error/invalid_request'];
  if (path.tokens) {
    const named = here.tokens[path.tokens];
    if (!named) return NOT_FOUND;
    if (path.projects && named.project !== path.projects) return SCOPE;
  } else if (path.projects) {
    const isThere = path.projects in here.projects || Object.values(here.projects).includes(path.projects);
    if (!isThere) return NOT_FOUND;
  }
  if (path.members && path.members !== own) {
    const other = here.members[path.members];
    if (!other) return NOT_FOUND;
    const changes = call.picks.endpoint !== 'resendInvitation';
    if (changes && other.role === 'owner' && role !== 'owner') return DENIED;
  }
  if (path['org-features'] && !(path['org-features'] in here.flags))
    return [403, 'permission_error/feature_not_provisioned'];
  if (json.role === 'owner' && role !== 'owner') return DENIED;
  if (call.picks.endpoint === 'createToken' && !here.flags.org_wide_tokens)
    return [403, 'permission_error/feature_disabled'];
  if (token) {
    const project = projectOf(call, here) ?? '';
    if (token.project !== null && token.project !== project) return SCOPE;
    if (!(project in here.projects)) return NOT_FOUND;
    if (call.picks.endpoint === 'pushFinding') {
      const scanProject = here.scans[String(json.scan_id)];
      if (!scanProject) return NOT_FOUND;
      if (scanProject !== project) return [400, 'validation_error/field_invalid'];
    }
  }
  return undefined;
}

/** Whether an account that is to verify its primary address asks for a link to another. */
const verifiesOther = (call: Call, facts: Facts, user: string): boolean =>
  call.picks.endpoint === 'sendVerification' &&
  call.door.app === 'strict' &&
  !isVerified(user, facts) &&
  call.named.some(([, value]) => !facts.emails[value]?.primary);

/** Whether a profile call names what is not the user's. */
function namesForeign(call: Call, facts: Facts, user: string): boolean {
  const device = call.picks.endpoint === 'sendStepUpOtp' && call.body?.json.device_id;
  if (device) return facts.devices[String(device)]?.user !== user;
  return call.named.some(([word, value]) => {
    if (word === 'orgs') return !ORGS.some((org) => org === value && membershipOf(call, facts, org, user));
    if (word === 'emails') return facts.emails[value]?.user !== user;
    if (word === 'devices') return facts.devices[value]?.user !== user;
    if (word === 'totp') return facts.devices[value]?.user !== user || facts.devices[value]?.type !== 'totp';
    if (word === 'sessions') return facts.sessions[value]?.user !== user || !facts.sessions[value]?.live;
    throw TOO_HARD(`whose /${word}/ are`);
  });
}

// --- What has to hold of the answer ---

/** The refusals that a call gets only if the model says so. */
const isRefusal = ({ status, error = '' }: Pick<Answer, 'status' | 'error'>, { kind }: Admitted) =>
  status === 403 ||
  (status === 404 && kind !== 'nobody') ||
  status >= 500 ||
  (status === 401 && !/invalid_credentials|mfa_invalid_code/.test(error));

/** A call that was answered. */
export interface Answered {
  call: Call;
  answer: Answer;
}

/** What the model says of a call before it is made. */
function verdict(call: Call, facts: Facts): { admitted: Admitted; reason: Refusal | undefined } {
  const outcome = guard(call, facts);
  if (Array.isArray(outcome)) return { admitted: { kind: 'nobody' }, reason: outcome };
  return { admitted: outcome, reason: refusal(call, facts, outcome) };
}

/** All that is wrong with an answer. */
export function answerFaults({ call, answer }: Answered, before: Facts, after: Facts): string[] {
  const { admitted, reason } = verdict(call, before);
  const { org } = admitted;
  const { status, error, text } = answer;
  const said = `${status} ${error ?? ''}`.trim();
  const reads = call.endpoint.method === 'GET';
  const found: string[] = [];
  if (reason && admitted.kind === 'user') {
    // A wrong password comes first, and the API contract wants 400 of set-primary.
    if (status < 400) found.push(`answered ${said} about what is another's`);
  } else if (reason) {
    if (said !== reason.join(' ')) found.push(`answered ${said} instead of ${reason.join(' ')}`);
  } else if (reads) {
    if (status !== 200) found.push(`answered ${said} instead of 200`);
  } else if (call.body?.claim?.mixed ? status < 400 : isRefusal(answer, admitted)) {
    found.push(`answered ${said}, unexpectedly`);
  }

  const sees = view(call, admitted, before, after);
  for (const mark of marksIn(text)) if (!sees(mark)) found.push(`showed ${mark}`);
  for (const other of ORGS)
    if (text.includes(idOf('org', other)) && !sees(`secret.${other}`))
      found.push(`showed the id of ${other}`);
  if (reason || !org || status >= 400) return found;

  const isOfRow = reads && /(?:projects|scans|findings|exploits)\/\{\w+\}$/.test(call.endpoint.path);
  if (isOfRow && !marksIn(text).some((mark) => mark.startsWith(`secret.${org}`)))
    found.push(`did not show ${org}'s own`);
  // Unless others wrote meanwhile.
  if (!isDeepStrictEqual(before.orgs[org], after.orgs[org])) return found;
  const [shown, expected] = WHOLE[call.picks.endpoint]?.(answer.result, before.orgs[org]) ?? [];
  if (!isDeepStrictEqual(shown, expected))
    found.push(`showed ${JSON.stringify(shown)} instead of ${JSON.stringify(expected)}`);
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever came back
type Whole = (result: any, org: OrgFacts) => [shown: unknown, expected: unknown];

const sorted = (ids: Iterable<string>) => [...ids].sort();
const idsOf = (rows: { id: string }[]) => sorted(rows.map(({ id }) => id));
// biome-ignore lint/suspicious/noExplicitAny: whatever came back
const mapOf = (rows: any[], key: string, value: (row: any) => unknown) =>
  Object.fromEntries(rows.map((row) => [row[key], value(row)]));

/** What is without marks, but known in full. */
const WHOLE: Partial<Record<EndpointName, Whole>> = {
  dashboardStats: ({ total_findings, total_scans, severity_breakdown }, { findings, scans }) => [
    [total_findings, severity_breakdown.total, total_scans],
    [Object.keys(findings).length, Object.keys(findings).length, Object.keys(scans).length],
  ],
  dashboardTrend: (rows: { total: number }[], { findings }) => [
    rows.reduce((sum, { total }) => sum + total, 0),
    // Those of the world are older than a month.
    Object.keys(findings).filter((id) => !id.startsWith(OLD)).length,
  ],
  dashboardProjects: (rows, { projects, findings }) => [
    Object.fromEntries(
      (rows as { project: { id: string }; total: number }[]).map(({ project, total }) => [project.id, total]),
    ),
    Object.fromEntries(
      Object.keys(projects).map((id) => [id, Object.values(findings).filter((of) => of === id).length]),
    ),
  ],
  // Of what is named, it changes all that is there, and nothing else.
  updateFindings: ({ updated, failed }: Record<string, { id: string }[]>, { findings }) => [
    [updated, failed].map((some = []) => some.map(({ id }) => id in findings)),
    [updated?.map(() => true), failed?.map(() => false)],
  ],
  listProjects: (rows, { projects }) => [idsOf(rows), sorted(Object.keys(projects))],
  listMembers: (rows, { members }) => [
    mapOf(rows, 'user_id', ({ role }) => role),
    Object.fromEntries(Object.entries(members).map(([id, { role }]) => [id, role])),
  ],
  listTokens: (rows, { tokens }) => [
    mapOf(rows, 'id', ({ project_id }) => project_id || null),
    Object.fromEntries(Object.entries(tokens).map(([id, { project }]) => [id, project])),
  ],
  listOrgFeatures: (rows, { flags }) => [
    mapOf(rows, 'name', ({ enabled, provisioned }) => enabled && provisioned),
    flags,
  ],
};

/** All that is wrong with what was written while some calls were answered: what none of them may write. */
export function changeFaults(
  answered: readonly Answered[],
  changes: readonly Change[],
  before: Facts,
  after: Facts,
): string[] {
  return changes.flatMap((change) => {
    const faults = answered.map((one) => changeFault(one, change, before, after));
    return faults.includes(undefined) ? [] : (faults.slice(0, 1) as string[]);
  });
}

function changeFault(
  { call, answer }: Answered,
  change: Change,
  before: Facts,
  after: Facts,
): string | undefined {
  const { admitted, reason } = verdict(call, before);
  const { org, token } = admitted;
  const by = ownerOf(change, before, after);
  const project = by.project && nameOf('project', PROJECTS, by.project);
  const wrote = `wrote ${change.op} ${change.table} of ${by.org ?? by.user ?? 'somebody'}${project ? `, project ${project}` : ''}`;
  if (change.op === 'TOUCH') {
    const { id } = change.row;
    // A live session is in use also where it is refused.
    const isOwn = token
      ? id === token.id && by.org === org
      : id === claimsOf(call.picks.cookie)?.session && by.user === call.own;
    return isOwn ? undefined : wrote;
  }
  if (change.table === 'memberships' && isNoted(call, admitted, change, before, after)) return undefined;
  if (reason || answer.status >= 400 || call.endpoint.method === 'GET') return wrote;
  if (change.table === 'sessions' && isReplaced(call, change)) return undefined;
  if (change.table === 'mailed_tokens' && isInvited(call, change, before, after)) return undefined;
  if (change.table === 'outgoing_mails')
    return mailFault(call, admitted, change, view(call, admitted, before, after), before, after);
  // Mails are counted by the hash of their address.
  if (change.table === 'rate_limits')
    return marksIn(JSON.stringify(change.row)).length > 0 ? wrote : undefined;
  if (!isOwn(call, admitted, by)) return wrote;
  if (!by.org || by.org === 'new' || change.schema === 'shared') return undefined;
  const foreign = marksIn(JSON.stringify(change.row)).find((mark) => !mark.startsWith(`secret.${by.org}`));
  return foreign && `${wrote}: ${foreign}`;
}

/** Whether the change notes but a member's first visit, or that the owner of a link has verified the invited address. */
function isNoted(call: Call, admitted: Admitted, { op, row }: Change, before: Facts, after: Facts): boolean {
  const org = orgOf(String(row.org_id));
  if (!org) return false;
  const id = String(row.user_id);
  const about = call.body?.claim?.about;
  const byLink = ['verifyEmail', 'resetPassword'].includes(call.picks.endpoint);
  // A reset of an account whose address nobody had verified drops what was meant for its other addresses.
  if (byLink && about !== undefined && id === idOf('user', about)) return true;
  const isOwn =
    admitted.kind === 'member' && admitted.org === org && id === idOf('user', admitted.user ?? '');
  const [was, is] = [before, after].map((facts) => facts.orgs[org].members[id]?.role);
  return op === 'UPDATE' && isOwn && was === is;
}

/** Whether a sign-in in strict mode ends the session whose cookie it came with. */
const isReplaced = (call: Call, { op, row }: Change): boolean =>
  op === 'UPDATE' &&
  call.door.app === 'strict' &&
  ['register', 'login', 'validateMfa'].includes(call.picks.endpoint) &&
  row.id === claimsOf(call.picks.cookie)?.session;

/** Whether the link is one for whom an organization has just invited. */
function isInvited(call: Call, { row }: Change, before: Facts, after: Facts): boolean {
  const id = String(row.email_id);
  const email = before.emails[id] ?? after.emails[id];
  if (!email || email.verified || row.purpose !== 'reset_password') return false;
  if (call.picks.endpoint === 'inviteMember') return email.email === call.body?.json.email;
  return (
    call.picks.endpoint === 'resendInvitation' &&
    call.named.some(([word, value]) => word === 'members' && value === email.user)
  );
}

/** The texts that betray whose they are. */
const marksIn = (text: string): string[] => [...new Set(text.match(/secret\.\w+(\.\w+)*/g) ?? [])];

const markOfEmail = (email: string) => email.slice(0, email.indexOf('@'));

/** Which marks an answer may show. */
function view(call: Call, { kind, user, org, token }: Admitted, before: Facts, after: Facts) {
  const below = (root: string) => (mark: string) => mark === root || mark.startsWith(`${root}.`);
  const seen: ((mark: string) => boolean)[] = [];
  const emailsOf = (facts: Facts, id: string) =>
    Object.values(facts.emails).filter((email) => email.user === id);
  const { claim } = call.body ?? {};
  const self = kind === 'user' ? user : claim?.proven && !claim.mixed ? claim.about : undefined;
  if (self) {
    const id = idOf('user', self);
    seen.push(below(`secret.${self}`));
    for (const facts of [before, after]) {
      const own = emailsOf(facts, id).map(({ email }) => markOfEmail(email));
      const orgs = ORGS.filter((name) => membershipOf(call, facts, name, id)).map((name) => `secret.${name}`);
      seen.push((mark) => own.includes(mark) || (kind === 'user' && orgs.includes(mark)));
    }
  }
  if (org && token) {
    const project = token.project && nameOf('project', PROJECTS, token.project);
    seen.push(below(project ? `secret.${org}.${project}` : `secret.${org}`));
  } else if (org) {
    seen.push(below(`secret.${org}`));
    for (const facts of [before, after])
      for (const [id, membership] of Object.entries(facts.orgs[org].members)) {
        const { invited, confirmed, unseen } = membership;
        const primary = emailsOf(facts, id).find((email) => email.primary)?.email ?? '';
        const isNamed =
          id === idOf('user', user ?? '') ||
          invited === null ||
          (confirmed && !unseen) ||
          (call.door.app !== 'strict' && invited === primary);
        const shown = [markOfEmail(invited ?? primary), ...(isNamed ? [`secret.${userOf(id)}.name`] : [])];
        seen.push((mark) => shown.includes(mark));
      }
  }
  return (mark: string) => seen.some((sees) => sees(mark));
}

interface Owner {
  org?: OrgName | 'new' | undefined;
  user?: UserName | 'new' | undefined;
  project?: string | undefined;
}

/** Whose a row is. */
function ownerOf({ schema, table, row }: Change, before: Facts, after: Facts): Owner {
  const text = (key: string) => (typeof row[key] === 'string' ? (row[key] as string) : undefined);
  if (schema !== 'shared') {
    const org = ORGS.find((name) => schema === schemaOf(name));
    if (!org) return { org: 'new' };
    const finding = text('finding_id');
    const project =
      text('project_id') ??
      (finding && (before.orgs[org].findings[finding] ?? after.orgs[org].findings[finding]));
    return { org, project };
  }
  const orgId = table === 'orgs' ? text('id') : text('org_id');
  if (orgId) return { org: orgOf(orgId) ?? 'new' };
  const device = text('device_id');
  const userId =
    table === 'users'
      ? text('id')
      : (text('user_id') ?? (device && (before.devices[device] ?? after.devices[device])?.user));
  return userId ? { user: userOf(userId) ?? 'new' } : {};
}

export const schemaOf = (org: OrgName) => `org_${idOf('org', org).replaceAll('-', '')}`;

const MAKES_NEW: Record<string, (keyof Owner)[]> = {
  register: ['org', 'user'],
  createOrg: ['org'],
  inviteMember: ['user'],
  // An invited newcomer may be one who uses them.
  login: ['user'],
  forgotPassword: ['user'],
};

function isOwn(call: Call, { kind, user, org, token }: Admitted, by: Owner): boolean {
  const makes = MAKES_NEW[call.picks.endpoint] ?? [];
  if (by.org === 'new') return makes.includes('org');
  if (by.user === 'new') return makes.includes('user');
  switch (kind) {
    case 'agent':
      return by.org === org && (token?.project == null || by.project === token.project);
    case 'member':
      return by.org === org;
    case 'user':
      return by.user === user;
    case 'nobody': {
      const session = call.picks.endpoint === 'logout' && call.picks.cookie === CROSSED ? 'bob' : call.own;
      const about = call.picks.endpoint === 'logout' ? session : call.body?.claim?.about;
      return by.user !== undefined && by.user === about;
    }
  }
}

/** Mails go to who asked for them, or to the address in the request, and tell nothing to others. */
function mailFault(
  call: Call,
  { user }: Admitted,
  { row }: Change,
  sees: (mark: string) => boolean,
  before: Facts,
  after: Facts,
): string | undefined {
  const recipient = String(row.recipient);
  const about = user ?? call.body?.claim?.about;
  const emails = [...Object.values(before.emails), ...Object.values(after.emails)];
  const owners = emails.filter(({ email }) => email === recipient).map((email) => userOf(email.user));
  const invited =
    call.picks.endpoint === 'resendInvitation' ? userOf(call.params.members?.() ?? '') : undefined;
  const isAsked =
    recipient === call.body?.json.email ||
    [about, invited].some((one) => one !== undefined && owners.includes(one));
  if (!isAsked) return `mailed ${recipient}`;
  const theirs = [markOfEmail(recipient), ...owners.map((owner) => `secret.${owner}.name`)];
  const told = marksIn(`${row.subject} ${row.text} ${row.html}`).find(
    (mark) => !sees(mark) && !theirs.includes(mark),
  );
  return told && `mailed ${told} to ${recipient}`;
}
