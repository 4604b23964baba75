import { eq } from 'drizzle-orm';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { sessions, userEmails, users } from '../../db/schema/accounts.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { setFlag } from '../../lib/admin/flags.ts';
import { createNodeHasher } from '../../lib/node/argon2.ts';
import { ORG_SLUG } from '../../lib/orgs/slugs.ts';
import { type Answer, createApi, createUser, must, PASSWORD } from '../support/api/api.ts';
import { JWT_SECRET as SECRET, startApp, type TestApp } from '../support/server/app.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let t: TestApp;
/** The same database, with a clock that tests move. */
let later: TestApp;
/** The same database, on the base domain svc.test. */
let based: TestApp;
/** The same database, with the hasher of servers. */
let hashing: TestApp;

beforeAll(async () => {
  t = await startApp();
  const { databaseUrl } = t;
  later = await startApp({ databaseUrl });
  based = await startApp({ databaseUrl, env: { SVC_BASE_DOMAIN: 'svc.test' } });
  hashing = await startApp({ databaseUrl, hasher: createNodeHasher() });
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const newEmail = () => `${crypto.randomUUID()}@example.com`;
const person = (fields: Record<string, unknown> = {}) => ({
  email: newEmail(),
  password: PASSWORD,
  name: 'Grace Hopper',
  ...fields,
});
const register = (body: object, app = t) => app.api.post('/auth/register', { body });
const login = (email: unknown, password: unknown, app = t) =>
  app.api.post('/auth/login', { body: { email, password } });

/** The attributes of the cookie an answer sets, the value left out. */
const attributes = (answer: Answer) => answer.headers.get('set-cookie')?.split('; ').slice(1).sort();

/** The session row a cookie stands for. */
async function sessionOf(cookie: string) {
  const { jti } = JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString());
  const [row] = await t.services.database.db.select().from(sessions).where(eq(sessions.id, jti));
  if (!row) throw new Error(`no session ${jti}`);
  return row;
}

/** Adds an address to a user's account. */
async function addEmail(userId: string, verified: boolean): Promise<string> {
  const email = newEmail();
  const now = new Date();
  await t.services.database.db.insert(userEmails).values({
    id: crypto.randomUUID(),
    userId,
    email,
    verifiedAt: verified ? now : null,
    createdAt: now,
  });
  return email;
}

describe('registration', () => {
  it('answers with the user and a message, and signs in', async () => {
    const body = person();
    const answer = await register(body);
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      success: true,
      request_id: expect.stringMatching(/^req_[0-9a-f]{32}$/),
      message: expect.any(String),
      result: {
        user: {
          id: expect.stringMatching(UUID_V7),
          email: body.email,
          name: body.name,
          avatar_url: '',
          created_at: expect.stringMatching(TIME),
        },
      },
    });
    const me = await t.api.get('/auth/me', { cookie: answer.cookie });
    expect(me.result.user).toEqual({ ...answer.result.user, mfa_enabled: false });
  });

  it('is told to a page with all that it begins with, as is that nobody is signed in', async () => {
    const user = await createUser(t.api);
    const me = await t.api.get('/auth/me', { cookie: user.cookie });
    const session = await t.api.get('/auth/session', { cookie: user.cookie });
    expect(session.result).toEqual({ base_domain: '', ...me.result });

    expect((await t.api.get('/auth/session')).result).toEqual({ base_domain: '', orgs: [] });
    expect((await t.api.get('/auth/session', { cookie: 'x.y.z' })).result).toEqual({
      base_domain: '',
      orgs: [],
    });
    await t.api.post('/auth/logout', { cookie: user.cookie });
    const after = await t.api.get('/auth/session', { cookie: user.cookie });
    expect(after.result).toEqual({ base_domain: '', orgs: [] });
  });

  it('keeps an unverified primary address and a hash of the password', async () => {
    const { user } = must(await register(person(), hashing));
    const { db } = t.services.database;
    const [account] = await db.select().from(users).where(eq(users.id, user.id));
    expect(account?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const emails = await db.select().from(userEmails).where(eq(userEmails.userId, user.id));
    expect(emails).toMatchObject([{ email: user.email, isPrimary: true, verifiedAt: null }]);
  });

  it('trims and lower-cases the address', async () => {
    const email = newEmail();
    expect(must(await register(person({ email: `  ${email.toUpperCase()} ` }))).user.email).toBe(email);
  });

  it.each(['plain', '', 'a@', '@b.example', 'a b@example.com', 'a@b', `${'x'.repeat(250)}@example.com`, 5])(
    'refuses the address %j',
    async (email) => {
      const answer = await register(person({ email }));
      expect(answer.refusal).toBe('400 validation_error/field_invalid email');
    },
  );

  it.each([
    "o'brien!#$%&*+/?^_`{|}~-=x@example.com",
    '!def!xyz%abc@example.com',
    'customer/department=shipping@example.com',
    'ada@xn--bcher-kva.xn--p1ai',
    'ada@example.xn--vermgensberatung-pwb',
    'ADA@EXAMPLE.XN--P1AI',
    `${'x'.repeat(64)}@example.com`,
  ])('takes the address %s', async (email) => {
    const { user } = must(await register(person({ email })));
    expect(user.email).toBe(email.toLowerCase());
    expect((await t.delivered(user.email)).recipient).toBe(user.email);
  });

  it.each([
    ...['.ada@example.com', 'ada.@example.com', 'a..b@example.com', `${'x'.repeat(65)}@example.com`],
    ...['"ada"@example.com', 'ada(x)@example.com', 'a,b@example.com', 'a;b@example.com', '<a>@example.com'],
    ...['a@b@example.com', 'a\\b@example.com', 'ada@example.com\r\nbcc: eve@example.com', 'a:b@example.com'],
    ...['ada@[127.0.0.1]', 'ada@127.0.0.1', 'ada@example.xn--', 'ada@example.xn--a-', 'ädä@example.com'],
    // Mail programs decode this to another address (RFC 2047).
    '=?utf-8?q?eve=40evil.example=3e?=@example.com',
  ])('refuses the address %j, which mail systems read in other ways', async (email) => {
    expect((await register(person({ email }))).badFields).toEqual(['email']);
  });

  it.each([
    ['7 characters', 'Short1a'],
    ['no upper-case letter', 'alllower1case'],
    ['no lower-case letter', 'ALLUPPER1CASE'],
    ['no digit', 'NoDigitsHere'],
    ['257 characters', `Aa1${'x'.repeat(254)}`],
    ['6 characters that are 9 UTF-16 units', 'Aa1😀😀😀'],
    ['a NUL', 'Correct1\0horse'],
    ['no text', 12345678],
  ])('refuses a password with %s', async (_, password) => {
    const answer = await register(person({ password }));
    expect(answer.refusal).toBe('400 validation_error/field_invalid password');
  });

  it.each([
    ['8 characters', 'Abcdefg1'],
    ['256 characters', `Aa1${'x'.repeat(253)}`],
    ['letters of another script', 'Пароль12'],
  ])('takes a password of %s', async (_, password) => {
    const body = person({ password });
    must(await register(body, hashing));
    expect((await login(body.email, password, hashing)).status).toBe(200);
  });

  it.each(['', '   ', 'x'.repeat(201), 'a\0b', 5])('refuses the name %j', async (name) => {
    const answer = await register(person({ name }));
    expect(answer.refusal).toBe('400 validation_error/field_invalid name');
  });

  it.each([
    ['as it is', (email: string) => email],
    ['in another case', (email: string) => email.toUpperCase()],
    ['with spaces around it', (email: string) => `  ${email}\t`],
  ])('refuses a taken address %s', async (_, written) => {
    const { email } = await createUser(t.api);
    const answer = await register(person({ email: written(email) }));
    expect(outcome(answer)).toEqual([409, 'resource_error/already_exists']);
    expect(answer.cookie).toBeUndefined();
  });

  it("refuses a verified secondary address of another account, but not an unverified one's", async () => {
    const other = await createUser(t.api);
    const verified = await addEmail(other.id, true);
    const unverified = await addEmail(other.id, false);
    expect((await register(person({ email: verified }))).refusal).toBe('409 resource_error/already_exists');
    expect((await register(person({ email: unverified }))).status).toBe(201);
  });

  it('cannot take over an account that has lost its password', async () => {
    const { id, email } = await createUser(t.api);
    await sql('update shared.users set password_hash = null where id = $1', [id]);
    expect(outcome(await register(person({ email })))).toEqual([409, 'resource_error/already_exists']);
  });

  it('of one address in parallel makes one account', async () => {
    const body = person();
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(body, hashing)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const [row] = await sql('select count(*)::int as n from shared.user_emails where email = $1', [
      body.email,
    ]);
    expect(row?.n).toBe(1);
  });

  // tests/orgs/features.test.ts has what an operator switches.
  it('is closed while the flag for it is missing', async () => {
    await sql("delete from shared.feature_flags where name = 'signup'");
    const answer = await register(person());
    await sql("insert into shared.feature_flags values ('signup', true, '')");
    expect(outcome(answer)).toEqual([403, 'permission_error/feature_disabled']);
  });

  it('is offered to visitors as the first account, while it is open and no account exists', async () => {
    const [fresh, site] = await Promise.all([startApp(), startApp({ env: { SVC_BASE_DOMAIN: 'svc.test' } })]);
    const seen = async (app: TestApp, host?: string) =>
      must(await app.api.get('/auth/session', host === undefined ? {} : { host }));
    const visitor = { base_domain: '', orgs: [] };
    const { sql } = fresh.services.database;
    const flag = (name: string, isOn: boolean) => setFlag(fresh.services.database, name, isOn);

    expect(await seen(fresh)).toEqual({ ...visitor, first_account: true });
    for (const host of ['svc.test', 'acme.svc.test'])
      expect(await seen(site, host)).toEqual({ base_domain: 'svc.test', orgs: [], first_account: true });
    await flag('invite_only', true);
    expect(await seen(fresh)).toEqual(visitor);
    await flag('invite_only', false);
    await flag('signup', false);
    expect(await seen(fresh)).toEqual(visitor);
    await flag('signup', true);

    // Two at once are two accounts, as always.
    const other = await startApp({ databaseUrl: fresh.databaseUrl });
    expect(await seen(other)).toEqual({ ...visitor, first_account: true });
    const answers = await Promise.all([register(person(), fresh), register(person(), other)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const cookie = answers[0]?.cookie ?? '';
    for (const app of [fresh, other]) {
      expect(await seen(app)).toEqual(visitor);
      expect(must(await app.api.get('/auth/session', { cookie }))).not.toHaveProperty('first_account');
    }
    // A known account is not looked up again, and a database that does not answer says nothing.
    await sql.unsafe('alter table shared.users rename to users_away');
    const blind = await startApp({ databaseUrl: fresh.databaseUrl });
    expect([await seen(fresh), await seen(blind)]).toEqual([visitor, visitor]);
    await sql.unsafe('alter table shared.users_away rename to users');
  });

  it('leaves nothing behind when it fails', async () => {
    const broken = await startApp({ databaseUrl: t.databaseUrl });
    const { nextId } = broken.services;
    let ids = 0;
    // The account and its address get an id, the organization none.
    broken.services.nextId = () => ({ ...nextId(), ...(ids++ > 1 && { id: 'not an id' }) });
    const body = person({ name: 'Half Made' });
    const answer = await register(body, broken);
    expect(outcome(answer)).toEqual([500, 'server_error/internal']);
    expect(answer.cookie).toBeUndefined();
    const { db } = t.services.database;
    expect(await db.select().from(userEmails).where(eq(userEmails.email, body.email))).toEqual([]);
    expect(await db.select().from(users).where(eq(users.name, 'Half Made'))).toEqual([]);
    expect(await db.select().from(orgs).where(eq(orgs.name, "Half Made's Org"))).toEqual([]);
    expect((await register(body)).status).toBe(201);
  });
});

describe('the default organization', () => {
  const orgOf = async (name: string) => {
    const { cookie } = await createUser(t.api, name);
    const { orgs } = must(await t.api.get('/auth/me', { cookie }));
    expect(orgs).toHaveLength(1);
    return orgs[0];
  };

  it('is named after the user, who owns it', async () => {
    expect(await orgOf('Alan Turing')).toMatchObject({
      name: "Alan Turing's Org",
      role: 'owner',
      plan: 'free',
      slug: expect.stringMatching(/^alan-turing/),
    });
  });

  it.each(['Admin', 'API', '李', 'a', 'ab', '--', '🙂', "O'Brien", 'x'.repeat(200), 'É'.repeat(60)])(
    'of %j has a slug that is allowed',
    async (name) => {
      const { slug } = await orgOf(name);
      expect(slug).toMatch(ORG_SLUG);
      expect(['admin', 'api']).not.toContain(slug);
    },
  );

  it('of a namesake has another slug', async () => {
    const slugs = await Promise.all(Array.from({ length: 5 }, async () => (await orgOf('Mary Smith')).slug));
    expect(new Set(slugs).size).toBe(5);
  });

  it('answers at once', async () => {
    const { cookie } = await createUser(t.api);
    const [org] = must(await t.api.get('/orgs', { cookie }));
    expect(must(await t.api.get('/findings', { cookie, org: org.slug }))).toEqual([]);
  });
});

describe('the session cookie', () => {
  const cookieOf = async (app: TestApp, origin: string, headers: Record<string, string> = {}) => {
    const api = createApi((request) => app.app.request(request), origin);
    return attributes(await api.post('/auth/register', { body: person(), headers }));
  };
  const PLAIN = ['HttpOnly', 'Max-Age=86400', 'Path=/', 'SameSite=Lax'];

  it('belongs to the one host without a base domain', async () => {
    expect(await cookieOf(t, 'http://localhost')).toEqual(PLAIN);
  });

  it('belongs to every subdomain of the base domain', async () => {
    expect(await cookieOf(based, 'http://svc.test')).toEqual(['Domain=.svc.test', ...PLAIN]);
  });

  it('is Secure over HTTPS', async () => {
    expect(await cookieOf(t, 'https://localhost')).toEqual([...PLAIN, 'Secure']);
  });

  it('heeds X-Forwarded-Proto of a trusted proxy only', async () => {
    const proxied = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_TRUST_PROXY: 'on' } });
    const forwarded = { 'x-forwarded-proto': 'https' };
    expect(await cookieOf(proxied, 'http://localhost', forwarded)).toEqual([...PLAIN, 'Secure']);
    expect(await cookieOf(proxied, 'http://localhost', { 'x-forwarded-proto': 'http' })).toEqual(PLAIN);
    expect(await cookieOf(t, 'http://localhost', forwarded)).toEqual(PLAIN);
  });

  it('is an HS256 token of 24 hours that names user and session', async () => {
    const { cookie, id } = await createUser(t.api);
    const [header, claims] = cookie
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    const session = await sessionOf(cookie);
    expect(header).toMatchObject({ alg: 'HS256' });
    expect(claims).toMatchObject({ sub: id, jti: session.id });
    expect(claims.exp - claims.iat).toBe(86_400);
    expect(session.expiresAt.getTime() - session.createdAt.getTime()).toBe(DAY);
  });
});

