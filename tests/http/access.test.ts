import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessions } from '../../db/schema/accounts.ts';
import { ROLES } from '../../db/schema/orgs.ts';
import { endpoints as table } from '../../handlers/index.ts';
import { type Access, stepUpOf } from '../../lib/http/access.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import type { z } from '../../lib/schema.ts';
import {
  type Answer,
  type CallOptions,
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { onePerAccess } from '../support/contract/access-groups.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { withoutOutbox } from '../support/server/no-outbox.ts';

const endpoints: Endpoint[] = Object.values(table);

let t: TestApp;
/** The same database, on the base domain svc.test. */
let based: TestApp;
/** The same database, in strict mode. */
let closed: TestApp;
let org: TestOrg;
/** Requires MFA of its members. */
let strict: TestOrg;
/** Requires single sign-on. */
let signed: TestOrg;
/** Is deleted, and not purged yet. */
let deleted: TestOrg;
const UNKNOWN_ORG = 'no-such-org';

beforeAll(async () => {
  t = await startApp();
  await withoutOutbox(t);
  based = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_BASE_DOMAIN: 'svc.test' } });
  closed = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_STRICT: 'on', SVC_AUTH_LIMITS: 'off' } });
  org = await createOrg(t.api);
  strict = await createOrg(t.api);
  must(await t.api.patch('/org-features/require_mfa', { ...strict.asOwner, body: { enabled: true } }));
  signed = await createOrg(t.api);
  const connection = { name: 'Login', issuer: 'https://login.example', client_id: 'x', require_sso: true };
  must(await t.api.post('/settings/connections', { ...signed.asOwner, body: connection }));
  deleted = await createOrg(t.api);
  must(await t.api.delete(`/orgs/${deleted.slug}`, { ...deleted.asOwner, body: { confirm: deleted.slug } }));
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const schemaOf = ({ id }: { id: string }) => `org_${id.replaceAll('-', '')}`;
const outcome = ({ status, error }: Answer) => [status, error];
const title = ({ method, path }: Endpoint) => `${method} ${path}`;
const ofKind = (...kinds: Access['kind'][]): [string, Endpoint][] =>
  endpoints.filter(({ access }) => kinds.includes(access.kind)).map((e) => [title(e), e]);
/** One endpoint for each distinct access. */
const oneOfKind = (...kinds: Access['kind'][]): [string, Endpoint][] =>
  onePerAccess(endpoints)
    .filter(({ access }) => kinds.includes(access.kind))
    .map((e) => [title(e), e]);

/** A path with its parameters filled, by the word in front of each; random ids where `ids` has none. */
const fill = (path: string, ids: Record<string, string> = {}) =>
  path.replace(/([\w-]+)\/\{\w+\}/g, (_, word) => `${word}/${ids[word] ?? crypto.randomUUID()}`);

/** Calls an endpoint with a body that none takes, so that a guard that comes too late shows. */
function call({ method, path }: Endpoint, options: CallOptions = {}, app = t): Promise<Answer> {
  const body = method === 'GET' ? {} : { body: '{' };
  return app.api.call(method, `/${fill(path)}`, { ...body, ...options });
}

/** A session made without the costs of a login. */
async function session(userId: string, state: 'live' | 'revoked' | 'expired' = 'live'): Promise<string> {
  const { id, at } = t.services.nextId();
  await t.services.database.db.insert(sessions).values({
    id,
    userId,
    ipAddress: '',
    userAgent: '',
    browser: '',
    os: '',
    deviceType: '',
    createdAt: at,
    lastActiveAt: at,
    expiresAt: new Date(at.getTime() + (state === 'expired' ? -1_000 : 60_000_000)),
    revokedAt: state === 'revoked' ? at : null,
  });
  return t.services.signedTokens.sign('session', { userId, id }, at);
}

const members = new Map<string, Promise<string>>();

/** The cookie of a new session, of the user who has a role in an org, or no org but their own. */
async function member(role?: string, { id } = org): Promise<string> {
  const key = `${role} ${id}`;
  const user = members.get(key) ?? createUser(t.api).then((made) => made.id);
  members.set(key, user);
  const userId = await user;
  // One of the calls is to leave.
  if (role)
    await sql('insert into shared.memberships values ($1, $2, $3, now()) on conflict do nothing', [
      id,
      userId,
      role,
    ]);
  return session(userId);
}

