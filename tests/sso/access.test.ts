import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { switchMfaOn } from '../support/api/account.ts';
import { addMember, createOrg, createUser, must, PASSWORD, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { newBrowser, signInBySso } from '../support/sso/browser.ts';
import { codeOf, type Liar, startLiar } from '../support/sso/liar.ts';
import { CLIENT, startProvider, type TestProvider } from '../support/sso/provider.ts';

/* The effects of a sign-in at a provider: required sign-in, trusted factors, sign-out. */

const SSO_REQUIRED = '403 permission_error/sso_required';
const MFA_REQUIRED = '403 permission_error/mfa_required_by_org';

let t: TestApp;
let provider: TestProvider;
let org: TestOrg;
let connection: string;
let count = 0;

const newPerson = (next: object = {}, claims: object = {}) => {
  const sub = `person-${++count}`;
  const email = `${sub}@acme.example`;
  provider.people.set(sub, { email, name: 'Ada', groups: ['everyone'], ...claims });
  provider.next = { sub, ...next };
  return { sub, email };
};
const connect = async (body: object = {}, to = org) =>
  must(
    await t.api.post('/settings/connections', {
      ...to.asOwner,
      body: {
        ...{ name: 'Login', issuer: provider.issuer, ...CLIENT },
        role_mapping: [{ group: 'everyone', role: 'viewer' }],
        ...body,
      },
    }),
  ).id;
const change = (body: object) => t.api.patch(`/settings/connections/${connection}`, { ...org.asOwner, body });
const bySso = (options?: Parameters<typeof signInBySso>[2]) =>
  signInBySso(t, `connection=${connection}`, options);
const projects = (cookie: string | undefined, to = org) => t.api.get('/projects', { cookie, org: to.slug });
const mark = (who: { id: string }, break_glass: boolean, by = org.owner) =>
  t.api.patch(`/members/${who.id}`, { cookie: by.cookie, org: org.slug, body: { break_glass } });
const requireMfa = async (to = org) =>
  must(await t.api.patch('/org-features/require_mfa', { ...to.asOwner, body: { enabled: true } }));

/** Connects an account at the provider. */
const connected = (userId: string, sub: string) =>
  t.services.database.sql.unsafe(
    `insert into shared.identities (id, user_id, org_id, issuer, subject, email, created_at, last_used_at)
      values ($1, $2, $3, $4, $5, 'a@acme.example', now(), now())`,
    [crypto.randomUUID(), userId, org.id, provider.issuer, sub],
  );

beforeAll(async () => {
  t = await startApp({ env: { SVC_SSO_ALLOW_HTTP: 'on' } });
  provider = await startProvider();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  connection = await connect();
});

describe('required single sign-on', () => {
  it('admits sessions of the connection, and no others', async () => {
    const member = await addMember(t.api, org);
    newPerson();
    const { cookie } = await bySso();
    must(await change({ require_sso: true }));
    expect((await projects(cookie)).status).toBe(200);
    expect((await projects(member.cookie)).refusal).toBe(SSO_REQUIRED);
    const exported = must(await t.api.get('/auth/me/export', { cookie: member.cookie }));
    expect(exported.organizations).toContainEqual(
      expect.objectContaining({ slug: org.slug, left_out: 'sso_required' }),
    );
    // Agents are not people.
    expect((await t.api.get(`/agent/findings?project_id=${org.projectId}`, org.asAgent)).status).toBe(200);
    const other = await createOrg(t.api);
    must(
      await t.api.post('/members/invite', {
        ...other.asOwner,
        body: { email: member.email, role: 'member' },
      }),
    );
    expect((await projects(member.cookie, other)).status).toBe(200);
    must(await change({ enabled: false }));
    expect((await projects(member.cookie)).status).toBe(200);
  });

  it('is not met by the connection of another organization', async () => {
    const other = await createOrg(t.api);
    const theirs = await connect({}, other);
    newPerson();
    const { cookie } = await signInBySso(t, `connection=${theirs}`);
    const { user } = must(await t.api.get('/auth/me', { cookie }));
    must(
      await t.api.post('/members/invite', { ...org.asOwner, body: { email: user.email, role: 'member' } }),
    );
    expect((await projects(cookie)).status).toBe(200);
    must(await change({ require_sso: true }));
    expect((await projects(cookie)).refusal).toBe(SSO_REQUIRED);
  });

  it('exempts the owners who are there when it is switched on, so that none locks out another', async () => {
    const second = await addMember(t.api, org, 'owner');
    must(await change({ require_sso: true }));
    expect((await projects(org.owner.cookie)).status).toBe(200);
    expect((await projects(second.cookie)).status).toBe(200);
    expect((await mark(second, false)).refusal).toBe('403 permission_error/denied');
    // Nor by another provider, after more owners have come.
    const third = await addMember(t.api, org, 'owner');
    expect((await projects(third.cookie)).refusal).toBe(SSO_REQUIRED);
    must(await change({ client_id: 'another client' }));
    expect((await projects(third.cookie)).refusal).toBe('200');
    expect(must(await mark(second, false, second)).break_glass).toBeUndefined();
    expect((await projects(second.cookie)).refusal).toBe(SSO_REQUIRED);
    const path = `/orgs/${org.slug}`;
    const asSecond = { cookie: second.cookie, body: { name: 'Taken', confirm: org.slug } };
    expect((await t.api.patch(path, asSecond)).refusal).toBe(SSO_REQUIRED);
    expect((await t.api.delete(path, asSecond)).refusal).toBe(SSO_REQUIRED);
    expect((await t.api.post(`${path}/restore`, { cookie: second.cookie })).refusal).toBe(SSO_REQUIRED);
    // The marked owners are gone: the others get in again.
    await t.services.database.sql.unsafe(
      `update shared.users set disabled_at = now() where id in ('${org.owner.id}', '${third.id}')`,
    );
    expect((await projects(second.cookie)).status).toBe(200);
  });

  it('exempts an owner who takes back the ownership', async () => {
    const second = await addMember(t.api, org, 'owner');
    const asSecond = { cookie: second.cookie, org: org.slug };
    expect((await t.api.delete(`/members/${org.owner.id}`, asSecond)).status).toBe(204);
    const { link } = await t.delivered(org.owner.email);
    const body = { require_sso: true };
    must(await t.api.patch(`/settings/connections/${connection}`, { ...asSecond, body }));
    const token = new URL(link ?? '').searchParams.get('token');
    must(await t.api.post('/auth/undo-org-change', { body: { token } }));
    expect((await projects(org.owner.cookie)).status).toBe(200);
  });

  it('marks owners only, by owners only, with a mail and an entry', async () => {
    const admin = await addMember(t.api, org, 'admin');
    expect((await mark(admin, true)).refusal).toBe('403 permission_error/denied');
    expect((await mark(org.owner, true, admin)).refusal).toBe('403 permission_error/denied');
    must(await mark(org.owner, true));
    const [entry] = must(await t.api.get('/audit?action=member.role_changed', org.asOwner));
    expect(entry.changes).toEqual({ break_glass: { from: false, to: true } });
    must(await mark(org.owner, true));
    t.advance(11 * 60_000);
    expect((await mark(org.owner, false)).refusal).toBe('403 permission_error/step_up_required');
    // Providers have the true time.
    t.advance(-11 * 60_000);
    expect(must(await mark(org.owner, false)).break_glass).toBeUndefined();
    const nothing = await t.api.patch(`/members/${admin.id}`, { ...org.asOwner, body: {} });
    expect(nothing.refusal).toBe('400 validation_error/field_required role');
  });

  it('is not met by an account at the provider that has no role there', async () => {
    must(await change({ require_sso: true }));
    const member = await addMember(t.api, org);
    const { sub } = newPerson({}, { groups: [] });
    await connected(member.id, sub);
    expect((await bySso()).refusal).toBe('403 permission_error/denied');
    expect((await projects(member.cookie)).refusal).toBe(SSO_REQUIRED);
  });

  it('counts the session that made a personal access token', async () => {
    const make = async (cookie: string | undefined) =>
      must(
        await t.api.post('/profile/tokens', { cookie, body: { name: 'x', scopes: ['read'], expires_in: 7 } }),
      ).token;
    const member = await addMember(t.api, org);
    const before = await make(member.cookie);
    newPerson();
    const inside = await make((await bySso()).cookie);
    must(await change({ require_sso: true }));
    const use = (token: string) => t.api.get('/projects', { token, org: org.slug });
    expect((await use(before)).refusal).toBe(SSO_REQUIRED);
    expect((await use(inside)).status).toBe(200);
  });
});

describe('factors of the provider', () => {
  const mfa = { amr: ['pwd', 'otp'] };

  it('count as MFA in an organization that trusts them', async () => {
    newPerson(mfa);
    const untrusted = await bySso();
    must(await change({ trust_mfa: true }));
    await requireMfa();
    expect((await projects(untrusted.cookie)).refusal).toBe(MFA_REQUIRED);
    const trusted = await bySso({ browser: newBrowser() });
    expect((await projects(trusted.cookie)).status).toBe(200);
    newPerson({ amr: ['pwd'] });
    expect((await projects((await bySso()).cookie)).refusal).toBe(MFA_REQUIRED);
    // The owner has no second factor, and so cannot change it any more.
    await t.services.database.sql.unsafe('update shared.sso_connections set trust_mfa = false');
    expect((await projects(trusted.cookie)).refusal).toBe(MFA_REQUIRED);
  });

  it('count in no other organization', async () => {
    must(await change({ trust_mfa: true }));
    newPerson(mfa);
    const { cookie } = await bySso();
    const { user } = must(await t.api.get('/auth/me', { cookie }));
    const other = await createOrg(t.api);
    must(
      await t.api.post('/members/invite', { ...other.asOwner, body: { email: user.email, role: 'member' } }),
    );
    await requireMfa(other);
    expect((await projects(cookie, other)).refusal).toBe(MFA_REQUIRED);
  });

  it('do not stand in for the second factor of an account', async () => {
    must(await change({ trust_mfa: true }));
    const user = await createUser(t.api);
    const app = await switchMfaOn(t, user.cookie);
    const { sub } = newPerson(mfa, { email: user.email });
    await connected(user.id, sub);
    const page = await bySso({ headers: { accept: 'text/html' } });
    expect(page.cookie).toBeUndefined();
    const fragment = new URLSearchParams(page.headers.get('location')?.split('#')[1]);
    expect(JSON.parse(fragment.get('mfa') ?? '')).toMatchObject({ mfa_required: true });
    const { result } = await bySso();
    expect(result.mfa_methods).toMatchObject([{ id: app.id, type: 'totp' }]);
    const { mfa_token } = result;
    t.advance(30_000);
    const done = await t.api.post('/auth/mfa/validate', {
      body: { mfa_token, device_id: app.id, code: app.code() },
    });
    expect(done.status).toBe(200);
    // The session counts as one of the connection.
    must(await change({ require_sso: true }));
    expect((await projects(done.cookie)).status).toBe(200);
    const login = must(await t.api.post('/auth/login', { body: { email: user.email, password: PASSWORD } }));
    t.advance(30_000);
    const byPassword = await t.api.post('/auth/mfa/validate', {
      body: { mfa_token: login.mfa_token, device_id: app.id, code: app.code() },
    });
    expect((await projects(byPassword.cookie)).refusal).toBe(SSO_REQUIRED);
  });
});

describe('a second factor', () => {
  it.each([
    ['a connection that is switched off', () => change({ enabled: false }).then(must)],
    ['a connection that leads elsewhere', () => change({ client_id: 'another client' }).then(must)],
    [
      'a member who is suspended',
      ({ id }: { id: string }) =>
        t.services.database.sql.unsafe(
          'update shared.memberships set suspended_at = now() where user_id = $1',
          [id],
        ),
    ],
  ])('does not begin a session of %s meanwhile', async (_, changeFor) => {
    const user = await addMember(t.api, org);
    const app = await switchMfaOn(t, user.cookie);
    const { sub } = newPerson();
    await connected(user.id, sub);
    const { mfa_token } = (await bySso()).result;
    await changeFor(user);
    t.advance(30_000);
    const body = { mfa_token, device_id: app.id, code: app.code() };
    const late = await t.api.post('/auth/mfa/validate', { body });
    expect([late.refusal, late.cookie]).toEqual(['401 auth_error/invalid_credentials', undefined]);
  });
});

describe('a sign-in with a password of long ago', () => {
  it('may not change what requires a step-up, until it is fresh', async () => {
    newPerson();
    const browser = newBrowser();
    const makeToken = async (cookie: string | undefined) =>
      t.api.post('/profile/tokens', { cookie, body: { name: 'x', scopes: ['read'], expires_in: 7 } });
    expect((await makeToken((await bySso({ browser })).cookie)).status).toBe(201);
    // The person is still signed in at the provider.
    t.advance(30 * 60_000);
    const again = await bySso({ browser });
    expect((await makeToken(again.cookie)).refusal).toBe('403 permission_error/step_up_required');
    const { session_connection } = must(await t.api.get('/auth/session', { cookie: again.cookie }));
    expect(session_connection).toEqual({ id: connection, name: 'Login' });
    const started = await t.api.get(`/auth/sso/start?connection=${connection}&fresh=true`);
    const { searchParams } = new URL(started.headers.get('location') ?? '');
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0']);
    t.advance(-30 * 60_000);
  });
});

describe('a sign-out', () => {
  it('leads to the page of the provider that signs out there', async () => {
    newPerson();
    const browser = newBrowser();
    const { cookie } = await bySso({ browser });
    const answer = await t.api.post('/auth/logout', { cookie });
    const url = new URL(answer.result.logout_url);
    expect(`${url.origin}${url.pathname}`).toBe(`${provider.issuer}/session/end`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: CLIENT.client_id,
      id_token_hint: expect.stringMatching(/^ey/),
      post_logout_redirect_uri: 'http://localhost:8080/login',
    });
    expect((await t.api.get('/auth/me', { cookie })).status).toBe(401);
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(200);
  });

  it('of a session with a password has no result', async () => {
    const user = await createUser(t.api);
    expect((await t.api.post('/auth/logout', { cookie: user.cookie })).json).not.toHaveProperty('result');
  });

  describe('at the provider', () => {
    let liar: Liar;
    const logout = (logout_token: string, type = 'application/x-www-form-urlencoded') =>
      t.api.post('/auth/sso/backchannel-logout', {
        body: new URLSearchParams({ logout_token }).toString(),
        headers: { 'content-type': type },
      });
    const INVALID = '400 validation_error/invalid_request';

    async function signIn(claims: object) {
      const started = await t.api.get(`/auth/sso/start?connection=${connection}`);
      const { searchParams } = new URL(started.headers.get('location') ?? '');
      const nonce = searchParams.get('nonce');
      const [cookie = ''] = (started.headers.get('set-cookie') ?? '').split(';');
      const query = new URLSearchParams({
        ...{ code: codeOf({ nonce, ...claims }), state: searchParams.get('state') ?? '' },
        iss: String(liar.lies.claims?.iss ?? liar.issuer),
      });
      return t.api.get(`/auth/sso/callback?${query}`, { headers: { cookie } });
    }
    const isLive = async (cookie: string | undefined) =>
      (await t.api.get('/auth/me', { cookie })).status === 200;

    beforeEach(async () => {
      liar = await startLiar();
      connection = await connect({ issuer: liar.issuer });
    });

    it('ends the session, or all sessions of the person, once', async () => {
      const who = { sub: 'ada', email: `ada-${++count}@acme.example`, groups: ['everyone'] };
      const first = await signIn({ ...who, sid: 'one' });
      const second = await signIn({ ...who, sid: 'two' });
      const grace = { ...who, sub: 'grace', email: `grace-${++count}@acme.example` };
      const other = await signIn({ ...grace, sid: 'three' });
      const token = await liar.logoutToken({ sid: 'one' });
      expect((await logout(token)).status).toBe(200);
      expect([await isLive(first.cookie), await isLive(second.cookie)]).toEqual([false, true]);
      expect((await logout(token)).refusal).toBe(INVALID);
      expect((await logout(await liar.logoutToken({ sub: 'ada' }))).status).toBe(200);
      expect([await isLive(second.cookie), await isLive(other.cookie)]).toEqual([false, true]);
    });

    it('is that of an issuer with a slash at its end, too', async () => {
      const iss = `${liar.issuer}/`;
      liar.lies = { discovery: { issuer: iss }, claims: { iss } };
      const { cookie } = await signIn({
        sub: 'ada',
        email: `ada-${++count}@acme.example`,
        groups: ['everyone'],
      });
      expect((await logout(await liar.logoutToken({ sub: 'ada', iss }))).status).toBe(200);
      expect(await isLive(cookie)).toBe(false);
    });

    it('is refused unless the provider signed it for us, as a logout token', async () => {
      const ada = { sub: 'ada', email: `ada-${++count}@acme.example`, groups: ['everyone'] };
      const { cookie } = await signIn({ ...ada, sid: 'one' });
      const refused = [
        await liar.logoutToken({ sub: 'ada' }, { sign: 'other key' }),
        await liar.logoutToken({ sub: 'ada' }, { sign: 'none' }),
        await liar.logoutToken({ sub: 'ada' }, { sign: 'HS256' }),
        await liar.logoutToken({ sub: 'ada', aud: 'another client' }),
        await liar.logoutToken({ sub: 'ada', iss: 'https://issuer.example' }),
        await liar.logoutToken({ sub: 'ada', nonce: 'an ID token' }),
        await liar.logoutToken({ sub: 'ada', events: {} }),
        await liar.logoutToken({ sub: 'ada', iat: 1_700_000_000, exp: 4_000_000_000 }),
        await liar.logoutToken({}),
        'nothing',
        '',
      ];
      for (const token of refused) expect((await logout(token)).refusal).toBe(INVALID);
      const other = await logout(await liar.logoutToken({ sub: 'ada' }), 'application/json');
      expect(other.refusal).toBe('400 validation_error/invalid_body');
      expect(await isLive(cookie)).toBe(true);
    });
  });
});
