import { beforeAll, describe, expect, it } from 'vitest';
import { personalTokens } from '../../db/schema/personal-tokens.ts';
import { TOKEN_SCOPES, type TokenScope } from '../../db/schema/values.ts';
import { endpoints as table } from '../../handlers/index.ts';
import type { Access } from '../../lib/http/access.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import { generateToken } from '../../lib/tokens/format.ts';
import {
  type Answer,
  type CallOptions,
  createOrg,
  createUser,
  must,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { onePerAccess } from '../support/contract/access-groups.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/*
 * Every distinct access with every scope, of tokens of the organization and of people. tests/http/access.test.ts has the cookies.
 */

const endpoints: Endpoint[] = Object.values(table);
const ofKind = (
  kind: Access['kind'],
  takes?: (access: Access) => boolean,
  among = onePerAccess(endpoints),
): [string, Endpoint][] =>
  among
    .filter(({ access }) => access.kind === kind && (takes?.(access) ?? true))
    .map((one) => [`${one.method} ${one.path}`, one]);
const tokensOf = (access: Access): string => ('tokens' in access && access.tokens) || 'none';

let t: TestApp;
let org: TestOrg;
/** Requires MFA of its members. */
let strict: TestOrg;
/** Requires single sign-on of its members. */
let signed: TestOrg;
/** A viewer of all three organizations. */
let viewer: TestUser;
const MFA_REQUIRED = [403, 'permission_error/mfa_required_by_org'];
const SSO_REQUIRED = [403, 'permission_error/sso_required'];
const SCOPE = [403, 'token_error/scope_mismatch'];
const DENIED = [403, 'permission_error/denied'];
const NOT_AUTHENTICATED = [401, 'auth_error/not_authenticated'];
const NOT_MEMBER = [403, 'tenant_error/not_member'];
const INVALID = [401, 'token_error/invalid'];
const EXPIRED = [401, 'token_error/expired'];
const NO_ORG = [404, 'tenant_error/not_found'];
const GUARDS = [
  SSO_REQUIRED,
  MFA_REQUIRED,
  SCOPE,
  DENIED,
  NOT_AUTHENTICATED,
  NOT_MEMBER,
  INVALID,
  EXPIRED,
  NO_ORG,
];

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const schemaOf = ({ id }: { id: string }) => `org_${id.replaceAll('-', '')}`;

beforeAll(async () => {
  t = await startApp();
  [org, strict, signed] = [await createOrg(t.api), await createOrg(t.api), await createOrg(t.api)];
  const connection = { name: 'Login', issuer: 'https://login.example', client_id: 'x', require_sso: true };
  must(await t.api.post('/settings/connections', { ...signed.asOwner, body: connection }));
  viewer = await createUser(t.api);
  for (const { id } of [org, strict, signed])
    await sql("insert into shared.memberships values ($1, $2, 'viewer', now())", [id, viewer.id]);
  must(await t.api.patch('/org-features/require_mfa', { ...strict.asOwner, body: { enabled: true } }));
});

/** Calls an endpoint with a body that none takes, and ids that do not exist. */
function call({ method, path }: Endpoint, options: CallOptions): Promise<Answer> {
  const filled = path.replace(/\{\w+\}/g, () => crypto.randomUUID());
  const body = method === 'GET' ? {} : { body: '{' };
  return t.api.call(method, `/${filled}`, { ...body, ...options });
}

/** An org-wide token, made without the quota and the flag. */
async function orgToken(scopes: string, at = org): Promise<string> {
  const { token, prefix, hash } = generateToken();
  await sql(
    `insert into ${schemaOf(at)}.api_tokens (id, name, prefix, token_hash, scopes, created_by, created_at)
     values ($1, 'script', $2, $3, $4, $5, now())`,
    [crypto.randomUUID(), prefix, hash, scopes, at.owner.id],
  );
  return token;
}

/** A token of a person. */
async function personalToken(
  user: Pick<TestUser, 'id'>,
  scopes: string,
  { days = 1, orgId = null }: { days?: number; orgId?: string | null } = {},
): Promise<string> {
  const { token, prefix, hash } = generateToken('personal');
  const { id, at: createdAt } = t.services.nextId();
  const expiresAt = new Date(createdAt.getTime() + days * 86_400_000);
  const row = { id, userId: user.id, orgId, name: 'script', prefix, tokenHash: hash, scopes };
  await t.services.database.db.insert(personalTokens).values({ ...row, createdAt, expiresAt });
  return token;
}

const ROLE_OF: Record<string, string> = { read: 'viewer', triage: 'member', admin: 'admin' };
const RANK = ['viewer', 'member', 'admin', 'owner'];
const covers = (scope: TokenScope, role: string) =>
  scope !== 'ingest' && RANK.indexOf(ROLE_OF[scope] ?? '') >= RANK.indexOf(role);

describe.each(ofKind('cookieOrg'))('%s', (_, endpoint) => {
  const { access } = endpoint;
  if (access.kind !== 'cookieOrg') throw new Error('not of an organization');
  const { role, tokens } = access;

  it.each(TOKEN_SCOPES)('answers an API token with the scope %s', async (scope) => {
    const answer = outcome(await call(endpoint, { token: await orgToken(scope), org: org.slug }));
    if (tokens === 'none' || scope === 'ingest') expect(answer).toEqual(NOT_AUTHENTICATED);
    else if (tokens === 'any' && covers(scope, role)) expect(GUARDS).not.toContainEqual(answer);
    else expect(answer).toEqual(SCOPE);
  });

  it.each(TOKEN_SCOPES)('answers a personal token of the owner with the scope %s', async (scope) => {
    const token = await personalToken(org.owner, scope);
    const answer = outcome(await call(endpoint, { token, org: org.slug }));
    if (tokens === 'none') expect(answer).toEqual(NOT_AUTHENTICATED);
    else if (covers(scope, role)) expect(GUARDS).not.toContainEqual(answer);
    else expect(answer).toEqual(SCOPE);
  });

  it('gives a personal token no more than the role of its owner', async () => {
    const token = await personalToken(viewer, 'read,triage,admin');
    const answer = outcome(await call(endpoint, { token, org: org.slug }));
    if (tokens === 'none') expect(answer).toEqual(NOT_AUTHENTICATED);
    else if (role === 'viewer') expect(GUARDS).not.toContainEqual(answer);
    else expect(answer).toEqual(DENIED);
  });
});

describe.each(ofKind('cookieOrg', (access) => tokensOf(access) !== 'none'))('%s', (_, endpoint) => {
  it('refuses tokens of another organization, or that are revoked, expired or made up', async () => {
    const here = org.slug;
    const inDays = (days: number) => personalToken(org.owner, 'admin', { days });
    for (const [token, expected] of [
      [await orgToken('admin', strict), INVALID],
      [`svc_${'0'.repeat(32)}`, INVALID],
      [`svcp_${'0'.repeat(32)}`, INVALID],
      ['svc_', INVALID],
      [`svcp_${'0'.repeat(5_000)}`, INVALID],
      [(await inDays(1)).toUpperCase().replace('SVCP_', 'svcp_'), INVALID],
      [await inDays(-1), EXPIRED],
      [await personalToken(await createUser(t.api), 'admin'), NOT_MEMBER],
      [await personalToken(org.owner, 'admin', { orgId: strict.id }), SCOPE],
    ] as const)
      expect([token.slice(0, 13), outcome(await call(endpoint, { token, org: here }))]).toEqual([
        token.slice(0, 13),
        expected,
      ]);
    const limited = await personalToken(org.owner, 'admin', { orgId: org.id });
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, { token: limited, org: here })));
  });

  it('looks for the organization of an API token first, and for a personal token before it', async () => {
    expect(outcome(await call(endpoint, { token: await orgToken('admin'), org: 'no-such-org' }))).toEqual(
      NO_ORG,
    );
    const own = await personalToken(org.owner, 'admin');
    expect(outcome(await call(endpoint, { token: own, org: 'no-such-org' }))).toEqual(NO_ORG);
    const unknown = `svcp_${'0'.repeat(32)}`;
    expect(outcome(await call(endpoint, { token: unknown, org: 'no-such-org' }))).toEqual(INVALID);
  });

  it('requires MFA of the owner of a personal token when the organization does', async () => {
    const token = await personalToken(viewer, 'admin');
    expect(outcome(await call(endpoint, { token, org: strict.slug }))).toEqual(MFA_REQUIRED);
    // Nobody has a second factor for a token of the organization.
    const ofOrg = await orgToken('admin', strict);
    expect(outcome(await call(endpoint, { token: ofOrg, org: strict.slug }))).not.toEqual(MFA_REQUIRED);
  });

  it('requires single sign-on of the session that made a personal token when the organization does', async () => {
    const token = await personalToken(viewer, 'admin');
    expect(outcome(await call(endpoint, { token, org: signed.slug }))).toEqual(SSO_REQUIRED);
    const ofOrg = await orgToken('admin', signed);
    expect(outcome(await call(endpoint, { token: ofOrg, org: signed.slug }))).not.toEqual(SSO_REQUIRED);
  });

  it('uses the token, not the cookie that comes with it', async () => {
    const { cookie } = org.owner;
    const options = { cookie, org: org.slug };
    const revoked = `svc_${'0'.repeat(32)}`;
    expect(outcome(await call(endpoint, { ...options, token: revoked }))).toEqual(INVALID);
    const weak = await personalToken(viewer, 'ingest');
    expect(outcome(await call(endpoint, { ...options, token: weak }))).toEqual(SCOPE);
    // A token of agents counts for nothing here.
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, { ...options, token: org.token })));
    const good = await personalToken(org.owner, 'admin');
    const answer = await call(endpoint, { cookie: 'garbage', org: org.slug, token: good });
    expect(GUARDS).not.toContainEqual(outcome(answer));
  });

  it.each(['Basic svc_x', 'Bearer', 'Bearer x', 'svc_', 'Bearer eyJ.a.b', 'Digest svcp_0', ''])(
    'ignores the header %j, which is not of one of our tokens',
    async (authorization) => {
      const options = { org: org.slug, headers: { authorization } };
      expect(outcome(await call(endpoint, options))).toEqual(NOT_AUTHENTICATED);
      const signedIn = await call(endpoint, { ...options, cookie: org.owner.cookie });
      expect(GUARDS).not.toContainEqual(outcome(signedIn));
    },
  );

  it('refuses two tokens in one header', async () => {
    const token = await personalToken(org.owner, 'admin');
    for (const authorization of [`Bearer ${token} ${token}`, `Bearer ${token}, Bearer ${token}`]) {
      const answer = await call(endpoint, { org: org.slug, headers: { authorization } });
      expect([401]).toContain(answer.status);
      expect(answer.error).toMatch(/^token_error\//);
    }
  });

  it('does not ask for the Origin of a page with a token, which no browser adds by itself', async () => {
    const headers = { origin: 'https://evil.example' };
    const token = await personalToken(org.owner, 'admin');
    expect(GUARDS).not.toContainEqual(outcome(await call(endpoint, { token, org: org.slug, headers })));
  });
});