describe('login', () => {
  it('answers with the user and sets a cookie of a new session', async () => {
    const user = await createUser(t.api, 'Ada Lovelace');
    const answer = await login(user.email, PASSWORD);
    expect(answer.status).toBe(200);
    expect(answer.result).toEqual({
      user: {
        id: user.id,
        email: user.email,
        name: 'Ada Lovelace',
        avatar_url: '',
        created_at: expect.stringMatching(TIME),
      },
    });
    expect(attributes(answer)).toEqual(['HttpOnly', 'Max-Age=86400', 'Path=/', 'SameSite=Lax']);
    const cookie = answer.cookie ?? '';
    expect((await sessionOf(cookie)).id).not.toBe((await sessionOf(user.cookie)).id);
    expect((await t.api.get('/auth/me', { cookie })).status).toBe(200);
  });

  it('compares the address without case and spaces', async () => {
    const { email } = await createUser(t.api);
    expect((await login(` ${email.toUpperCase()} `, PASSWORD)).status).toBe(200);
  });

  it('takes a verified secondary address, and shows the primary one', async () => {
    const { id, email } = await createUser(t.api);
    const verified = await login(await addEmail(id, true), PASSWORD);
    expect(verified.result.user).toMatchObject({ id, email });
    const unverified = await login(await addEmail(id, false), PASSWORD);
    expect(outcome(unverified)).toEqual([401, 'auth_error/invalid_credentials']);
  });

  it('refuses a wrong password and an unknown address with the very same error', async () => {
    const { email } = await createUser(hashing.api);
    const answers = [
      await login(email, 'Wrong1password', hashing),
      await login(newEmail(), PASSWORD, hashing),
      await login('no address at all', PASSWORD, hashing),
      await login('a\0@example.com', PASSWORD, hashing),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.cookie).toBeUndefined();
      expect(answer.json).toEqual({
        success: false,
        request_id: answer.headers.get('x-request-id'),
        errors: [
          {
            type: 'auth_error',
            code: 'invalid_credentials',
            ref: 'E10002',
            message: answers[0]?.json.errors[0].message,
          },
        ],
      });
    }
  });

  it('compares the password exactly', async () => {
    const { email } = await createUser(hashing.api);
    for (const password of [PASSWORD.toUpperCase(), ` ${PASSWORD}`, `${PASSWORD} `, '', 'x'.repeat(100_000)])
      expect(outcome(await login(email, password, hashing))).toEqual([401, 'auth_error/invalid_credentials']);
  });

  it('takes a password that was set ten years ago', async () => {
    const { email, id } = await createUser(t.api);
    await sql("update shared.users set created_at = created_at - interval '10 years' where id = $1", [id]);
    must(await login(email, PASSWORD));
  });

  it('refuses a placeholder account', async () => {
    const { id, email } = await createUser(hashing.api);
    await sql('update shared.users set password_hash = null where id = $1', [id]);
    for (const password of [PASSWORD, '', 'null'])
      expect(outcome(await login(email, password, hashing))).toEqual([401, 'auth_error/invalid_credentials']);
  });
});

