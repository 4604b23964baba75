import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  addMember,
  createOrg,
  createUser,
  must,
  PASSWORD,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { verify } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const newAddress = () => `guest-${crypto.randomUUID().slice(0, 8)}@example.com`;

const list = async (who: object = org.asOwner) => must(await t.api.get('/members', who));
const invite = (email: string, role = 'member', who: object = org.asOwner, app = t) =>
  app.api.post('/members/invite', { ...who, body: { email, role } });
const remove = (userId: string, who: object = org.asOwner) => t.api.delete(`/members/${userId}`, who);

const member = (role: string, at = org) => addMember(t.api, at, role);

/** A new user who has verified the primary address. */
async function verifiedUser(name?: string): Promise<TestUser> {
  const user = await createUser(t.api, name);
  await verify(t, user.email);
  return user;
}

/** Gives a user another address, verified. */
async function addVerified({ cookie }: TestUser): Promise<string> {
  const email = newAddress();
  must(await t.api.post('/profile/emails', { cookie, body: { email } }));
  await verify(t, email);
  return email;
}

const login = (email: string, password = PASSWORD) =>
  t.api.post('/auth/login', { body: { email, password } });
const register = (email: string) =>
  t.api.post('/auth/register', { body: { email, password: PASSWORD, name: 'Grace Hopper' } });
const setPassword = (token: string | null, password = PASSWORD) =>
  t.api.post('/auth/reset-password', { body: { token, password } });

/** Everything mailed to an address, oldest first. */
async function mailsTo(address: string) {
  await t.services.mail.deliverDue();
  return t.mails.filter(({ recipient }) => recipient === address);
}

const tokenIn = ({ link = '' }: { link?: string | undefined }) => new URL(link).searchParams.get('token');
const accountsOf = async (address: string) => [
  ...(await sql('select user_id from shared.user_emails where email = $1', [address])),
];
/** Accounts that were begun and have no address. */
const halves = async () => [
  ...(await sql('select id from shared.users where id not in (select user_id from shared.user_emails)')),
];

const DENIED = [403, 'permission_error/denied'];
const NOT_FOUND = [404, 'resource_error/not_found'];
const NOT_MEMBER = [403, 'tenant_error/not_member'];
const ALREADY = [409, 'resource_error/already_exists'];