let verifiedUser: Promise<string> | undefined;

/** The id of a user with a verified address and no MFA, who is a pending member of these organizations and of no other. */
async function verified(...pendingAt: TestOrg[]): Promise<string> {
  verifiedUser ??= createUser(t.api).then(({ id }) => id);
  const id = await verifiedUser;
  await sql('update shared.users set mfa_enabled = false where id = $1', [id]);
  await sql('update shared.user_emails set verified_at = now() where user_id = $1', [id]);
  await sql('delete from shared.memberships where user_id = $1 and org_id in ($2, $3)', [
    id,
    org.id,
    strict.id,
  ]);
  for (const { id: orgId } of pendingAt) {
    await sql(
      `insert into shared.memberships (org_id, user_id, role, invited_email, created_at)
       values ($1, $2, 'owner', 'other@example.com', now())`,
      [orgId, id],
    );
  }
  return id;
}

const NOT_AUTHENTICATED = [401, 'auth_error/not_authenticated'];
const SESSION_OVER = [401, 'auth_error/session_revoked'];
const NO_ORG = [404, 'tenant_error/not_found'];
const NOT_VERIFIED = [403, 'permission_error/email_not_verified'];
const NOT_MEMBER = [403, 'tenant_error/not_member'];
const DELETED = [403, 'tenant_error/deleted'];
const SSO_REQUIRED = [403, 'permission_error/sso_required'];
const MFA_REQUIRED = [403, 'permission_error/mfa_required_by_org'];
const DENIED = [403, 'permission_error/denied'];
const TOKEN_FORMAT = [401, 'token_error/invalid_format'];
const TOKEN_INVALID = [401, 'token_error/invalid'];
const TOKEN_EXPIRED = [401, 'token_error/expired'];
const STEP_UP = [403, 'permission_error/step_up_required'];
const GUARDS = [
  STEP_UP,
  NOT_AUTHENTICATED,
  SESSION_OVER,
  NOT_VERIFIED,
  NO_ORG,
  NOT_MEMBER,
  DELETED,
  SSO_REQUIRED,
  MFA_REQUIRED,
  DENIED,
  TOKEN_FORMAT,
  TOKEN_INVALID,
  TOKEN_EXPIRED,
  [403, 'auth_error/base_domain_only'],
];

describe.each(oneOfKind('public', 'baseDomainOnly'))('%s', (_, endpoint) => {
  it('asks for nothing', async () => {
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint)));
  });

  it('does not mind a bad cookie or token', async () => {
    const answer = await call(endpoint, { cookie: 'garbage', token: 'garbage' });
    expect(GUARDS).not.toContainEqual(outcome(answer));
  });
});

describe.each(oneOfKind('baseDomainOnly'))('%s', (_, endpoint) => {
  it.each(['acme.svc.test', '127.0.0.1', 'elsewhere.example'])('is refused at %s', async (host) => {
    expect(outcome(await call(endpoint, { host }, based))).toEqual([403, 'auth_error/base_domain_only']);
  });

  it('is allowed at the base domain', async () => {
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, { host: 'svc.test' }, based)));
  });
});

describe.each(oneOfKind('cookie', 'cookieOrg'))('%s', (_, endpoint) => {
  // The session is asked for first, so that an organization that does not exist changes nothing.
  describe.each(['a known', 'an unknown'])('at %s organization', (which) => {
    const as = (cookie?: string) =>
      call(endpoint, { cookie, org: which === 'a known' ? org.slug : UNKNOWN_ORG });

    it.each([undefined, '', 'garbage', 'a.b.c'])('refuses the cookie %j', async (cookie) => {
      expect(outcome(await as(cookie))).toEqual(NOT_AUTHENTICATED);
    });

    it.each(['revoked', 'expired'] as const)('refuses a session that is %s', async (state) => {
      expect(outcome(await as(await session(org.owner.id, state)))).toEqual(SESSION_OVER);
    });
  });

  it('refuses a token in place of a cookie', async () => {
    expect(outcome(await call(endpoint, org.asAgent))).toEqual(NOT_AUTHENTICATED);
    expect(outcome(await call(endpoint, { cookie: org.token, org: org.slug }))).toEqual(NOT_AUTHENTICATED);
  });
});

