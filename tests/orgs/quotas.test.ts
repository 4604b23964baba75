import { and, eq, isNull } from 'drizzle-orm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { rateLimits, sessions, users } from '../../db/schema/accounts.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createLogger } from '../../lib/logger.ts';
import { createVerifiedUser } from '../support/api/account.ts';
import { type Answer, createOrg, createUser, must, PASSWORD, type TestOrg } from '../support/api/api.ts';
import { resetBy, verify } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
/** Another process over the same database. */
let other: TestApp;
const lines: string[] = [];

const MAX = 5;
const env = {
  SVC_MAX_ORGS_PER_ACCOUNT: `${MAX}`,
  SVC_MAX_SESSIONS_PER_ACCOUNT: `${MAX}`,
  SVC_MAX_EMAILS_PER_ACCOUNT: `${MAX}`,
  SVC_MAX_MFA_DEVICES_PER_ACCOUNT: `${MAX}`,
  SVC_MAX_MEMBERS_PER_ORG: `${MAX}`,
  SVC_MAX_PROJECTS_PER_ORG: `${MAX}`,
  SVC_MAX_TOKENS_PER_ORG: `${MAX}`,
  SVC_MAX_TOKENS_PER_PROJECT: '3',
};

beforeAll(async () => {
  const log = createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) });
  t = await startApp({ env, log });
  other = await startApp({ databaseUrl: t.databaseUrl, env });
});

const exceeded = (limit: string) =>
  lines
    .map((line) => JSON.parse(line))
    .filter(({ message, event }) => message === 'security event' && event === 'limit_exceeded')
    .filter((line) => line.limit === limit);