describe.each(ofKind('cookie'))('%s', (_, endpoint) => {
  it(`${tokensOf(endpoint.access) === 'none' ? 'refuses' : 'takes'} a personal token`, async () => {
    const token = await personalToken(org.owner, 'read,triage,admin');
    const answer = outcome(await call(endpoint, { token, org: org.slug }));
    if (tokensOf(endpoint.access) === 'none') expect(answer).toEqual(NOT_AUTHENTICATED);
    else expect(GUARDS).not.toContainEqual(answer);
  });

  it('refuses a personal token that is expired, made up or malformed', async () => {
    if (tokensOf(endpoint.access) === 'none') return;
    const expired = await personalToken(org.owner, 'read', { days: -1 });
    expect(outcome(await call(endpoint, { token: expired }))).toEqual(EXPIRED);
    expect(outcome(await call(endpoint, { token: `svcp_${'0'.repeat(32)}` }))).toEqual(INVALID);
    expect(outcome(await call(endpoint, { token: 'svcp_ x' }))).toEqual([401, 'token_error/invalid_format']);
  });

  it('refuses an API token', async () => {
    const token = await orgToken('ingest,read,triage,admin');
    expect(outcome(await call(endpoint, { token, org: org.slug }))).toEqual(NOT_AUTHENTICATED);
  });
});