describe.each(oneOfKind('cookie'))('%s', (_, endpoint) => {
  it('needs no organization', async () => {
    const cookie = await member();
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, { cookie })));
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, { cookie, host: 'x.svc.test' }, based)));
  });
});

describe.each(oneOfKind('cookie', 'cookieOrg'))('%s', (_, endpoint) => {
  const rule = stepUpOf(endpoint.access);
  const needsIt = rule === true;
  /** The call with a session that was made so long ago, and stepped up so long ago, in minutes. */
  async function aged(signedIn: number, steppedUp?: number): Promise<ReturnType<typeof outcome>> {
    const cookie = await member(endpoint.access.kind === 'cookieOrg' ? 'owner' : undefined);
    const { jti } = JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString());
    await sql(
      `update shared.sessions set created_at = now() - $2::float * interval '1 minute',
         stepped_up_at = now() - $3::float * interval '1 minute' where id = $1`,
      [jti, `${signedIn}`, steppedUp === undefined ? (null as unknown as string) : `${steppedUp}`],
    );
    return outcome(await call(endpoint, { cookie, org: org.slug }));
  }

  it(`${needsIt ? 'asks' : 'does not ask'} for a step-up 10 minutes after the sign-in`, async () => {
    expect(GUARDS).not.toContainEqual(await aged(9.5));
    // In some cases only: tests/orgs/control.test.ts.
    if (typeof rule === 'string') return;
    const late = await aged(10.5);
    if (!needsIt) return expect(GUARDS).not.toContainEqual(late);
    expect(late).toEqual(STEP_UP);
    expect(await aged(600, 10.5)).toEqual(STEP_UP);
    expect(GUARDS).not.toContainEqual(await aged(600, 9.5));
  });
});

/** Operations for an account without a verified address in strict mode: see who it is, and verify the address. */
const FOR_UNVERIFIED = [
  'GET /api/v1/auth/me',
  'GET /api/v1/profile/emails',
  'POST /api/v1/profile/emails/{id}/send-verification',
];

describe.each(oneOfKind('cookie', 'cookieOrg'))('%s', (name, endpoint) => {
  const isFree = FOR_UNVERIFIED.includes(name);

  it(`is ${isFree ? 'open' : 'closed'} to an account without a verified address in strict mode`, async () => {
    const cookie = await member('owner');
    for (const slug of [org.slug, strict.slug, UNKNOWN_ORG, undefined]) {
      const answer = outcome(await call(endpoint, { cookie, org: slug }, closed));
      if (isFree) expect(GUARDS).not.toContainEqual(answer);
      else expect(answer).toEqual(NOT_VERIFIED);
    }
  });

  it('asks for a session first in strict mode', async () => {
    const revoked = await session(org.owner.id, 'revoked');
    expect(outcome(await call(endpoint, { cookie: revoked, org: org.slug }, closed))).toEqual(SESSION_OVER);
    expect(outcome(await call(endpoint, { org: org.slug }, closed))).toEqual(NOT_AUTHENTICATED);
  });

  it('is open to a verified account in strict mode', async () => {
    const id = await verified();
    await sql("insert into shared.memberships values ($1, $2, 'owner', now())", [org.id, id]);
    const answer = await call(endpoint, { cookie: await session(id), org: org.slug }, closed);
    expect(GUARDS).not.toContainEqual(outcome(answer));
  });
});

describe.each(oneOfKind('public', 'baseDomainOnly', 'bearer'))('%s', (_, endpoint) => {
  it('does not ask for a verified address in strict mode', async () => {
    const cookie = await member();
    const answer = await call(endpoint, { cookie, token: org.token, org: org.slug }, closed);
    expect(outcome(answer)).not.toEqual(NOT_VERIFIED);
  });
});

describe.each(oneOfKind('cookieOrg'))('%s', (_, endpoint) => {
  it('is closed to a pending member in strict mode, and tells as little as to a stranger', async () => {
    const user = await verified(org, strict);
    for (const { id, slug } of [org, strict]) {
      const cookie = await session(user);
      expect(outcome(await call(endpoint, { cookie, org: slug }, closed))).toEqual(NOT_MEMBER);
      if (id === org.id)
        expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, { cookie, org: slug })));
    }
  });
});