/** 50 requests at once, half of them at each process. @returns how many were answered how */
async function flood(call: (app: TestApp, i: number) => Promise<Answer>): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => call(i % 2 === 0 ? t : other, i)));
  const counts: Record<string, number> = {};
  for (const { status, error = '' } of answers) {
    const name = `${status} ${error}`.trim();
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const CONFLICT = '409 resource_error/conflict';
const messageOf = ({ json }: Answer) => json.errors[0].message;

describe('an account', () => {
  it('creates no more organizations than it may, also with 50 requests at once', async () => {
    const user = await createUser(t.api);
    const create = (app: TestApp, i: number) =>
      app.api.post('/orgs', { cookie: user.cookie, body: { name: `Org ${i}` } });
    // One was made by registering.
    expect(await flood(create)).toEqual({ 201: MAX - 1, [CONFLICT]: 50 - (MAX - 1) });
    expect(must(await t.api.get('/orgs', { cookie: user.cookie }))).toHaveLength(MAX);
    expect(messageOf(await create(t, 0))).toBe('An account can create at most 5 organizations.');
    expect(exceeded('orgsPerAccount').at(-1)).toMatchObject({ level: 'info', max: MAX, user: user.id });
  });

  it('creates no more by handing over what it has created', async () => {
    const user = await createUser(t.api);
    const heir = await createVerifiedUser(t);
    const { cookie } = user;
    const create = () => t.api.post('/orgs', { cookie, body: { name: 'Org' } });
    for (let i = 1; i < MAX; i++) {
      const { slug } = must(await create());
      const body = { email: heir.email, role: 'owner' };
      must(await t.api.post('/members/invite', { cookie, org: slug, body }));
      must(await t.api.post('/members/leave', { cookie, org: slug }));
    }
    // Nor that of the registration.
    const [{ slug }] = must(await t.api.get('/orgs', { cookie }));
    must(
      await t.api.post('/members/invite', { cookie, org: slug, body: { email: heir.email, role: 'owner' } }),
    );
    must(await t.api.post('/members/leave', { cookie, org: slug }));
    expect(must(await t.api.get('/orgs', { cookie }))).toEqual([]);
    expect((await create()).error).toBe('resource_error/conflict');
    // The new owner is not charged for them.
    const own = await t.api.post('/orgs', { cookie: heir.cookie, body: { name: 'Mine' } });
    expect(own.status).toBe(201);
  });

  it('has no more e-mail addresses than it may', async () => {
    const user = await createUser(t.api);
    const add = (app: TestApp, i: number) =>
      app.api.post('/profile/emails', { cookie: user.cookie, body: { email: `${i}.${user.email}` } });
    expect(await flood(add)).toEqual({ 201: MAX - 1, [CONFLICT]: 50 - (MAX - 1) });
    expect(messageOf(await add(t, 99))).toBe('An account can have at most 5 e-mail addresses.');
    expect(must(await t.api.get('/profile/emails', { cookie: user.cookie })).emails).toHaveLength(MAX);
  });

  it('has no more MFA devices than it may', async () => {
    const user = await createUser(t.api);
    const add = (app: TestApp, i: number) =>
      app.api.post('/profile/mfa/devices/totp', { cookie: user.cookie, body: { name: `Phone ${i}` } });
    expect(await flood(add)).toEqual({ 201: MAX, [CONFLICT]: 50 - MAX });
    expect(messageOf(await add(t, 99))).toBe('An account can have at most 5 MFA devices.');
    const link = new URL((await t.delivered(user.email)).link ?? '').searchParams;
    const email_id = link.get('email_id');
    must(await t.api.post('/auth/verify-email', { body: { token: link.get('token'), email_id } }));
    const byMail = await t.api.post('/profile/mfa/devices/email', {
      cookie: user.cookie,
      body: { email_id },
    });
    expect([byMail.status, byMail.error]).toEqual([409, 'resource_error/conflict']);
    expect(must(await t.api.get('/profile/mfa/devices', { cookie: user.cookie })).devices).toHaveLength(MAX);
  });

  it('has its oldest sessions ended by newer ones', async () => {
    const user = await createUser(t.api);
    const login = (app: TestApp) =>
      app.api.post('/auth/login', { body: { email: user.email, password: PASSWORD } });
    const isLive = async (cookie = '') => (await t.api.get('/auth/me', { cookie })).status === 200;
    const cookies: (string | undefined)[] = [user.cookie];
    for (let i = 1; i < MAX; i++) cookies.push((await login(t)).cookie);
    expect(await Promise.all(cookies.map(isLive))).toEqual(Array(MAX).fill(true));
    cookies.push((await login(t)).cookie);
    expect(await Promise.all(cookies.map(isLive))).toEqual([false, ...Array(MAX).fill(true)]);
    expect(exceeded('sessionsPerAccount').at(-1)).toMatchObject({ max: MAX, user: user.id, ended: 1 });

    expect(await flood(login)).toEqual({ 200: 50 });
    const { cookie } = await login(t);
    expect(must(await t.api.get('/profile/sessions', { cookie })).sessions).toHaveLength(MAX);
  });

  it('keeps no more sessions than it may after sign-ins that waited for each other', async () => {
    const user = await createUser(t.api);
    const { db, sql } = t.services.database;
    const login = () => t.api.post('/auth/login', { body: { email: user.email, password: PASSWORD } });
    const waiting = async () => {
      const rows = await sql.unsafe(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like 'update "shared"."users" set "sign_ins"%'`,
      );
      return rows.length;
    };
    let logins: Promise<Answer[]> | undefined;
    await db.transaction(async (tx) => {
      await tx.select().from(users).where(eq(users.id, user.id)).for('no key update');
      // None of them sees another one's session: they have all begun before the first one ends.
      logins = Promise.all(Array.from({ length: MAX + 2 }, login));
      await vi.waitUntil(async () => (await waiting()) === MAX + 2);
    });
    expect((await logins)?.map(({ status }) => status)).toEqual(Array(MAX + 2).fill(200));
    const kept = and(eq(sessions.userId, user.id), isNull(sessions.revokedAt));
    expect(await db.$count(sessions, kept)).toBe(MAX);
  });
});

describe('an organization', () => {
  const fresh = async (): Promise<TestOrg> => createOrg(t.api);

  it('has no more projects than it may', async () => {
    const org = await fresh();
    const create = (app: TestApp, i: number) =>
      app.api.post('/projects', { ...org.asOwner, body: { name: `Project ${i}` } });
    expect(await flood(create)).toEqual({ 201: MAX - 1, [CONFLICT]: 50 - (MAX - 1) });
    expect(messageOf(await create(t, 99))).toBe('An organization can have at most 5 projects.');
  });

  it('has no more active tokens than it may, in all and per project; expired and revoked ones do not count', async () => {
    const org = await fresh();
    must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
    const path = `/projects/${org.projectId}/tokens`;
    const ofProject = (app: TestApp, i: number, expires_in = 0) =>
      app.api.post(path, { ...org.asOwner, body: { name: `Token ${i}`, expires_in } });
    const ofOrg = (app: TestApp, i: number) =>
      app.api.post('/tokens', { ...org.asOwner, body: { name: `Token ${i}` } });
    // One of the project is there.
    expect(await flood(ofProject)).toEqual({ 201: 2, [CONFLICT]: 48 });
    expect(messageOf(await ofProject(t, 0))).toBe(
      'A project can have at most 3 active API tokens. Revoke one first.',
    );
    expect(await flood(ofOrg)).toEqual({ 201: 2, [CONFLICT]: 48 });
    expect(messageOf(await ofOrg(t, 0))).toBe(
      'An organization can have at most 5 active API tokens. Revoke one first.',
    );
    const [newest] = must(await t.api.get(path, org.asOwner));
    expect((await t.api.delete(`${path}/${newest.id}`, org.asOwner)).status).toBe(204);
    expect((await ofProject(t, 1, 1)).status).toBe(201);
    expect((await ofProject(t, 2)).status).toBe(409);
    const schema = `org_${org.id.replaceAll('-', '')}`;
    await t.services.database.sql.unsafe(
      `update "${schema}".api_tokens set expires_at = now() where expires_at is not null`,
    );
    expect((await ofProject(t, 2)).status, 'the one of a day has expired').toBe(201);
  });

  it('has no more members than it may', async () => {
    const org = await fresh();
    const invite = (app: TestApp, i: number) =>
      app.api.post('/members/invite', {
        ...org.asOwner,
        body: { email: `${i}-${org.slug}@example.com`, role: 'viewer' },
      });
    expect(await flood(invite)).toEqual({ 201: MAX - 1, [CONFLICT]: 50 - (MAX - 1) });
    expect(messageOf(await invite(t, 99))).toBe('An organization can have at most 5 members.');
    expect(must(await t.api.get('/members', org.asOwner))).toHaveLength(MAX);
    const twice = await t.api.post('/members/invite', {
      ...org.asOwner,
      body: { email: org.owner.email, role: 'viewer' },
    });
    expect(twice.error).toBe('resource_error/already_exists');
  });
});

describe('an address', () => {
  const mailsTo = async (address: string) => {
    await t.services.mail.deliverDue();
    await other.services.mail.deliverDue();
    return [...t.mails, ...other.mails].filter(({ recipient }) => recipient === address);
  };

  it('gets 30 reset links an hour, however often a stranger asks, and the answer does not tell', async () => {
    const user = await createUser(t.api);
    const forgot = (app: TestApp, email: string) =>
      app.api.post('/auth/forgot-password', { body: { email } });
    const body = (answer: Answer) => [answer.status, answer.json.message];
    const usual = body(await forgot(t, 'nobody@example.com'));
    for (let round = 0; round < 2; round++)
      expect(await flood((app) => forgot(app, user.email))).toEqual({ 200: 50 });
    // And the verification link, which is counted on its own.
    expect(await mailsTo(user.email)).toHaveLength(31);
    expect(body(await forgot(t, user.email))).toEqual(usual);
    expect(exceeded('mailsPerHour').at(-1)).toMatchObject({ max: 30, kind: 'reset', address: user.email });
    const someoneElse = await createUser(t.api);
    must(await forgot(t, someoneElse.email));
    expect(await mailsTo(someoneElse.email)).toHaveLength(2);

    // An hour later.
    await t.services.database.db.update(rateLimits).set({ expire: new Date() });
    must(await forgot(t, user.email));
    expect(await mailsTo(user.email)).toHaveLength(32);
  });

  it('gets its reset link, however often a stranger invites it', async () => {
    const user = await createUser(t.api);
    const org = await createOrg(t.api);
    const body = { email: user.email, role: 'viewer' };
    let last: Answer | undefined;
    for (let i = 0; i < 31; i++) {
      last = await t.api.post('/members/invite', { ...org.asOwner, body });
      if (last.status === 201) await t.api.delete(`/members/${last.result.user_id}`, org.asOwner);
    }
    expect(last?.error).toBe('rate_limit_error/exceeded');
    must(await t.api.post('/auth/forgot-password', { body: { email: user.email } }));
    const subjects = (await mailsTo(user.email)).map(({ subject }) => subject);
    expect(subjects).toContain('Reset your password');
  });

  it('gets its sign-in code, however many step-up codes a stolen session asks for', async () => {
    const { cookie, email } = await createVerifiedUser(t);
    must(await t.api.post('/profile/mfa/enable', { cookie }));
    const [device] = must(await t.api.get('/profile/mfa/devices', { cookie })).devices;
    const body = { device_id: device.id };
    const stepUpCode = (app: TestApp) => app.api.post('/auth/step-up/send-email-otp', { cookie, body });
    expect(await flood(stepUpCode)).toEqual({ 200: 30, '429 rate_limit_error/exceeded': 20 });
    const { mfa_token } = must(await t.api.post('/auth/login', { body: { email, password: PASSWORD } }));
    must(await t.api.post('/auth/mfa/send-email-otp', { body: { ...body, mfa_token } }));
    const subjects = (await mailsTo(email)).map(({ subject }) => subject);
    expect(subjects).toContain('Your sign-in code');
  });

  it('is refused to a user who asks for more with a session, and says when to come back', async () => {
    const user = await createUser(t.api);
    const [{ id }] = must(await t.api.get('/profile/emails', { cookie: user.cookie })).emails;
    const send = (app: TestApp) =>
      app.api.post(`/profile/emails/${id}/send-verification`, { cookie: user.cookie });
    expect(await flood(send)).toEqual({ 200: 29, '429 rate_limit_error/exceeded': 21 });
    const refused = await send(t);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500);
    expect(messageOf(refused)).toBe('This address gets at most 30 mails of this kind per hour.');
    expect(await mailsTo(user.email)).toHaveLength(30);

    // Nor by adding and removing it, or by inviting it.
    const mallory = await createUser(t.api);
    const stranger = `victim-${user.email}`;
    let last: Answer | undefined;
    for (let i = 0; i < 31; i++) {
      last = await t.api.post('/profile/emails', { cookie: mallory.cookie, body: { email: stranger } });
      if (last.status === 201)
        await t.api.delete(`/profile/emails/${last.result.id}`, { cookie: mallory.cookie });
    }
    expect(last?.error).toBe('rate_limit_error/exceeded');
    const org = await createOrg(t.api);
    const invite = await t.api.post('/members/invite', {
      ...org.asOwner,
      body: { email: stranger, role: 'viewer' },
    });
    expect(invite.error).toBe('rate_limit_error/exceeded');
    expect(must(await t.api.get('/members', org.asOwner))).toHaveLength(1);
    expect(await mailsTo(stranger)).toHaveLength(30);
    // Its owner can register all the same.
    const register = { email: stranger, password: PASSWORD, name: 'Victim' };
    expect((await t.api.post('/auth/register', { body: register })).status).toBe(201);
  });

  it('that was registered by somebody else gets 30 notices an hour; a verified one gets all', async () => {
    const user = await createUser(t.api);
    const login = (app: TestApp) =>
      app.api.post('/auth/login', { body: { email: user.email, password: PASSWORD } });
    expect(await flood(login)).toEqual({ 200: 50 });
    const notices = async () =>
      (await mailsTo(user.email)).filter(({ subject }) => subject.startsWith('New sign-in'));
    expect(await notices()).toHaveLength(30);
    const { cookie } = await login(t);
    for (let i = 0; i < 2; i++) {
      const body = { current_password: PASSWORD, new_password: PASSWORD };
      must(await t.api.post('/auth/change-password', { cookie, body }));
    }
    // The same for a reset through a second address that the same account has verified.
    const second = `second-${user.email}`;
    must(await t.api.post('/profile/emails', { cookie, body: { email: second } }));
    await verify(t, second);
    must(await t.api.post('/auth/forgot-password', { body: { email: second } }));
    await resetBy(t, second);
    expect((await mailsTo(user.email)).filter(({ subject }) => /password/.test(subject))).toEqual([]);

    const link = [...t.mails, ...other.mails].find(
      ({ recipient, subject }) => recipient === user.email && subject.startsWith('Verify'),
    )?.link;
    const { searchParams } = new URL(link ?? '');
    const body = { token: searchParams.get('token'), email_id: searchParams.get('email_id') };
    must(await t.api.post('/auth/verify-email', { body }));
    must(await login(t));
    expect(await notices()).toHaveLength(31);
  });
});

describe('counting active API tokens', () => {
  it('reads none of 20,000 that were revoked and 20,000 that have expired', async () => {
    const app = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_DB_POOL_MAX: '1' } });
    const { sql } = app.services.database;
    const org = await createOrg(app.api);
    const { id } = await app.services.orgs.resolve('', org.slug);
    const schema = orgSchemaName(id);
    for (const values of ["true, now() + interval '1 day'", "false, now() - interval '1 day'"])
      await sql.unsafe(`
        insert into ${schema}.api_tokens (id, project_id, name, prefix, token_hash, created_by, created_at, revoked, expires_at)
        select gen_random_uuid(), '${org.projectId}', 'old', 'svc_' || left(md5(i::text), 8), '', gen_random_uuid(), now(), ${values}
        from generate_series(1, 20000) i`);
    await sql.unsafe(`analyze ${schema}.api_tokens`);
    /** Rows read of all tokens; the only connection reports its statistics. */
    const rowsRead = async () => {
      await sql.unsafe('select pg_stat_force_next_flush()');
      const [row] = await sql.unsafe(
        `select (seq_tup_read + idx_tup_fetch)::int as n from pg_stat_user_tables
         where schemaname = $1 and relname = 'api_tokens'`,
        [schema],
      );
      return row?.n;
    };
    must(await app.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
    const before = await rowsRead();
    for (const path of [`/projects/${org.projectId}/tokens`, '/tokens'])
      must(await app.api.post(path, { ...org.asOwner, body: { name: 'new' } }));
    expect((await rowsRead()) - before).toBeLessThan(100);
  });
});