describe('logout', () => {
  it('revokes the session and clears the cookie', async () => {
    const { cookie } = await createUser(t.api);
    const answer = await t.api.post('/auth/logout', { cookie });
    expect(answer.json).toEqual({
      success: true,
      request_id: expect.any(String),
      message: expect.any(String),
    });
    expect(answer.cookie).toBe('');
    expect(attributes(answer)).toEqual(['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax']);
    expect(outcome(await t.api.get('/auth/me', { cookie }))).toEqual([401, 'auth_error/session_revoked']);
  });

  it("leaves the user's other sessions alone", async () => {
    const { cookie, email } = await createUser(t.api);
    const other = (await login(email, PASSWORD)).cookie;
    must(await t.api.post('/auth/logout', { cookie }));
    expect((await t.api.get('/auth/me', { cookie: other })).status).toBe(200);
  });

  it('clears the cookie of the whole base domain', async () => {
    const { cookie } = await createUser(based.api, 'Ada', { host: 'svc.test' });
    const answer = await based.api.post('/auth/logout', { cookie, host: 'svc.test' });
    expect(attributes(answer)).toContain('Domain=.svc.test');
  });

  it.each([undefined, '', 'garbage'])('works with the cookie %j', async (cookie) => {
    const answer = await t.api.post('/auth/logout', { cookie });
    expect([answer.status, answer.cookie]).toEqual([200, '']);
  });
});