describe.each(oneOfKind('cookieOrg'))('%s', (_, endpoint) => {
  const { access } = endpoint;
  if (access.kind !== 'cookieOrg') throw new Error('not of an organization');
  const allowed = ROLES.slice(0, ROLES.indexOf(access.role) + 1);
  const tooLow = ROLES.slice(allowed.length);

  it('refuses an unknown organization, or none', async () => {
    const cookie = await session(org.owner.id);
    expect(outcome(await call(endpoint, { cookie, org: UNKNOWN_ORG }))).toEqual(NO_ORG);
    expect(outcome(await call(endpoint, { cookie }))).toEqual(NO_ORG);
    const onBaseDomain = { cookie, org: org.slug, host: 'svc.test' };
    expect(outcome(await call(endpoint, onBaseDomain, based))).toEqual(NO_ORG);
  });

  it('refuses users who are not members', async () => {
    const cookie = await session(strict.owner.id);
    expect(outcome(await call(endpoint, { cookie, org: org.slug }))).toEqual(NOT_MEMBER);
    // Membership is asked for before MFA.
    const stranger = await session(org.owner.id);
    expect(outcome(await call(endpoint, { cookie: stranger, org: strict.slug }))).toEqual(NOT_MEMBER);
  });

  it('refuses members of a deleted organization, and tells others nothing of it', async () => {
    const owner = await session(deleted.owner.id);
    expect(outcome(await call(endpoint, { cookie: owner, org: deleted.slug }))).toEqual(DELETED);
    const stranger = await session(org.owner.id);
    expect(outcome(await call(endpoint, { cookie: stranger, org: deleted.slug }))).toEqual(NOT_MEMBER);
  });

  it.each(ROLES)('requires MFA of a member (%s) when the organization does', async (role) => {
    const cookie = await member(role, strict);
    expect(outcome(await call(endpoint, { cookie, org: strict.slug }))).toEqual(MFA_REQUIRED);
  });

  it('requires single sign-on of a member when the organization does', async () => {
    const cookie = await member('admin', signed);
    expect(outcome(await call(endpoint, { cookie, org: signed.slug }))).toEqual(SSO_REQUIRED);
  });

  it('admits users with MFA', async () => {
    const id = await verified();
    await sql("insert into shared.memberships values ($1, $2, 'owner', now())", [strict.id, id]);
    await sql('update shared.users set mfa_enabled = true where id = $1', [id]);
    const answer = await call(endpoint, { cookie: await session(id), org: strict.slug });
    expect(GUARDS).not.toContainEqual(outcome(answer));
  });

  it.each(allowed)('is for %s', async (role) => {
    const cookie = await member(role);
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, { cookie, org: org.slug })));
  });

  it.each(tooLow)('is not for %s', async (role) => {
    const cookie = await member(role);
    expect(outcome(await call(endpoint, { cookie, org: org.slug }))).toEqual(DENIED);
  });
});