describe('the members of an organization', () => {
  it('are listed by role, then by name', async () => {
    const { asOwner, owner } = await createOrg(t.api);
    const people = [
      ['Zoe', 'viewer'],
      ['Bob', 'member'],
      ['Zac', 'owner'],
      ['Ann', 'member'],
      ['Yan', 'admin'],
      ['Amy', 'viewer'],
    ] as const;
    const made = new Map<string, TestUser>();
    for (const [name, role] of people) {
      const user = await createUser(t.api, name);
      made.set(name, user);
      must(await invite(user.email, role, asOwner));
    }
    const shown = (name: string, role: string, { id, email } = made.get(name) as TestUser) => ({
      user_id: id,
      email,
      name,
      avatar_url: '',
      role,
      verified: false,
      pending: false,
      project_access: 'all',
    });
    const members = [
      shown('Ada Lovelace', 'owner', owner),
      shown('Zac', 'owner'),
      shown('Yan', 'admin'),
      shown('Ann', 'member'),
      shown('Bob', 'member'),
      shown('Amy', 'viewer'),
      shown('Zoe', 'viewer'),
    ];
    // Zoe comes first, so that the owner sees more of her.
    expect(await list({ ...asOwner, cookie: made.get('Zoe')?.cookie })).toEqual(members);
    const more = { mfa_enabled: false, last_active_at: expect.any(String), personal_tokens: 0 };
    expect(await list(asOwner)).toEqual(
      members.map((one) => {
        if (one.name === 'Ada Lovelace') return { ...one, ...more, api_tokens: 1 };
        return one.name === 'Zoe' ? { ...one, ...more, api_tokens: 0 } : one;
      }),
    );
  });

  it('show admins their MFA, tokens and last activity here, exact to an hour, and nobody else', async () => {
    const later = await startApp({ databaseUrl: t.databaseUrl });
    const at = await createOrg(t.api);
    const [admin, grace] = [await addMember(t.api, at, 'admin'), await addMember(t.api, at, 'member')];
    const as = ({ cookie }: TestUser) => ({ ...at.asOwner, cookie });
    const ofGrace = async (who: object) =>
      (await list(who)).find(({ user_id }: { user_id: string }) => user_id === grace.id);
    const shown = async () => {
      const { mfa_enabled, last_active_at, api_tokens, personal_tokens } = await ofGrace(as(admin));
      return { mfa_enabled, last_active_at, api_tokens, personal_tokens };
    };
    expect(Object.keys(await ofGrace(as(admin)))).not.toContain('mfa_enabled');
    must(await t.api.get('/projects', as(grace)));
    const first = await shown();
    expect(first).toMatchObject({ mfa_enabled: false, api_tokens: 0, personal_tokens: 0 });
    expect(Object.keys(await ofGrace(as(grace)))).not.toContain('mfa_enabled');

    const body = { name: 'ci', scopes: ['ingest'] };
    const tokens = `/projects/${at.projectId}/tokens`;
    must(await t.api.post(tokens, { ...as(grace), body }));
    const revoked = must(await t.api.post(tokens, { ...as(grace), body }));
    must(await t.api.delete(`${tokens}/${revoked.info.id}`, as(at.owner)));
    const elsewhere = await createOrg(t.api);
    must(await invite(grace.email, 'member', elsewhere.asOwner));
    for (const org_id of [undefined, elsewhere.id])
      must(
        await t.api.post('/profile/tokens', {
          cookie: grace.cookie,
          body: { name: 'script', scopes: ['read'], expires_in: 30, ...(org_id && { org_id }) },
        }),
      );
    await sql('update shared.users set mfa_enabled = true where id = $1', [grace.id]);
    later.advance(59 * 60_000);
    must(await later.api.get('/projects', as(grace)));
    expect(await shown()).toEqual({ ...first, mfa_enabled: true, api_tokens: 1, personal_tokens: 1 });
    later.advance(2 * 60_000);
    must(await later.api.get('/projects', { ...as(grace), org: elsewhere.slug }));
    expect((await shown()).last_active_at).toBe(first.last_active_at);
    must(await later.api.get('/projects', as(grace)));
    expect(Date.parse((await shown()).last_active_at) - Date.parse(first.last_active_at)).toBeGreaterThan(
      60 * 60_000,
    );
  });

  it('are shown with their primary address only, once', async () => {
    const { asOwner, owner } = await createOrg(t.api);
    const second = `second-${owner.email}`;
    must(await t.api.post('/profile/emails', { cookie: owner.cookie, body: { email: second } }));
    await sql("update shared.users set avatar_url = 'https://a.example/ada.png' where id = $1", [owner.id]);
    expect(await list(asOwner)).toEqual([
      {
        user_id: owner.id,
        email: owner.email,
        name: 'Ada Lovelace',
        avatar_url: 'https://a.example/ada.png',
        role: 'owner',
        verified: false,
        pending: false,
        project_access: 'all',
        mfa_enabled: false,
        last_active_at: expect.any(String),
        api_tokens: 1,
        personal_tokens: 0,
      },
    ]);
  });
});

