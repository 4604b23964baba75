import { beforeAll, describe, expect, it } from 'vitest';
import { addMember, createOrg, createUser, must, PASSWORD, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { atProvider, call, newBrowser, signInBySso } from '../support/sso/browser.ts';
import { CLIENT, startProvider, type TestProvider } from '../support/sso/provider.ts';

let t: TestApp;
let provider: TestProvider;
let org: TestOrg;
let connection: string;
let count = 0;

const sql = (text: string, params: unknown[] = []) =>
  t.services.database.sql.unsafe(text, params as string[]);
const newPerson = (claims: object = {}) => {
  const sub = `person-${++count}`;
  const email = `${sub}@acme.example`;
  provider.people.set(sub, {
    ...{ email, email_verified: true, name: 'Ada Lovelace', groups: ['everyone'] },
    ...claims,
  });
  provider.next = { sub };
  return { sub, email };
};
const EVERYONE = { group: 'everyone', role: 'viewer' };
const connect = async (body: object = {}, to = org) =>
  must(
    await t.api.post('/settings/connections', {
      ...to.asOwner,
      body: { name: 'Login', issuer: provider.issuer, ...CLIENT, ...body },
    }),
  );
const change = (body: object, id = connection) =>
  t.api.patch(`/settings/connections/${id}`, { ...org.asOwner, body });
const me = (cookie: string | undefined) => t.api.get('/auth/me', { cookie });
const roleOf = async (email: string) =>
  (
    await sql(
      `select m.role, m.mapped_by from shared.memberships m join shared.user_emails e on e.user_id = m.user_id
        where e.email = $1 and m.org_id = $2`,
      [email, org.id],
    )
  )[0];

beforeAll(async () => {
  t = await startApp({ env: { SVC_SSO_ALLOW_HTTP: 'on' } });
  provider = await startProvider();
  org = await createOrg(t.api);
  connection = (await connect({ role_mapping: [EVERYONE] })).id;
});

const ROLES = [
  { group: 'developers', role: 'member' },
  { group: 'security', role: 'admin' },
];
const NO_ROLE = '403 permission_error/denied';
const bySso = (headers?: Record<string, string>) =>
  signInBySso(t, `connection=${connection}`, headers ? { headers } : {});
const groupsAre = (sub: string, groups: unknown) =>
  provider.people.set(sub, { ...provider.people.get(sub), groups });
const auditOf = async () =>
  must(await t.api.get('/audit', org.asOwner)).map(({ action }: { action: string }) => action);
/** As by its DNS record, which tests/sso/connections has. */
const prove = async (domain: string) => {
  const { id } = must(await t.api.post('/settings/domains', { ...org.asOwner, body: { domain } }));
  await sql('update shared.org_domains set verified_at = now() where id = $1', [id]);
};

describe('a sign-in at a provider', () => {
  it('creates an account and a membership, and knows the person again', async () => {
    const { email } = newPerson();
    const first = await bySso();
    expect([first.status, first.text]).toEqual([302, '']);
    expect(first.headers.get('location')).toBe(`http://localhost:8080/o/${org.slug}`);
    const account = must(await me(first.cookie));
    expect(account.user).toMatchObject({ email, name: 'Ada Lovelace' });
    expect(account.orgs).toMatchObject([{ slug: org.slug, role: 'viewer' }]);
    expect((await auditOf())[0]).toBe('member.joined');
    const again = await signInBySso(t, `org=${org.slug}&return_to=/o/x?y=1`);
    expect(again.headers.get('location')).toBe('/o/x?y=1');
    expect(must(await me(again.cookie)).user.id).toBe(account.user.id);
    const { identities } = must(await t.api.get('/profile/identities', { cookie: again.cookie }));
    expect(identities).toMatchObject([{ issuer: provider.issuer, email }]);
  });

  it('limits a new member to assigned projects where the connection says so', async () => {
    must(await change({ project_access: 'assigned' }));
    newPerson();
    const { cookie } = await bySso();
    const [entry] = must(await t.api.get('/audit?action=member.joined', org.asOwner));
    expect(entry.changes).toMatchObject({ role: { to: 'viewer' }, project_access: { to: 'assigned' } });
    expect(must(await t.api.get('/projects', { cookie, org: org.slug }))).toEqual([]);
    must(await change({ project_access: 'all' }));
  });

  it('twice at the same instant makes one account', async () => {
    newPerson();
    const both = await Promise.all([bySso(), bySso()]);
    const users = await Promise.all(both.map(async ({ cookie }) => must(await me(cookie)).user.id));
    expect(users[0]).toBe(users[1]);
  });

  it('knows the person whose address changed, and leaves the address of the account', async () => {
    const { sub, email } = newPerson();
    const { user } = must(await me((await bySso()).cookie));
    provider.people.set(sub, { email: 'married@acme.example', groups: ['everyone'] });
    const again = must(await me((await bySso()).cookie));
    expect(again.user).toMatchObject({ id: user.id, email });
  });

  it('of a disabled account, and of a deleted organization, is refused', async () => {
    const { email } = newPerson();
    await bySso();
    await sql(
      `update shared.users set disabled_at = now() where id = (select user_id from shared.user_emails where email = $1)`,
      [email],
    );
    expect((await bySso()).refusal).toBe('401 auth_error/invalid_credentials');
    // Also if that happens after the admission, before the session.
    const late = newPerson();
    await bySso();
    await sql(`create function shared.disable() returns trigger language plpgsql as $$ begin
      update shared.users set disabled_at = now() where id = new.user_id; return new; end $$`);
    await sql(
      'create trigger disable after update on shared.identities for each row execute function shared.disable()',
    );
    expect((await bySso()).refusal).toBe('401 auth_error/invalid_credentials');
    await sql('drop function shared.disable cascade');
    const sessions = await sql(
      `select from shared.sessions s join shared.user_emails e on e.user_id = s.user_id where e.email = $1`,
      [late.email],
    );
    expect(sessions).toHaveLength(1);
    const other = await createOrg(t.api);
    const { id } = await connect({}, other);
    const body = { confirm: other.slug };
    must(await t.api.delete(`/orgs/${other.slug}`, { cookie: other.owner.cookie, body }));
    newPerson();
    expect((await signInBySso(t, `connection=${id}`)).refusal).toBe('404 resource_error/not_found');
  });

  it('of a switched-off connection is refused, and its sessions end', async () => {
    newPerson();
    const { cookie } = await bySso();
    const browser = newBrowser();
    const started = await call(t, browser, 'get', `/auth/sso/start?connection=${connection}`);
    must(await change({ enabled: false }));
    const back = await atProvider(browser, started.headers.get('location') ?? '');
    const late = await call(t, browser, 'get', `/auth/sso/callback${back.search}`);
    expect(late.refusal).toBe('404 resource_error/not_found');
    expect((await me(cookie)).error).toBe('auth_error/session_revoked');
    expect((await bySso()).refusal).toBe('404 resource_error/not_found');
    must(await change({ enabled: true }));
  });

  it('finds groups and addresses in UserInfo', async () => {
    const other = await startProvider({ inIdToken: false });
    const { id } = await connect({ issuer: other.issuer, role_mapping: [{ group: 'dev', role: 'member' }] });
    other.people.set('u', { email: 'userinfo@acme.example', groups: ['dev'] });
    other.next = { sub: 'u' };
    expect((await signInBySso(t, `connection=${id}`)).status).toBe(302);
    expect(await roleOf('userinfo@acme.example')).toEqual({ role: 'member', mapped_by: id });
  });
});

describe('a role', () => {
  it('follows the groups up and down, and goes with them', async () => {
    const { sub, email } = newPerson({ groups: ['security', 'others'] });
    must(await change({ default_role: null, role_mapping: ROLES }));
    const first = await bySso();
    expect(await roleOf(email)).toEqual({ role: 'admin', mapped_by: connection });
    const members = must(await t.api.get('/members', org.asOwner));
    expect(members.find((member: { email: string }) => member.email === email).role_mapped).toBe(true);
    groupsAre(sub, ['developers']);
    await bySso();
    expect(await roleOf(email)).toEqual({ role: 'member', mapped_by: connection });
    groupsAre(sub, []);
    const last = await bySso();
    expect(last.refusal).toBe(NO_ROLE);
    expect(await roleOf(email)).toBeUndefined();
    expect((await auditOf()).slice(0, 3)).toEqual(['member.removed', 'member.role_changed', 'member.joined']);
    // The other sessions of the account have lost the organization with the next request.
    expect((await t.api.get('/projects', { cookie: first.cookie, org: org.slug })).error).toBe(
      'tenant_error/not_member',
    );
  });
  it('that a person gave stays, and so does one that was changed by hand', async () => {
    must(await change({ default_role: null, role_mapping: ROLES }));
    const { sub, email } = newPerson({ groups: ['developers'] });
    const { cookie } = await bySso();
    const { user } = must(await me(cookie));
    // Nobody keeps the own role that way.
    const own = { cookie, org: org.slug, body: { role: 'member' } };
    expect((await t.api.patch(`/members/${user.id}`, own)).refusal).toBe(NO_ROLE);
    expect((await roleOf(email))?.mapped_by).toBe(connection);
    must(await t.api.patch(`/members/${user.id}`, { ...org.asOwner, body: { role: 'viewer' } }));
    groupsAre(sub, ['security']);
    expect((await bySso()).status).toBe(302);
    expect(await roleOf(email)).toEqual({ role: 'viewer', mapped_by: null });
    // Nobody signs in by a provider that gives no role, whatever role a person gave.
    groupsAre(sub, []);
    expect((await bySso()).refusal).toBe(NO_ROLE);
    expect(await roleOf(email)).toEqual({ role: 'viewer', mapped_by: null });
  });

  it('of an owner stays', async () => {
    must(await change({ default_role: null, role_mapping: ROLES }));
    const { sub, email } = newPerson({ groups: ['developers'] });
    const { user } = must(await me((await bySso()).cookie));
    must(await t.api.patch(`/members/${user.id}`, { ...org.asOwner, body: { role: 'owner' } }));
    groupsAre(sub, []);
    expect((await bySso()).refusal).toBe(NO_ROLE);
    expect((await roleOf(email))?.role).toBe('owner');
    // An owner without a password is one who can sign in, and is told what happens.
    must(await change({ name: 'Renamed' }));
    expect((await t.delivered(email)).subject).toContain('A connection for single sign-on was changed');
    const leave = { cookie: org.owner.cookie, org: org.slug };
    must(await t.api.patch(`/members/${org.owner.id}`, { ...leave, body: { role: 'admin' } }));
    await sql(`update shared.memberships set role = 'owner' where org_id = $1 and user_id = $2`, [
      org.id,
      org.owner.id,
    ]);
  });

  it('is refused without a mapped group, and leaves no account', async () => {
    must(await change({ default_role: null, role_mapping: ROLES }));
    const { email } = newPerson({ groups: ['others'] });
    expect((await bySso()).refusal).toBe(NO_ROLE);
    expect(await sql('select from shared.user_emails where email = $1', [email])).toHaveLength(0);
    const page = await bySso({ accept: 'text/html' });
    expect(page.headers.get('location')).toBe('/login?sso_error=no_role');
  });

  it.each([
    ['groups_direct of GitLab', { groups: undefined, groups_direct: ['security'] }, {}],
    ['a path of Keycloak', { groups: ['/security'] }, {}],
    ['one group as text', { groups: 'security' }, {}],
    [
      'roles in a claim of a claim',
      { realm_access: { roles: ['security'] } },
      { groups: 'realm_access.roles' },
    ],
  ])('is found in %s', async (_, claims, names) => {
    must(await change({ default_role: null, role_mapping: ROLES, claims: { groups: 'groups', ...names } }));
    const { email } = newPerson(claims);
    expect((await bySso()).status).toBe(302);
    expect((await roleOf(email))?.role).toBe('admin');
    must(await change({ claims: { groups: 'groups' } }));
  });

  it('is not taken when Entra ID leaves out more than 200 groups', async () => {
    must(await change({ default_role: null, role_mapping: ROLES }));
    const { sub, email } = newPerson({ groups: ['developers'] });
    await bySso();
    const { groups: _, ...person } = provider.people.get(sub) ?? {};
    provider.people.set(sub, { ...person, _claim_names: { groups: 'src1' } });
    const answer = await bySso();
    expect(answer.refusal).toBe(NO_ROLE);
    expect(answer.text).toContain('more than 200');
    expect((await roleOf(email))?.role).toBe('member');
  });

  it('by default is for the proven domains of the connection only', async () => {
    must(await change({ default_role: 'viewer', role_mapping: [], domains: ['proven.example'] }));
    newPerson({ email: 'a@proven.example' });
    expect((await bySso()).refusal).toBe(NO_ROLE);
    await prove('proven.example');
    expect((await bySso()).status).toBe(302);
    newPerson({ email: 'b@other.example' });
    expect((await bySso()).refusal).toBe(NO_ROLE);
    must(await change({ domains: [] }));
  });
});

describe('an existing account', () => {
  const inDomain = async (domain: string) => {
    const email = `user-${++count}@${domain}`;
    const answer = await t.api.post('/auth/register', { body: { email, password: PASSWORD, name: 'Grace' } });
    return { email, cookie: answer.cookie, id: must(answer).user.id as string };
  };
  const verify = (id: string) =>
    sql('update shared.user_emails set verified_at = now() where user_id = $1', [id]);

  it('of a proven domain is connected, and keeps its password', async () => {
    must(await change({ default_role: null, role_mapping: [EVERYONE], domains: ['corp.example'] }));
    await prove('corp.example');
    const user = await inDomain('corp.example');
    await verify(user.id);
    newPerson({ email: user.email, email_verified: undefined });
    expect(must(await me((await bySso()).cookie)).user.id).toBe(user.id);
    const login = await t.api.post('/auth/login', { body: { email: user.email, password: PASSWORD } });
    expect(login.status).toBe(200);
  });

  it('whose provider denies the address is not', async () => {
    const user = await inDomain('corp.example');
    await verify(user.id);
    newPerson({ email: user.email, email_verified: false });
    expect((await bySso()).refusal).toBe('409 resource_error/conflict');
  });

  it('of a domain that another connection has is not', async () => {
    const user = await inDomain('corp.example');
    await verify(user.id);
    newPerson({ email: user.email });
    const { id } = await connect({ client_id: 'svc-findings', role_mapping: [EVERYONE] });
    expect((await signInBySso(t, `connection=${id}`)).refusal).toBe('409 resource_error/conflict');
    must(await t.api.delete(`/settings/connections/${id}`, org.asOwner));
  });

  it('of a domain that another organization has proven is not', async () => {
    const user = await inDomain('corp.example');
    await verify(user.id);
    const hostile = await createOrg(t.api);
    const body = { domains: ['corp.example', 'nobody.example'], default_role: 'admin' };
    const { id } = await connect(body, hostile);
    const start = () => signInBySso(t, `connection=${id}`);
    newPerson({ email: user.email });
    expect((await start()).refusal).toBe('409 resource_error/conflict');
    newPerson({ email: `new-${++count}@corp.example` });
    expect((await start()).refusal).toBe(NO_ROLE);
    newPerson({ email: `new-${++count}@nobody.example` });
    expect((await start()).refusal).toBe(NO_ROLE);
  });

  it('that somebody registered with an address of others is taken from them', async () => {
    const squatter = await inDomain('corp.example');
    newPerson({ email: squatter.email });
    const { cookie } = await bySso();
    expect(must(await me(cookie)).user.id).toBe(squatter.id);
    expect((await me(squatter.cookie)).status).toBe(401);
    const login = await t.api.post('/auth/login', { body: { email: squatter.email, password: PASSWORD } });
    expect(login.status).toBe(401);
  });

  it('is connected by proof of both, in the session that asks for it', async () => {
    must(await change({ default_role: null, role_mapping: [EVERYONE] }));
    const user = await addMember(t.api, org);
    await verify(user.id);
    const { sub } = newPerson({ email: user.email });
    const browser = newBrowser();
    const refused = await signInBySso(t, `connection=${connection}`, { browser });
    expect(refused.refusal).toBe('409 resource_error/conflict');
    const link = async (cookie = user.cookie) => {
      const at = newBrowser();
      at.cookies.set('svc_token', cookie);
      const started = await call(t, at, 'post', '/profile/identities', { body: { connection } });
      if (started.status !== 200) return { started, end: () => started };
      const back = await atProvider(at, started.result.url);
      return { started, at, end: () => call(t, at, 'get', `/auth/sso/callback${back.search}`) };
    };
    // Another session, such as that of a victim, completes nothing.
    const other = await addMember(t.api, org);
    const begun = await link();
    begun.at?.cookies.set('svc_token', other.cookie);
    expect((await begun.end()).refusal).toBe('401 auth_error/invalid_credentials');
    begun.at?.cookies.delete('svc_token');
    expect((await begun.end()).refusal).toBe('401 auth_error/invalid_credentials');
    expect((await (await link(other.cookie)).end()).refusal).toBe('409 resource_error/conflict');
    const linked = await link();
    const done = await linked.end();
    expect([done.status, done.headers.get('location')]).toEqual([302, '/profile/mfa']);
    expect((await linked.end()).refusal).toBe('401 auth_error/invalid_credentials');
    expect((await (await link()).end()).refusal).toBe('409 resource_error/conflict');
    const signedIn = await bySso();
    expect(must(await me(signedIn.cookie)).user.id).toBe(user.id);
    const { identities, connections } = must(await t.api.get('/profile/identities', { cookie: user.cookie }));
    expect(identities).toMatchObject([{ issuer: provider.issuer, email: user.email }]);
    expect(connections).toContainEqual({
      ...{ id: connection, name: 'Renamed', issuer: provider.issuer, organization: expect.any(String) },
    });
    const path = `/profile/identities/${identities[0].id}`;
    expect((await t.api.delete(path, { cookie: other.cookie })).status).toBe(404);
    expect((await me(signedIn.cookie)).status).toBe(200);
    expect((await t.api.delete(path, { cookie: user.cookie })).status).toBe(204);
    // Its sessions end.
    expect((await me(signedIn.cookie)).error).toBe('auth_error/session_revoked');
    expect((await t.api.delete(path, { cookie: user.cookie })).status).toBe(404);
    provider.next = { sub };
    expect((await bySso()).refusal).toBe('409 resource_error/conflict');
    await t.services.mail.deliverDue();
    const subjects = t.mails
      .filter(({ recipient }) => recipient === user.email)
      .map(({ subject }) => subject);
    expect(subjects).toContain('A sign-in at a provider was connected to your account');
    expect(subjects).toContain('A sign-in at a provider was disconnected from your account');
  });

  it('is offered the connections of its organizations only', async () => {
    const stranger = await createUser(t.api);
    const { connections } = must(await t.api.get('/profile/identities', { cookie: stranger.cookie }));
    expect(connections).toEqual([]);
    const answer = await t.api.post('/profile/identities', { cookie: stranger.cookie, body: { connection } });
    expect(answer.refusal).toBe('404 resource_error/not_found');
    const { id } = await connect({ issuer: 'https://login.invalid' });
    const body = { connection: id };
    const unreachable = await t.api.post('/profile/identities', { cookie: org.owner.cookie, body });
    expect(unreachable.refusal).toBe('409 resource_error/conflict');
    must(await t.api.delete(`/settings/connections/${id}`, org.asOwner));
  });

  it('is offered them by strict services too, once it has verified the address', async () => {
    const strict = await startApp({
      databaseUrl: t.databaseUrl,
      env: { SVC_PENDING_INVITATIONS: 'on' },
    });
    const member = await addMember(t.api, org);
    const offered = async () =>
      must(await strict.api.get('/profile/identities', { cookie: member.cookie })).connections.length;
    expect(await offered()).toBe(0);
    await verify(member.id);
    await sql('update shared.memberships set confirmed_at = now() where user_id = $1', [member.id]);
    expect(await offered()).toBeGreaterThan(0);
  });

  it('is not replaced by another one that a link signs in', async () => {
    const user = await createUser(t.api);
    newPerson();
    const browser = newBrowser();
    browser.cookies.set('svc_token', user.cookie);
    const answer = await signInBySso(t, `connection=${connection}`, { browser });
    expect([answer.refusal, answer.cookie]).toEqual(['409 resource_error/conflict', undefined]);
  });

  it('without a password keeps its last provider', async () => {
    newPerson();
    const { cookie } = await bySso();
    const { identities } = must(await t.api.get('/profile/identities', { cookie }));
    const answer = await t.api.delete(`/profile/identities/${identities[0].id}`, { cookie });
    expect(answer.refusal).toBe('409 resource_error/conflict');
  });

  it('loses its providers when the password is reset', async () => {
    must(await change({ domains: ['reset.example'] }));
    await prove('reset.example');
    newPerson({ email: 'a@reset.example' });
    await bySso();
    must(await t.api.post('/auth/forgot-password', { body: { email: 'a@reset.example' } }));
    const { text } = await t.delivered('a@reset.example');
    const token = /token=([0-9a-f]{64})/.exec(text)?.[1];
    must(await t.api.post('/auth/reset-password', { body: { token, password: PASSWORD } }));
    expect(
      await sql(
        'select from shared.identities i join shared.user_emails e on e.user_id = i.user_id where e.email = $1',
        ['a@reset.example'],
      ),
    ).toHaveLength(0);
    // The domain is proven, so the next sign-in connects it again.
    expect((await bySso()).status).toBe(302);
  });
});

describe('a test of a connection', () => {
  it('shows the claims and the role, and signs nobody in', async () => {
    must(
      await change({
        default_role: null,
        role_mapping: [{ group: 'security', role: 'admin' }],
        enabled: false,
      }),
    );
    const { email, sub } = newPerson({ groups: ['security'] });
    const browser = newBrowser();
    browser.cookies.set('svc_token', org.owner.cookie);
    const test = () =>
      call(t, browser, 'post', `/settings/connections/${connection}/test`, { org: org.slug });
    const { url } = must(await test());
    const back = await atProvider(browser, url);
    // A browser is sent to the page, which asks again.
    const page = await call(t, browser, 'get', `/auth/sso/callback${back.search}`, {
      headers: { accept: 'text/html' },
    });
    expect(page.headers.get('location')).toBe(`/sso-test${back.search}`);
    const answer = await call(t, browser, 'get', `/auth/sso/callback${back.search}`);
    expect(answer.cookie).toBeUndefined();
    expect(answer.result).toMatchObject({
      ...{
        subject: sub,
        email,
        email_verified: true,
        domain_proven: false,
        role: 'admin',
        groups: ['security'],
      },
      claims: { sub, iss: provider.issuer },
      warnings: [expect.stringContaining('not a proven one')],
    });
    expect(await sql('select from shared.user_emails where email = $1', [email])).toHaveLength(0);
    expect(await auditOf()).toContain('connection.tested');
    must(await change({ enabled: true }));
  });
});