describe.each(oneOfKind('bearer'))('%s', (_, endpoint) => {
  const withHeader = (authorization: string, slug = org.slug) =>
    call(endpoint, { org: slug, headers: { authorization } });
  const unknownToken = `svc_${'0'.repeat(32)}`;

  it('refuses a request without Authorization', async () => {
    expect(outcome(await call(endpoint, { org: org.slug }))).toEqual(NOT_AUTHENTICATED);
    expect(outcome(await call(endpoint, { org: UNKNOWN_ORG }))).toEqual(NOT_AUTHENTICATED);
  });

  it('refuses tokens of a deleted organization', async () => {
    expect(outcome(await call(endpoint, deleted.asAgent))).toEqual(DELETED);
  });

  it('refuses a session cookie', async () => {
    expect(outcome(await call(endpoint, { cookie: org.owner.cookie, org: org.slug }))).toEqual(
      NOT_AUTHENTICATED,
    );
    expect(outcome(await call(endpoint, { token: org.owner.cookie, org: org.slug }))).toEqual(TOKEN_FORMAT);
  });

  it.each([
    'Basic x',
    'Bearer abc',
    'Bearer',
    'Bearer  ',
    unknownToken,
    `Basic ${unknownToken}`,
    `Bearer a b`,
  ])('refuses the header %j, whatever the organization', async (header) => {
    expect(outcome(await withHeader(header))).toEqual(TOKEN_FORMAT);
    expect(outcome(await withHeader(header, UNKNOWN_ORG))).toEqual(TOKEN_FORMAT);
  });

  it('refuses an unknown organization before it looks at the token', async () => {
    expect(outcome(await withHeader(`Bearer ${org.token}`, UNKNOWN_ORG))).toEqual(NO_ORG);
    expect(outcome(await withHeader(`Bearer ${unknownToken}`, UNKNOWN_ORG))).toEqual(NO_ORG);
  });

  it.each([
    unknownToken,
    'svc_',
    'svc_short',
    `svc_${'G'.repeat(32)}`,
    `svc_${'0'.repeat(33)}`,
    `svc_${'0'.repeat(5_000)}`,
    'svc_%27%20or%20true',
  ])('refuses the unknown token %s', async (token) => {
    expect(outcome(await call(endpoint, { token, org: org.slug }))).toEqual(TOKEN_INVALID);
  });

  it('refuses a token that shares but its prefix with a real one', async () => {
    const token = org.token.slice(0, 12) + org.token.slice(12).split('').reverse().join('');
    expect(outcome(await call(endpoint, { token, org: org.slug }))).toEqual(TOKEN_INVALID);
  });

  it('refuses the token of another organization', async () => {
    expect(outcome(await call(endpoint, { token: strict.token, org: org.slug }))).toEqual(TOKEN_INVALID);
  });

  it.each([
    ['revoked', 'revoked = true', TOKEN_INVALID],
    ['expired', "expires_at = now() - interval '1 second'", TOKEN_EXPIRED],
    ['revoked and expired', "revoked = true, expires_at = now() - interval '1 second'", TOKEN_INVALID],
  ])('refuses a token that is %s', async (_, change, refused) => {
    const path = `/projects/${org.projectId}/tokens`;
    const { token, info } = must(await t.api.post(path, { ...org.asOwner, body: { name: 'short' } }));
    await sql(`update ${schemaOf(org)}.api_tokens set ${change} where id = $1`, [info.id]);
    expect(outcome(await call(endpoint, { token, org: org.slug }))).toEqual(refused);
  });

  it('lets an agent in, in whatever case the scheme is written', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect(GUARDS).not.toContainEqual(outcome(await withHeader(`${scheme} ${org.token}`)));
  });

  it('does not ask agents for MFA', async () => {
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, strict.asAgent)));
  });
});

describe.each(
  onePerAccess(endpoints)
    .filter(({ method }) => method !== 'GET')
    .map((e) => [title(e), e] as const),
)('%s', (_, endpoint) => {
  const from = async (origin: string) =>
    call(endpoint, {
      cookie: await member('owner'),
      token: org.token,
      org: org.slug,
      headers: { origin },
    });
  const { access } = endpoint;
  const isForAnySite = access.kind === 'bearer' || (access.kind === 'public' && access.fromAnySite);

  it.each(['https://evil.example', 'http://localhost.evil.example', 'http://localhost:8081', 'null', 'x'])(
    `${isForAnySite ? 'does not mind' : 'refuses'} the Origin %s`,
    async (origin) => {
      if (isForAnySite) expect(GUARDS).not.toContainEqual(outcome(await from(origin)));
      else expect(outcome(await from(origin))).toEqual(DENIED);
    },
  );

  it('takes the Origin of its own host', async () => {
    expect(GUARDS).not.toContainEqual(outcome(await from('http://localhost')));
  });
});

// The matrix above runs once for each distinct access. These cases show that each endpoint has the access that it declares.
describe.each(ofKind('public', 'baseDomainOnly'))('%s', (_, endpoint) => {
  it('is open to everybody', async () => {
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint)));
  });
});

describe.each(ofKind('cookie', 'cookieOrg', 'bearer'))('%s', (_, endpoint) => {
  const { access } = endpoint;
  const least = access.kind === 'cookieOrg' ? access.role : undefined;

  it('is closed without a credential, with an unknown token, and to members below its role', async () => {
    expect(outcome(await call(endpoint, { org: org.slug }))).toEqual(NOT_AUTHENTICATED);
    const token = `svc_${'0'.repeat(32)}`;
    expect([TOKEN_INVALID, NOT_AUTHENTICATED]).toContainEqual(
      outcome(await call(endpoint, { token, org: org.slug })),
    );
    const below = least && ROLES[ROLES.indexOf(least) + 1];
    if (!below) return;
    expect(outcome(await call(endpoint, { cookie: await member(below), org: org.slug }))).toEqual(DENIED);
  });

  it('is open to its own callers', async () => {
    const options = access.kind === 'bearer' ? org.asAgent : { cookie: await member(least), org: org.slug };
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, options)));
  });
});