describe.each(ofKind('bearer'))('%s', (_, endpoint) => {
  it.each(TOKEN_SCOPES)('answers an API token with the scope %s', async (scope) => {
    const answer = outcome(await call(endpoint, { token: await orgToken(scope), org: org.slug }));
    if (scope === 'ingest') expect(GUARDS).not.toContainEqual(answer);
    else expect(answer).toEqual(SCOPE);
  });

  it('refuses a personal token', async () => {
    const token = await personalToken(org.owner, 'ingest,admin');
    expect((await call(endpoint, { token, org: org.slug })).refusal).toBe('401 token_error/invalid_format');
  });
});

it('leaves only the account of a personal token without a step-up or a session', () => {
  const open = endpoints.filter(({ access }) => access.kind === 'cookie' && access.tokens);
  expect(open.map(({ path }) => path)).toEqual(['/api/v1/auth/me']);
});

it('keeps tokens away from what decides who has access, and from what cannot be undone', () => {
  const isClosed = (access: Access) => tokensOf(access) === 'none';
  const closed = ofKind('cookieOrg', isClosed, endpoints).map(([title]) => title);
  expect(closed.sort()).toEqual(
    [
      'DELETE /api/v1/deletions/{id}',
      'DELETE /api/v1/members/{userId}',
      'DELETE /api/v1/projects/{id}/members/{userId}',
      'DELETE /api/v1/projects/{projectId}/tokens/{id}',
      // Needs a step-up.
      'DELETE /api/v1/projects/{slug}',
      'POST /api/v1/projects/{slug}/transfer',
      'PUT /api/v1/projects/{id}/members/{userId}',
      'PUT /api/v1/settings/retention',
      'DELETE /api/v1/projects/{slug}/transfer',
      'GET /api/v1/projects/{slug}/transfer',
      'DELETE /api/v1/tokens/{id}',
      'PATCH /api/v1/members/{userId}',
      'PATCH /api/v1/org-features/{flag}',
      'PATCH /api/v1/settings/security',
      'POST /api/v1/members/accept-ownership',
      'POST /api/v1/members/decline-ownership',
      'POST /api/v1/members/invite',
      'POST /api/v1/members/leave',
      'POST /api/v1/members/{userId}/resend-invitation',
      'POST /api/v1/projects/{projectId}/tokens',
      'POST /api/v1/tokens',
      'POST /api/v1/webhooks',
      'PATCH /api/v1/webhooks/{id}',
      'DELETE /api/v1/webhooks/{id}',
      'POST /api/v1/webhooks/{id}/test',
      'POST /api/v1/webhooks/{id}/rotate-secret',
      'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      'POST /api/v1/integrations',
      'PATCH /api/v1/integrations/{id}',
      'DELETE /api/v1/integrations/{id}',
      'POST /api/v1/integrations/{id}/test',
      'POST /api/v1/integrations/{id}/deliveries/{deliveryId}/redeliver',
      'GET /api/v1/settings/connections',
      'POST /api/v1/settings/connections',
      'PATCH /api/v1/settings/connections/{id}',
      'DELETE /api/v1/settings/connections/{id}',
      'POST /api/v1/settings/connections/{id}/test',
      'GET /api/v1/settings/domains',
      'POST /api/v1/settings/domains',
      'POST /api/v1/settings/domains/{id}/verify',
      'DELETE /api/v1/settings/domains/{id}',
      'POST /api/v1/projects/{projectId}/ci-trusts',
      'DELETE /api/v1/projects/{projectId}/ci-trusts/{id}',
      'GET /api/v1/settings/scim',
      'POST /api/v1/settings/scim/token',
      'DELETE /api/v1/settings/scim/token',
    ].sort(),
  );
});