describe('inviting somebody who has an account', () => {
  it.each(['owner', 'admin', 'member', 'viewer'])('adds them at once as %s', async (role) => {
    const user = await createUser(t.api, 'Grace Hopper');
    const answer = await invite(user.email, role);
    expect(answer.status).toBe(201);
    expect(answer.result).toEqual({
      user_id: user.id,
      email: user.email,
      name: 'Grace Hopper',
      avatar_url: '',
      role,
      // They have access at once, and everybody sees that the address is not verified.
      verified: false,
      pending: false,
      project_access: 'all',
    });
    expect(await list()).toContainEqual(answer.result);
    expect(must(await t.api.get('/auth/me', { cookie: user.cookie })).orgs).toContainEqual(
      expect.objectContaining({ slug: org.slug, role }),
    );
  });

  it('mails them who invited them, as what, and how to leave', async () => {
    const { email } = await verifiedUser();
    must(await invite(email, 'viewer'));
    const mail = (await mailsTo(email)).at(-1);
    expect(mail).toMatchObject({
      subject: expect.stringContaining(org.slug),
      text: expect.stringContaining('Ada Lovelace invited you'),
      link: `http://localhost:8080/o/${org.slug}`,
    });
    expect(mail?.text).toContain('Role: viewer');
    expect(mail?.text).toContain('choose “Leave organization” on its page “Members”');
  });

  it('mails a link to set a password, never one that only verifies, to an address nobody has verified', async () => {
    const { id, email, cookie } = await createUser(t.api);
    must(await invite(email));
    const mail = await t.delivered(email);
    expect(mail.link).toMatch(/^http:\/\/localhost:8080\/reset-password\?token=[0-9a-f]{64}&new=1$/);
    must(await setPassword(tokenIn(mail), 'Another2battery'));
    expect((await t.api.get('/auth/me', { cookie })).status).toBe(401);
    expect(await list()).toContainEqual(expect.objectContaining({ user_id: id, verified: true }));
  });

  it('finds them whatever the case, and with spaces around', async () => {
    const user = await createUser(t.api);
    expect(must(await invite(`  ${user.email.toUpperCase()} `)).user_id).toBe(user.id);
  });

  it('by a second address shows that one only, and neither the primary one nor the name', async () => {
    const name = 'Katherine Johnson';
    const user = await createUser(t.api, name);
    await sql("update shared.users set avatar_url = 'https://a.example/grace.png' where id = $1", [user.id]);
    const email = await addVerified(user);
    const answer = await invite(email);
    expect(answer.result).toEqual({
      user_id: user.id,
      email,
      name: email.split('@')[0],
      avatar_url: '',
      role: 'member',
      verified: true,
      pending: false,
      project_access: 'all',
    });
    const listed = await t.api.get('/members', org.asOwner);
    for (const secret of [user.email, name, 'grace.png']) {
      expect(answer.text).not.toContain(secret);
      expect(listed.text).not.toContain(secret);
    }
    expect(await accountsOf(email)).toHaveLength(1);
    const mail = await t.delivered(email);
    expect(mail.text).not.toContain(name);
  });

  it('by a second address shows their name once they have used the organization', async () => {
    const user = await createUser(t.api, 'Grace Hopper');
    const email = await addVerified(user);
    must(await invite(email));
    // Elsewhere they may do as they like.
    must(await t.api.get('/auth/me', { cookie: user.cookie }));
    must(await t.api.get('/orgs', { cookie: user.cookie }));
    const shown = async () => (await list()).find(({ user_id }: { user_id: string }) => user_id === user.id);
    expect(await shown()).toMatchObject({ email, name: email.split('@')[0] });
    must(await t.api.get('/projects', { cookie: user.cookie, org: org.slug }));
    expect(await shown()).toMatchObject({ email, name: 'Grace Hopper' });
  });

  it('does not take an unverified second address for theirs', async () => {
    const user = await createUser(t.api);
    const email = newAddress();
    must(await t.api.post('/profile/emails', { cookie: user.cookie, body: { email } }));
    const invited = must(await invite(email));
    expect(invited.email).toBe(email);
    expect(invited.user_id).not.toBe(user.id);
  });

  it('is refused when they are a member already, whatever the role', async () => {
    const { email } = await member('viewer');
    for (const role of ['viewer', 'admin']) expect(outcome(await invite(email, role))).toEqual(ALREADY);
    expect(outcome(await invite(org.owner.email))).toEqual(ALREADY);
    expect(await list()).toContainEqual(expect.objectContaining({ email, role: 'viewer' }));
    expect(await list()).toContainEqual(expect.objectContaining({ email: org.owner.email, role: 'owner' }));
  });

  it('has one winner when it is done several times at once', async () => {
    const { email } = await createUser(t.api);
    const answers = await Promise.all(Array.from({ length: 5 }, () => invite(email)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(answers.filter(({ error }) => error === 'resource_error/already_exists')).toHaveLength(4);
  });
});

describe('inviting somebody who has no account', () => {
  it('makes a placeholder, called what stands before the @', async () => {
    const email = newAddress();
    const answer = await invite(` ${email.toUpperCase()}`, 'viewer');
    expect(answer.status).toBe(201);
    expect(answer.result).toEqual({
      user_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      email,
      name: email.split('@')[0],
      avatar_url: '',
      role: 'viewer',
      verified: false,
      pending: false,
      project_access: 'all',
    });
    expect(await list()).toContainEqual(answer.result);
    const [row] = await sql('select is_primary, verified_at from shared.user_emails where email = $1', [
      email,
    ]);
    expect(row).toEqual({ is_primary: true, verified_at: null });
  });

  it('mails a link that sets a password, verifies the address and opens the organization', async () => {
    const email = newAddress();
    const { user_id } = must(await invite(email, 'admin'));
    const [mail, ...more] = await mailsTo(email);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      subject: expect.stringContaining(org.slug),
      text: expect.stringContaining('Ada Lovelace invited you'),
      link: expect.stringMatching(/^http:\/\/localhost:8080\/reset-password\?token=[0-9a-f]{64}&new=1$/),
    });
    must(await setPassword(tokenIn(mail ?? {})));

    const { cookie } = await login(email);
    const { user, orgs } = must(await t.api.get('/auth/me', { cookie }));
    expect(user).toMatchObject({ id: user_id, email });
    expect(orgs).toEqual([expect.objectContaining({ slug: org.slug, role: 'admin' })]);
    expect(must(await t.api.get('/profile/emails', { cookie }))).toMatchObject({
      emails: [{ email, is_primary: true, verified: true }],
    });
    expect((await t.api.get('/members', { cookie, org: org.slug })).status).toBe(200);
    expect((await setPassword(tokenIn(mail ?? {}))).status).toBe(400);
  });

  it('mails a link for 7 days; after that another is asked for as for a forgotten password', async () => {
    const later = await startApp({ databaseUrl: t.databaseUrl });
    const email = newAddress();
    must(await invite(email));
    const old = tokenIn(await t.delivered(email));
    const early = newAddress();
    must(await invite(early));
    const DAY_MS = 24 * 60 * 60_000;
    later.advance(7 * DAY_MS - 60_000);
    const reset = (token: string | null) =>
      later.api.post('/auth/reset-password', { body: { token, password: PASSWORD } });
    must(await reset(tokenIn(await t.delivered(early))));
    later.advance(60_000);
    expect((await reset(old)).status).toBe(400);
    must(await later.api.post('/auth/forgot-password', { body: { email } }));
    const mail = await later.delivered(email);
    expect(mail.subject).toBe('Your account is ready');
    must(await reset(tokenIn(mail)));
    expect((await login(email)).status).toBe(200);
  });

  it('mails again from another organization; either link opens both', async () => {
    const other = await createOrg(t.api);
    const email = newAddress();
    const { user_id } = must(await invite(email));
    expect(must(await invite(email, 'viewer', other.asOwner)).user_id).toBe(user_id);
    const mails = await mailsTo(email);
    expect(mails.map(({ subject }) => subject)).toEqual([
      expect.stringContaining(org.slug),
      expect.stringContaining(other.slug),
    ]);
    must(await setPassword(tokenIn(mails[0] ?? {})));
    expect((await setPassword(tokenIn(mails[1] ?? {}))).status).toBe(400);
    const { cookie } = await login(email);
    const { orgs } = must(await t.api.get('/auth/me', { cookie }));
    expect(orgs.map(({ slug, role }: { slug: string; role: string }) => [slug, role]).sort()).toEqual(
      [
        [org.slug, 'member'],
        [other.slug, 'viewer'],
      ].sort(),
    );
  });

  it('mails no link to set a password any more once one is set', async () => {
    const other = await createOrg(t.api);
    const email = newAddress();
    must(await invite(email));
    must(await setPassword(tokenIn(await t.delivered(email))));
    must(await invite(email, 'viewer', other.asOwner));
    expect((await t.delivered(email)).link).toBe(`http://localhost:8080/o/${other.slug}`);
  });

  it('several times at once makes one account and sends one mail', async () => {
    const email = newAddress();
    const answers = await Promise.all(Array.from({ length: 6 }, () => invite(email)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await accountsOf(email)).toHaveLength(1);
    expect(await mailsTo(email)).toHaveLength(1);
    expect(await halves()).toEqual([]);
  });

  it('into two organizations at once makes one account', async () => {
    const other = await createOrg(t.api);
    for (let round = 0; round < 5; round++) {
      const email = newAddress();
      const answers = await Promise.all([invite(email), invite(email, 'admin', other.asOwner)]);
      const [here, there] = answers.map((answer) => must(answer).user_id);
      expect(here).toBe(there);
      expect(await accountsOf(email)).toHaveLength(1);
      expect(await mailsTo(email)).toHaveLength(2);
    }
    expect(await halves()).toEqual([]);
  });

  it('while they register ends with one account, a member', async () => {
    for (let round = 0; round < 8; round++) {
      const email = newAddress();
      // Hashing the password takes a while: sometimes one is first, sometimes the other.
      const [registered, invited] = await Promise.all([
        register(email),
        sleep(round * 10).then(() => invite(email)),
      ]);
      expect([201, 409]).toContain(registered.status);
      expect(invited.status).toBe(201);
      expect(await accountsOf(email)).toEqual([{ user_id: invited.result.user_id }]);
      expect((await login(email)).status).toBe(registered.status === 201 ? 200 : 401);
    }
    expect(await halves()).toEqual([]);
  });
});

describe('an invitation', () => {
  it.each([
    [{ email: 'grace', role: undefined }, 'field_required', ['email', 'role']],
    [{ email: 'grace@example.com\0', role: 'member' }, 'field_invalid', ['email']],
    [{ email: 'grace@example.com', role: 'Member' }, 'field_invalid', ['role']],
    [{ email: 'grace', role: 'superuser' }, 'field_invalid', ['email', 'role']],
  ])('is not made of %j', async (body, code, fields) => {
    const answer = await t.api.post('/members/invite', { ...org.asOwner, body });
    expect([...outcome(answer), answer.badFields.sort()]).toEqual([400, `validation_error/${code}`, fields]);
    expect(await accountsOf('grace@example.com')).toEqual([]);
  });

  it.each(['admin', 'member', 'viewer'])('by an admin may name the role %s', async (role) => {
    const { as } = await member('admin');
    expect(must(await invite(newAddress(), role, as)).role).toBe(role);
  });

  it('by an admin may not name an owner, and leaves nothing behind', async () => {
    const { as } = await member('admin');
    const email = newAddress();
    expect(outcome(await invite(email, 'owner', as))).toEqual(DENIED);
    expect(await accountsOf(email)).toEqual([]);
    expect(await mailsTo(email)).toEqual([]);
    const { email: known } = await createUser(t.api);
    expect(outcome(await invite(known, 'owner', as))).toEqual(DENIED);
    expect(must(await invite(known, 'admin', as)).role).toBe('admin');
  });

  it('is limited by address and by client when limits are on', async () => {
    const env = { SVC_AUTH_LIMITS: 'on', SVC_TRUST_PROXY: 'on' };
    const limited = await startApp({ databaseUrl: t.databaseUrl, env });
    const from = (ip: string) => ({ ...org.asOwner, headers: { 'x-forwarded-for': ip } });
    const exceeded = (answer: Answer | undefined) => {
      expect(answer && outcome(answer)).toEqual([429, 'rate_limit_error/exceeded']);
      const wait = Number(answer?.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(900);
    };

    const email = newAddress();
    const byAddress: Answer[] = [];
    for (let i = 0; i < 6; i++) byAddress.push(await invite(email, 'member', from(`192.0.2.${i}`), limited));
    expect(byAddress.map(({ status }) => status)).toEqual([201, 409, 409, 409, 409, 429]);
    exceeded(byAddress[5]);

    const byClient: Answer[] = [];
    for (let i = 0; i < 61; i++)
      byClient.push(await invite(newAddress(), 'member', from('198.51.100.1'), limited));
    expect(byClient.map(({ status }) => status)).toEqual([...Array(60).fill(201), 429]);
    exceeded(byClient[60]);
    expect((await invite(newAddress(), 'member', from('198.51.100.2'), limited)).status).toBe(201);
  });
});

describe('removing a member', () => {
  it('refuses their next request, there only', async () => {
    const other = await createOrg(t.api);
    const { id, email, as } = await member('admin');
    must(await invite(email, 'viewer', other.asOwner));
    expect((await t.api.get('/members', as)).status).toBe(200);

    const answer = await remove(id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(outcome(await t.api.get('/members', as))).toEqual(NOT_MEMBER);
    expect(await list()).not.toContainEqual(expect.objectContaining({ user_id: id }));
    expect((await t.api.get('/members', { ...as, org: other.slug })).status).toBe(200);
    const { orgs } = must(await t.api.get('/auth/me', { cookie: as.cookie }));
    expect(orgs).not.toContainEqual(expect.objectContaining({ slug: org.slug }));
  });

  it('leaves the tokens they made', async () => {
    const { id, as } = await member('member');
    const path = `/projects/${org.projectId}/tokens`;
    const { token, info } = must(await t.api.post(path, { ...as, body: { name: 'ci' } }));
    must(await remove(id));
    const used = await t.api.get(`/agent/findings?project_id=${org.projectId}`, { token, org: org.slug });
    expect(used.status).toBe(200);
    expect(must(await t.api.get(path, org.asOwner))).toContainEqual(
      expect.objectContaining({ id: info.id, created_by: id }),
    );
  });

  it('lets them be invited again, with another role', async () => {
    const { id, email, as } = await member('admin');
    must(await remove(id));
    expect(must(await invite(email, 'viewer'))).toMatchObject({ user_id: id, role: 'viewer' });
    expect(outcome(await invite(newAddress(), 'viewer', as))).toEqual(DENIED);
  });

  it('lets a placeholder still be activated, without the organization', async () => {
    const email = newAddress();
    const { user_id } = must(await invite(email));
    must(await remove(user_id));
    must(await setPassword(tokenIn(await t.delivered(email))));
    const { cookie } = await login(email);
    expect(must(await t.api.get('/auth/me', { cookie })).orgs).toEqual([]);
    expect(outcome(await t.api.get('/members', { cookie, org: org.slug }))).toEqual(NOT_MEMBER);
  });

  it('does not find them a second time', async () => {
    const { id } = await member('viewer');
    const answers = await Promise.all([remove(id), remove(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect(outcome(await remove(id))).toEqual(NOT_FOUND);
  });

  it.each(['owner', 'admin'])('is no way for an %s to leave', async (role) => {
    const { id, as } = await member(role);
    for (const self of [id, id.toUpperCase()])
      expect(outcome(await remove(self, as))).toEqual([400, 'validation_error/invalid_request']);
    expect((await t.api.get('/members', as)).status).toBe(200);
  });

  it.each(['admin', 'member', 'viewer'])('of role %s is up to an admin', async (role) => {
    const { as } = await member('admin');
    expect((await remove((await member(role)).id, as)).status).toBe(204);
  });

  it('of role owner is up to an owner', async () => {
    const [owner, admin] = [await member('owner'), await member('admin')];
    expect(outcome(await remove(owner.id, admin.as))).toEqual(DENIED);
    expect((await t.api.get('/members', owner.as)).status).toBe(200);
    expect((await remove(owner.id)).status).toBe(204);
  });
});