describe('me', () => {
  it('shows the user and every organization with their role', async () => {
    const { cookie, id, email } = await createUser(t.api, 'Ada Lovelace');
    const made = must(await t.api.post('/orgs', { cookie, body: { name: 'Second', plan: 'pro' } }));
    const { user, orgs } = must(await t.api.get('/auth/me', { cookie }));
    expect(user).toEqual({
      id,
      email,
      name: 'Ada Lovelace',
      avatar_url: '',
      mfa_enabled: false,
      created_at: expect.stringMatching(TIME),
    });
    expect(orgs).toEqual([made, expect.objectContaining({ name: "Ada Lovelace's Org", role: 'owner' })]);
  });

  it('shows whether MFA is on', async () => {
    const { cookie, id } = await createUser(t.api);
    await sql('update shared.users set mfa_enabled = true where id = $1', [id]);
    expect(must(await t.api.get('/auth/me', { cookie })).user.mfa_enabled).toBe(true);
  });
});

describe('a session', () => {
  const me = (cookie?: string, app = t) => app.api.get('/auth/me', { cookie });

  /** A token like the service's own, changed. */
  async function sign(change: { secret?: string; alg?: string; audience?: string; claims?: object } = {}) {
    const { cookie, id } = await createUser(t.api);
    const { secret = SECRET, alg = 'HS256', audience = 'session', claims } = change;
    return new SignJWT({ sub: id, jti: (await sessionOf(cookie)).id, ...claims })
      .setProtectedHeader({ alg })
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret));
  }

  it('is read from a token of the right make', async () => {
    expect((await me(await sign())).status).toBe(200);
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ['no cookie', async () => undefined],
    ['an empty cookie', async () => ''],
    ['garbage', async () => 'garbage'],
    ['three parts of garbage', async () => 'a.b.c'],
    ['broken percent encoding', async () => '%E0%A4%A'],
    ['an API token', async () => `svc_${'0'.repeat(32)}`],
    ['another key', () => sign({ secret: 'another secret' })],
    ['another algorithm', () => sign({ alg: 'HS512' })],
    ['another audience', () => sign({ audience: 'mfa' })],
    ['a subject that is no id', () => sign({ claims: { sub: "' or true --" } })],
    ['a session that is no id', () => sign({ claims: { jti: 'x' } })],
    ['no session', () => sign({ claims: { jti: undefined } })],
    [
      'a tampered payload',
      async () => {
        const victim = await createUser(t.api);
        const [header, payload, signature] = (await createUser(t.api)).cookie.split('.');
        const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
        const forged = Buffer.from(JSON.stringify({ ...claims, sub: victim.id })).toString('base64url');
        return [header, forged, signature].join('.');
      },
    ],
    [
      'algorithm none',
      async () => {
        const [, payload] = (await createUser(t.api)).cookie.split('.');
        const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
        return `${header}.${payload}.`;
      },
    ],
  ])('is none with %s', async (_, make) => {
    expect(outcome(await me(await make()))).toEqual([401, 'auth_error/not_authenticated']);
  });

  it("of another user's token is none", async () => {
    const { cookie } = await createUser(t.api);
    const mixed = await sign({ claims: { jti: (await sessionOf(cookie)).id } });
    expect((await me(mixed)).status).toBe(401);
  });

  it('ends with its user', async () => {
    const { cookie, id } = await createUser(t.api);
    await sql('delete from shared.users where id = $1', [id]);
    expect(outcome(await me(cookie))).toEqual([401, 'auth_error/session_revoked']);
  });

  it('lasts 24 hours', async () => {
    const { cookie } = await createUser(later.api);
    later.advance(DAY - MINUTE);
    expect((await me(cookie, later)).status).toBe(200);
    later.advance(MINUTE);
    expect(outcome(await me(cookie, later))).toEqual([401, 'auth_error/session_revoked']);
  });

  it('ends when it is idle for as long as the setting says, and stays ended', async () => {
    const idle = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_SESSION_IDLE_MINUTES: '30' } });
    const user = await createUser(idle.api);
    idle.advance(29 * MINUTE);
    expect((await me(user.cookie, idle)).status).toBe(200);
    idle.advance(29 * MINUTE);
    expect((await me(user.cookie, idle)).status).toBe(200);
    idle.advance(31 * MINUTE);
    expect(outcome(await me(user.cookie, idle))).toEqual([401, 'auth_error/session_revoked']);
    expect(outcome(await me(user.cookie, idle))).toEqual([401, 'auth_error/session_revoked']);
    const again = must(await login(user.email, PASSWORD, idle));
    expect(again.user.id).toBe(user.id);
    const { cookie } = await login(user.email, PASSWORD, idle);
    const { sessions: listed } = must(await idle.api.get('/profile/sessions', { cookie }));
    expect(listed).toHaveLength(2);
  });

  it.each([false, true])(
    'is replaced by a sign-in with its cookie in strict mode only: %s',
    async (strict) => {
      const env = {
        SVC_STRICT: strict ? 'on' : 'off',
        JWT_SECRET: 'c5cad534971209da9f595c9efb8b03af',
        SVC_ENCRYPTION_KEY: '70c74da04fd5b34da330faef6dec05f1',
        SVC_PUBLIC_URL: 'https://localhost',
        // Strict about this alone.
        ...{ SVC_REQUIRE_VERIFIED_EMAIL: 'off', SVC_AUTH_LIMITS: 'off', SVC_BREACHED_PASSWORDS: 'off' },
      };
      const app = await startApp({ databaseUrl: t.databaseUrl, env });
      const user = await createUser(app.api);
      const elsewhere = await login(user.email, PASSWORD, app);
      const second = await app.api.post('/auth/login', {
        cookie: user.cookie,
        body: { email: user.email, password: PASSWORD },
      });
      expect((await me(user.cookie, app)).status).toBe(strict ? 401 : 200);
      // Not by a failed one, nor by one of another browser.
      await app.api.post('/auth/login', {
        cookie: second.cookie,
        body: { email: user.email, password: 'Wrong1horse' },
      });
      expect((await me(second.cookie, app)).status).toBe(200);
      expect((await me(elsewhere.cookie, app)).status).toBe(200);
      // A registration in the same browser leaves nobody else signed in there.
      must(await app.api.post('/auth/register', { cookie: second.cookie, body: person() }));
      expect((await me(second.cookie, app)).status).toBe(strict ? 401 : 200);
    },
  );

  it('notes its last activity once a minute at the most', async () => {
    const { cookie } = await createUser(later.api);
    const lastActive = async (ms: number) => {
      later.advance(ms);
      must(await me(cookie, later));
      return (await sessionOf(cookie)).lastActiveAt.getTime();
    };
    const started = (await sessionOf(cookie)).createdAt.getTime();
    expect(await lastActive(MINUTE / 2)).toBe(started);
    const noted = await lastActive(MINUTE / 2 + 1_000);
    expect(noted).toBeGreaterThan(started + MINUTE);
    expect(await lastActive(MINUTE / 2)).toBe(noted);
  });

  it('is told by mail, with browser, system, device and address', async () => {
    const proxied = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_TRUST_PROXY: 'on' } });
    // By the same app, because another one that has a mail to send sends those of all.
    const { email } = await createUser(proxied.api);
    const agents = [
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
        ['Browser: Mobile Safari 17', 'Operating system: iOS 17.4', 'Device: mobile'],
      ],
      [
        'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        ['Browser: Firefox 140', 'Operating system: Linux', 'Device: desktop'],
      ],
      ['', ['Browser: unknown', 'Operating system: unknown', 'Device: unknown']],
    ] as const;
    for (const [userAgent, said] of agents) {
      const headers = { 'user-agent': userAgent, 'x-forwarded-for': '203.0.113.7' };
      must(await proxied.api.post('/auth/login', { body: { email, password: PASSWORD }, headers }));
      const { subject, text, html } = await proxied.delivered(email);
      expect(subject).toBe('New sign-in to your account');
      const lines = text.split('\n');
      for (const line of [...said, 'IP address: 203.0.113.7']) expect(lines).toContain(line);
      for (const line of said) expect(html).toContain(line.split(': ')[1]);
    }
  });
});

describe('on a base domain', () => {
  it('the configuration names it', async () => {
    expect(must(await based.api.get('/config/auth', { host: 'anything.example' }))).toEqual({
      base_domain: 'svc.test',
    });
    expect(must(await t.api.get('/config/auth'))).toEqual({ base_domain: '' });
  });
});