describe('two organizations', () => {
  const SECRET = 'belongs to the other organization';
  let a: TestOrg;
  let b: TestOrg;
  /** Ids of A, by the word that stands in front of the parameter in a path. B has rows of the same ids. */
  let shared: Record<string, string>;
  /** Ids that only B has. */
  let onlyB: Record<string, string>;
  /** The query of all rows of B. */
  let everything: string;

  async function populate(owner: TestOrg): Promise<Record<string, string>> {
    const scans = await createScan(t.api, owner);
    const { id: findings } = await push(t.api, owner, scans);
    const code = { filename: 'poc.py', language: 'python', code: 'print(1)' };
    const path = `/agent/findings/${findings}/exploits`;
    const { id: exploits } = must(await t.api.post(path, { ...owner.asAgent, body: code }));
    const note = { ...owner.asOwner, body: { body: 'mine' } };
    const { id: comments } = must(await t.api.post(`/findings/${findings}/comments`, note));
    const change = { ...owner.asOwner, body: { ids: [findings], status: 'confirmed' } };
    const { change_id: changes } = must(await t.api.patch('/findings', change));
    const view = { ...owner.asOwner, body: { name: 'mine', query: 'status=open', shared: true } };
    const { id: views } = must(await t.api.post('/views', view));
    const rule = { name: 'mine', conditions: { severity: ['high'] }, actions: { status: 'wontfix' } };
    const { id: rules } = must(await t.api.post('/rules', { ...owner.asOwner, body: rule }));
    const { id: deleted } = await push(t.api, owner, scans);
    const gone = { ...owner.asOwner, body: { ids: [deleted] } };
    const { id: deletions } = must(await t.api.post('/findings/delete', gone));
    // A finding that the rule decided about, whose undo would open it.
    await push(t.api, owner, scans);
    const { projectId: projects, tokenId: tokens } = owner;
    const trust = { ...owner.asOwner, body: { issuer: 'https://git.example', claims: { project_id: 1 } } };
    const { id: trusts } = must(await t.api.post(`/projects/${projects}/ci-trusts`, trust));
    const assignment = { ...owner.asOwner, body: { role: 'member' } };
    must(await t.api.put(`/projects/${projects}/members/${owner.owner.id}`, assignment));
    const hook = { url: 'https://hooks.example', events: ['scan.failed'], enabled: false };
    const { id: webhooks } = must(await t.api.post('/webhooks', { ...owner.asOwner, body: hook }));
    const chat = { kind: 'slack', name: 'mine', url: 'https://hooks.example', enabled: false };
    const { id: integrations } = must(await t.api.post('/integrations', { ...owner.asOwner, body: chat }));
    const deliveries = crypto.randomUUID();
    await sql(
      `insert into ${schemaOf(owner)}.deliveries (destination_id, id, created_at, state)
        values ($1, $3, now(), 'failed'), ($2, $3, now(), 'failed')`,
      [webhooks, integrations, deliveries],
    );
    const issues = crypto.randomUUID();
    await sql(
      `insert into ${schemaOf(owner)}.issues (id, destination_id, state, told, told_at, created_by, created_at) values ($1, $2, 'failed', 'open', now(), $1, now())`,
      [issues, integrations],
    );
    await sql(
      `insert into ${schemaOf(owner)}.finding_issues (finding_id, destination_id, issue_id) values ($1, $2, $3)`,
      [findings, integrations, issues],
    );
    return {
      ...{ scans, findings, exploits, comments, changes, deletions, views, rules, projects, tokens },
      ...{ webhooks, integrations, deliveries, issues },
      'ci-trusts': trusts,
    };
  }

  beforeAll(async () => {
    [a, b] = [await createOrg(t.api), await createOrg(t.api)];
    shared = await populate(a);
    onlyB = { ...(await populate(b)), members: b.owner.id };
    const [from, to] = [schemaOf(a), schemaOf(b)];
    // The one slug a project of each may have is A's.
    await sql(`update ${to}.projects set slug = 'only-b'`);
    for (const table of [
      'projects',
      'scans',
      'findings',
      'exploits',
      'finding_events',
      'changes',
      'deletions',
      'deleted_findings',
      'saved_views',
      'rules',
      'rule_changes',
      'api_tokens',
      'ci_trusts',
      'project_members',
      'deliveries',
      'issues',
      'finding_issues',
    ])
      await sql(`insert into ${to}.${table} select * from ${from}.${table}`);
    await sql(`update ${to}.api_tokens set token_hash = repeat('0', 64) where id = $1`, [a.tokenId]);
    for (const [table, columns] of Object.entries({
      projects: ['name'],
      scans: ['name', 'error_message'],
      findings: ['title', 'description'],
      exploits: ['filename', 'code'],
      finding_events: ['note'],
      saved_views: ['name', 'query'],
      rules: ['name'],
      api_tokens: ['name'],
      deliveries: ['response'],
      issues: ['url', 'status', 'outcome'],
    }))
      await sql(`update ${to}.${table} set ${columns.map((column) => `${column} = '${SECRET}'`).join()}`);
    const tables = await sql(
      'select table_name as name from information_schema.tables where table_schema = $1',
      [to],
    );
    everything = [
      ...tables.map(({ name }) => `select '${name}', (to_jsonb(t) - 'seq')::text from ${to}.${name} t`),
      `select 'destinations', d::text from shared.destinations d where org_id = '${b.id}'`,
      `select 'memberships', m::text from shared.memberships m where org_id = '${b.id}'`,
    ].join(' union all ');
    known = await snapshot();
  });

  // One of the changes is the revocation of A's token, which others need.
  beforeEach(async () => {
    await sql(`update ${schemaOf(a)}.api_tokens set revoked = false`);
  });

  /** Everything B had last. */
  let known: string;

  /** Everything B has. Events get their position in the background. */
  async function snapshot(): Promise<string> {
    const [all] = await sql(
      `select string_agg(format('%s %s', name, row), e'\\n' order by name, row) as text from (${everything}) r(name, row)`,
    );
    return all?.text;
  }

  async function expectUnchanged(): Promise<void> {
    const before = known;
    known = await snapshot();
    expect(known).toBe(before);
  }

  const orgReads = ofKind('cookieOrg', 'bearer').filter(([, { method }]) => method === 'GET');
  const orgChanges = ofKind('cookieOrg', 'bearer').filter(([, { method }]) => method !== 'GET');
  const asA = (endpoint: Endpoint) => (endpoint.access.kind === 'bearer' ? a.asAgent : a.asOwner);
  const at = (endpoint: Endpoint, ids: Record<string, string>) => {
    const query = endpoint.describe().request?.query as z.ZodObject | undefined;
    return `/${fill(endpoint.path, ids)}${query?.shape.project_id ? `?project_id=${ids.projects}` : ''}`;
  };

  /** Whether all parameters of a path have an id of B. */
  const namesB = ({ path }: Endpoint) =>
    path.includes('{') && [...path.matchAll(/([\w-]+)\/\{/g)].every(([, word]) => (word ?? '') in onlyB);

  const takesBody = (endpoint: Endpoint) =>
    endpoint.method !== 'DELETE' || Boolean(endpoint.describe().request?.body);

  /** A body every endpoint that names no project takes, whichever it is. */
  const anyBody = ({ path }: Endpoint): Record<string, unknown> => ({
    ...finding(b, onlyB.scans ?? '', { name: 'changed', filename: 'x', language: 'x', code: 'x' }),
    body: 'changed',
    persona: 'senku',
    role: 'viewer',
    query: 'status=open',
    critical: 7,
    conditions: { path: ['**'] },
    actions: { due_days: 1 },
    ids: [shared.rules],
    with_findings: true,
    confirm: 'changed',
    organization: b.slug,
    issuer: 'https://git.example',
    url: 'https://hooks.example',
    integration_id: onlyB.integrations,
    finding_ids: [onlyB.findings],
    events: ['scan.failed'],
    claims: path.endsWith('/ci-trusts') ? { project_id: 1 } : {},
    status: path.includes('/scans/') ? 'failed' : 'open',
  });
  /** Some endpoints refuse fields that they do not have. */
  const bodyFor = (endpoint: Endpoint) => {
    const media = endpoint.describe().request?.body?.content['application/json'] as
      | { schema: Partial<z.ZodObject> }
      | undefined;
    const shape = media?.schema.shape;
    const fields = Object.entries(anyBody(endpoint)).filter(([name]) => !shape || name in shape);
    return Object.fromEntries(fields);
  };

  it.each(orgReads)("%s shows the one's own of two things with one id", async (_, endpoint) => {
    const answer = await t.api.call(
      endpoint.method,
      at(endpoint, { ...shared, members: a.owner.id }),
      asA(endpoint),
    );
    // None of their projects is being transferred.
    expect(answer.status).toBe(endpoint.path.endsWith('/transfer') ? 404 : 200);
    for (const foreign of [SECRET, b.id, b.slug, b.owner.id, b.owner.email])
      expect(answer.text).not.toContain(foreign);
  });

  it.each(orgReads.filter(([, { path }]) => path.includes('{')))(
    "%s does not find what is the other's",
    async (_, endpoint) => {
      expect(namesB(endpoint)).toBe(true);
      const answer = await t.api.call(endpoint.method, at(endpoint, onlyB), asA(endpoint));
      expect(outcome(answer)).toEqual([404, 'resource_error/not_found']);
    },
  );

  it.each(ofKind('cookieOrg'))("%s is closed to the other's owner", async (_, endpoint) => {
    const options = endpoint.method === 'GET' ? {} : { body: bodyFor(endpoint) };
    const answer = await t.api.call(endpoint.method, at(endpoint, onlyB), {
      ...a.asOwner,
      ...options,
      org: b.slug,
    });
    expect(outcome(answer)).toEqual(NOT_MEMBER);
    await expectUnchanged();
  });

  it.each(orgChanges)("%s with the other's ids changes nothing there", async (_, endpoint) => {
    const answer = await t.api.call(endpoint.method, at(endpoint, onlyB), {
      ...asA(endpoint),
      ...(takesBody(endpoint) && { body: bodyFor(endpoint) }),
    });
    if (namesB(endpoint)) expect(answer.status).toBe(404);
    await expectUnchanged();
  });

  it.each(orgChanges)('%s with ids that both have changes nothing there', async (_, endpoint) => {
    const body = { ...bodyFor(endpoint), project_id: a.projectId, scan_id: shared.scans };
    const answer = await t.api.call(endpoint.method, at(endpoint, shared), {
      ...asA(endpoint),
      ...(takesBody(endpoint) && { body }),
    });
    expect(GUARDS).not.toContainEqual(outcome(answer));
    await expectUnchanged();
  });

  it("do not push into each other's scans", async () => {
    const body = finding(a, onlyB.scans ?? '');
    const answer = await t.api.post('/agent/findings', { ...a.asAgent, body });
    expect(outcome(answer)).toEqual([404, 'resource_error/not_found']);
    await expectUnchanged();
  });

  it('count one fingerprint apart', async () => {
    const fresh = await createOrg(t.api);
    const scan = await createScan(t.api, fresh);
    await push(t.api, fresh, scan, { fingerprint: 'one' });
    const again = await push(t.api, b, onlyB.scans ?? '', { fingerprint: 'one' });
    expect(again).toMatchObject({ deduplicated: false, seen_count: 1 });
  });
});

describe('the table of endpoints', () => {
  it('has everything the handlers declare, in the folder its path says', async () => {
    const root = new URL('../../handlers/', import.meta.url);
    const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const declared: Endpoint[] = [];
    for (const file of files.filter((file) => file !== 'index.ts')) {
      for (const found of Object.values(await import(new URL(file, root).href)) as Endpoint[]) {
        if (typeof found?.route !== 'function') continue;
        declared.push(found);
        const words = found.path.split('/').filter((part) => part && !part.startsWith('{'));
        const folders = found.path.startsWith('/api/v1/') ? words.slice(2) : ['ops', ...words];
        // The last word may be the file's own name.
        expect([folders.join('/'), folders.slice(0, -1).join('/')], file).toContain(dirname(file));
      }
    }
    expect(declared.map(title).sort()).toEqual(endpoints.map(title).sort());
  });

  it('has no path twice', () => {
    const paths = endpoints.map(title);
    expect(new Set(paths).size).toBe(paths.length);
  });
});
