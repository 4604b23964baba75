import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { mfaLogins, users } from '../../db/schema/accounts.ts';
import { createAuthLimits } from '../../lib/accounts/limits/limits.ts';
import { createLogger } from '../../lib/logger.ts';
import { createVerifiedUser, subjectsTo, switchMfaOn, wrongCode } from '../support/api/account.ts';
import { type Answer, createOrg, createUser, must, PASSWORD } from '../support/api/api.ts';
import { linkTo } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
/** The same database, with limits, behind one proxy. */
let limited: TestApp;
const lines: string[] = [];

beforeAll(async () => {
  t = await startApp();
  limited = await startLimited('on');
});

function startLimited(trust: string): Promise<TestApp> {
  const log = createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) });
  const env = { SVC_AUTH_LIMITS: 'on', SVC_TRUST_PROXY: trust };
  // Either app sends the mails of both.
  return startApp({ log, databaseUrl: t.databaseUrl, env, mails: t.mails });
}

const outcome = ({ status, error }: Answer) => [status, error];
const INVALID_CODE = [401, 'auth_error/mfa_invalid_code'];
const LIMITED = [429, 'rate_limit_error/exceeded'];

interface From {
  /** The address that the proxy writes into X-Forwarded-For. */
  ip?: string;
  /** Value of the `svc_device` cookie. */
  device?: string | undefined;
}

const headersOf = ({ ip, device }: From) => ({
  ...(ip !== undefined && { 'x-forwarded-for': ip }),
  ...(device !== undefined && { cookie: `svc_device=${device}` }),
});
const login = (app: TestApp, email: string, password = PASSWORD, from: From = {}) =>
  app.api.post('/auth/login', { body: { email, password }, headers: headersOf(from) });
const validate = (app: TestApp, body: object, from: From = {}) =>
  app.api.post('/auth/mfa/validate', { body, headers: headersOf(from) });
const deviceCookie = ({ headers }: Answer) =>
  /(?:^|, )svc_device=([^;]+)/.exec(headers.get('set-cookie') ?? '')?.[1];

/** A user with an authenticator app. */
async function mfaUser() {
  const user = await createVerifiedUser(t);
  const app = await switchMfaOn(t, user.cookie);
  const start = async (from: From = {}) => must(await login(limited, user.email, PASSWORD, from)).mfa_token;
  return { ...user, app, start: start as (from?: From) => Promise<string> };
}

/** Another address with each call, none of them of a network that was there before. */
let used = 0;
const stranger = () => `203.${(used >> 8) % 256}.${used++ % 256}.7`;

it('limits count a /64, a /56 and a /48 of IPv6, so that a customer with 65,536 networks is one client', async () => {
  const limits = createAuthLimits(t.services.database.db);
  /** Attempts from these addresses until the first that is refused. */
  const allowed = async (addresses: string[]) => {
    let count = 0;
    for (const ip of addresses) {
      try {
        await limits.count('client', ip);
      } catch (error) {
        expect(error).toMatchObject({ key: 'rate_limit_error/exceeded' });
        return count;
      }
      count++;
    }
    return count;
  };
  const many = (from: (i: number) => string) => Array.from({ length: 1_000 }, (_, i) => from(i));
  expect(await allowed(many(() => '2001:db8:7000::1'))).toBe(60);
  expect(await allowed(many((i) => `2001:db8:7000:${((i % 255) + 1).toString(16)}::1`))).toBe(240 - 60);
  expect(await allowed(many((i) => `2001:db8:7000:${(256 + i * 50).toString(16)}::1`))).toBe(960 - 240);
  expect(await allowed(['2001:db8:7001::1', '2001:db8:7000:0:1::1'])).toBe(1);
});

describe('an mfa_token', () => {
  it('opens one session when it is used several times at once', async () => {
    const { app, email } = await mfaUser();
    const { mfa_token } = must(await login(t, email));
    const codes = app.recoveryCodes.slice(0, 6);
    const answers = await Promise.all(
      codes.map((code) => validate(t, { mfa_token, code, is_recovery: true })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(401)]);
    // The refused requests have used no code up.
    const { cookie } = answers.find(({ status }) => status === 200) ?? {};
    expect(must(await t.api.get('/profile/mfa/recovery-codes', { cookie })).remaining).toBe(7);
  });

  it('opens none after the password was reset, and mails no code', async () => {
    const { app, email, emailId, cookie } = await mfaUser();
    const device = { cookie, body: { email_id: emailId } };
    const { id } = must(await t.api.post('/profile/mfa/devices/email', device));
    const { mfa_token } = must(await login(t, email));
    must(await t.api.post('/auth/forgot-password', { body: { email } }));
    const { token } = await linkTo(t, email);
    must(await t.api.post('/auth/reset-password', { body: { token, password: 'Another2battery' } }));
    const body = { mfa_token, device_id: app.id, code: app.code() };
    expect(outcome(await validate(t, body))).toEqual(INVALID_CODE);
    const send = await t.api.post('/auth/mfa/send-email-otp', { body: { mfa_token, device_id: id } });
    expect(outcome(send)).toEqual(INVALID_CODE);
  });

  it('opens none after the password was changed, or MFA was switched off and on again', async () => {
    const { app, cookie, email } = await mfaUser();
    const body = () => ({ device_id: app.id, code: app.code() });
    const first = must(await login(t, email)).mfa_token;
    const change = { current_password: PASSWORD, new_password: PASSWORD };
    must(await t.api.post('/auth/change-password', { cookie, body: change }));
    expect(outcome(await validate(t, { ...body(), mfa_token: first }))).toEqual(INVALID_CODE);
    const second = must(await login(t, email)).mfa_token;
    must(await t.api.post('/profile/mfa/disable', { cookie, body: { password: PASSWORD } }));
    must(await t.api.post('/profile/mfa/enable', { cookie }));
    expect(outcome(await validate(t, { ...body(), mfa_token: second }))).toEqual(INVALID_CODE);
  });

  it('and a reset at the same time leave no session behind', async () => {
    for (let round = 0; round < 5; round++) {
      const { app, email } = await mfaUser();
      const { mfa_token } = must(await login(t, email));
      must(await t.api.post('/auth/forgot-password', { body: { email } }));
      const { token } = await linkTo(t, email);
      const [signedIn, , started] = await Promise.all([
        validate(t, { mfa_token, device_id: app.id, code: app.code() }),
        t.api.post('/auth/reset-password', { body: { token, password: 'Another2battery' } }),
        login(t, email),
      ]);
      if (signedIn.cookie)
        expect((await t.api.get('/auth/me', { cookie: signedIn.cookie })).status).toBe(401);
      const late = { mfa_token: started.result?.mfa_token ?? mfa_token, device_id: app.id, code: app.code() };
      expect(outcome(await validate(t, late))).toEqual(INVALID_CODE);
    }
  });

  it('is refused to a login that waits for a reset under way', async () => {
    const { email, id } = await mfaUser();
    let pending: Promise<Answer> | undefined;
    let isAnswered = false;
    await t.services.database.db.transaction(async (tx) => {
      // The statements of a reset so far.
      await tx.update(users).set({ passwordHash: 'another' }).where(eq(users.id, id));
      await tx.delete(mfaLogins).where(eq(mfaLogins.userId, id));
      pending = login(t, email).finally(() => {
        isAnswered = true;
      });
      const waits =
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%mfa_logins%'";
      await vi.waitUntil(async () => isAnswered || (await t.services.database.sql.unsafe(waits)).length > 0, {
        timeout: 10_000,
      });
    });
    const answer = await pending;
    expect(answer && outcome(answer)).toEqual([401, 'auth_error/invalid_credentials']);
  });

  it('dies after 10 wrong codes, wherever they come from, with limits on', async () => {
    const { app, id, start } = await mfaUser();
    const mfa_token = await start({ ip: stranger() });
    const body = { mfa_token, device_id: app.id };
    for (let i = 0; i < 10; i++) {
      const answer = await validate(limited, { ...body, code: wrongCode(app.code()) }, { ip: stranger() });
      expect(outcome(answer)).toEqual(INVALID_CODE);
    }
    const right = await validate(limited, { ...body, code: app.code() }, { ip: stranger() });
    expect(outcome(right)).toEqual(INVALID_CODE);
    const [row] = await t.services.database.db.select().from(mfaLogins).where(eq(mfaLogins.userId, id));
    expect(row?.failures).toBe(10);
    const reasons = lines
      .map((line) => JSON.parse(line))
      .filter(({ event, account }) => event === 'sign_in_failed' && account === id)
      .map(({ reason }) => reason);
    expect(reasons).toEqual([...Array(10).fill('wrong code'), 'sign-in over']);
    // Another sign-in is not affected.
    const next = { ...body, mfa_token: await start({ ip: stranger() }), code: app.code() };
    expect((await validate(limited, next, { ip: stranger() })).status).toBe(200);
  });
});

describe('101 guesses at once', () => {
  it('at the codes of one sign-in are 10', async () => {
    const { app, start } = await mfaUser();
    const mfa_token = await start({ ip: stranger() });
    const body = { mfa_token, device_id: app.id, code: wrongCode(app.code()) };
    const answers = await Promise.all(
      Array.from({ length: 101 }, () => validate(limited, body, { ip: stranger() })),
    );
    // Refused ones look like wrong ones; the log tells which were checked.
    expect(answers.every((answer) => answer.error === 'auth_error/mfa_invalid_code')).toBe(true);
    const checked = lines.filter(
      (line) => line.includes('wrong code') && line.includes(mfaUserOf(mfa_token)),
    );
    expect(checked).toHaveLength(10);
  });

  it('at the codes of many sign-ins from one place are 10, and say how long to wait', async () => {
    const { app, start } = await mfaUser();
    const ip = stranger();
    const tokens = await Promise.all(Array.from({ length: 11 }, () => start({ ip: stranger() })));
    const code = wrongCode(app.code());
    const guesses = Array.from({ length: 101 }, (_, i) => ({
      mfa_token: tokens[i % tokens.length],
      device_id: app.id,
      code,
    }));
    const answers = await Promise.all(guesses.map((body) => validate(limited, body, { ip })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBe(10);
    for (const answer of refused) {
      expect(outcome(answer)).toEqual(LIMITED);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('at the codes of many sign-ins from everywhere are 50 in a day', async () => {
    const { app, start } = await mfaUser();
    const tokens = await Promise.all(Array.from({ length: 11 }, () => start({ ip: stranger() })));
    const code = wrongCode(app.code());
    const answers = await Promise.all(
      Array.from({ length: 101 }, (_, i) =>
        validate(limited, { mfa_token: tokens[i % 11], device_id: app.id, code }, { ip: stranger() }),
      ),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(50);
  });

  it('at the password of a step-up are 10 for one session, and none for another', async () => {
    const user = await createUser(t.api);
    const other = await login(t, user.email);
    const guess = () =>
      limited.api.post('/auth/step-up', { cookie: user.cookie, body: { password: 'Wrong1wrong' } });
    const answers = await Promise.all(Array.from({ length: 101 }, guess));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(91);
    const body = { password: PASSWORD };
    expect((await limited.api.post('/auth/step-up', { cookie: other.cookie, body })).status).toBe(200);
  });
});

/** The user whose sign-in a token is for. */
const mfaUserOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub;

describe('a TOTP code', () => {
  it('works once with limits on, whatever it is used for', async () => {
    const { app, cookie, start } = await mfaUser();
    const code = app.code();
    const body = { mfa_token: await start(), device_id: app.id, code };
    expect((await validate(limited, body)).status).toBe(200);
    const again = { ...body, mfa_token: await start() };
    expect(outcome(await validate(limited, again))).toEqual(INVALID_CODE);
    const stepUp = (given: string) =>
      limited.api.post('/auth/step-up', { cookie, body: { password: PASSWORD, code: given } });
    expect(outcome(await stepUp(code))).toEqual(INVALID_CODE);
    const next = app.code(1);
    const answers = await Promise.all([stepUp(next), stepUp(next), stepUp(next)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(outcome(await validate(limited, { ...again, code: next }))).toEqual(INVALID_CODE);
  });

  it('works within its window without limits', async () => {
    const { app, email } = await mfaUser();
    const code = app.code();
    for (let i = 0; i < 2; i++) {
      const { mfa_token } = must(await login(t, email));
      expect((await validate(t, { mfa_token, device_id: app.id, code })).status).toBe(200);
    }
  });
});

describe('a made-up reset link', () => {
  it('costs no password hash', async () => {
    const hash = vi.spyOn(t.services.hasher, 'hash');
    const body = { token: 'f3'.repeat(32), password: PASSWORD };
    const answer = await t.api.post('/auth/reset-password', { body });
    expect(answer.refusal).toBe('400 validation_error/field_invalid token');
    expect(hash).not.toHaveBeenCalled();
    hash.mockRestore();
  });
});

describe('failures by strangers', () => {
  /** Tries wrong passwords from as many places, until all of them are refused. */
  async function flood(email: string, attempts = 101): Promise<Answer[]> {
    const answers: Answer[] = [];
    while (answers.length < attempts) {
      const some = Array.from({ length: Math.min(20, attempts - answers.length) }, () =>
        login(limited, email, 'Wrong1wrong', { ip: stranger() }),
      );
      answers.push(...(await Promise.all(some)));
    }
    return answers;
  }

  it('are refused after 100, but not the owner from where they have signed in before', async () => {
    const user = await createUser(t.api);
    const home = { ip: '198.51.100.20' };
    const first = await login(limited, user.email, PASSWORD, home);
    const answers = await flood(user.email);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(100);
    expect(outcome(await login(limited, user.email, PASSWORD, { ip: stranger() }))).toEqual(LIMITED);
    expect((await login(limited, user.email, PASSWORD, home)).status).toBe(200);
    // On the move, with the same browser.
    const device = deviceCookie(first);
    expect((await login(limited, user.email, PASSWORD, { ip: stranger(), device })).status).toBe(200);
    // It is no way around the limit: it counts by itself, and for its own account.
    const guess = () => login(limited, user.email, 'Wrong1wrong', { ip: stranger(), device });
    const guesses = await Promise.all(Array.from({ length: 12 }, guess));
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10);
    const other = await createUser(t.api);
    await flood(other.email);
    const foreign = { ip: stranger(), device };
    expect(outcome(await login(limited, other.email, PASSWORD, foreign))).toEqual(LIMITED);
  });

  it('cannot use a stolen device cookie after a reset of the password', async () => {
    const user = await createUser(t.api);
    const stolen = deviceCookie(await login(limited, user.email, PASSWORD, { ip: stranger() }));
    const guess = () => login(limited, user.email, 'Wrong1wrong', { ip: stranger(), device: stolen });
    expect((await guess()).status).toBe(401);
    must(await limited.api.post('/auth/forgot-password', { body: { email: user.email } }));
    const { token } = await linkTo(limited, user.email);
    const body = { token, password: 'Another2battery' };
    const done = await limited.api.post('/auth/reset-password', { body });
    await flood(user.email);
    // The thief is a stranger again; the owner's browser got another cookie.
    expect(outcome(await guess())).toEqual(LIMITED);
    const from = { ip: stranger(), device: deviceCookie(done) };
    expect((await login(limited, user.email, body.password, from)).status).toBe(200);
  });

  it('cannot use a stolen device cookie after a change of the password', async () => {
    const user = await createUser(t.api);
    const first = await login(limited, user.email, PASSWORD, { ip: stranger() });
    const body = { current_password: PASSWORD, new_password: 'Another2battery' };
    const done = await limited.api.post('/auth/change-password', { cookie: first.cookie, body });
    await flood(user.email);
    const from = (device: string | undefined) => ({ ip: stranger(), device });
    const thief = await login(limited, user.email, 'Wrong1wrong', from(deviceCookie(first)));
    expect(outcome(thief)).toEqual(LIMITED);
    const owner = await login(limited, user.email, body.new_password, from(deviceCookie(done)));
    expect(owner.status).toBe(200);
  });

  it('at codes do not keep out a browser that has signed in before, until the password changes', async () => {
    const { app, cookie, start, email } = await mfaUser();
    const home = { ip: stranger() };
    const first = { mfa_token: await start(home), device_id: app.id, code: app.code() };
    const device = deviceCookie(await validate(limited, first, home));
    const tokens = await Promise.all(Array.from({ length: 6 }, () => start({ ip: stranger() })));
    const wrong = { device_id: app.id, code: wrongCode(app.code()) };
    for (let i = 0; i < 50; i++)
      await validate(limited, { ...wrong, mfa_token: tokens[i % 6] }, { ip: stranger() });
    const guess = async (password: string) => {
      const { mfa_token } = must(await login(t, email, password));
      return outcome(await validate(limited, { ...wrong, mfa_token }, { ip: stranger(), device }));
    };
    expect(await guess(PASSWORD)).toEqual(INVALID_CODE);
    const body = { current_password: PASSWORD, new_password: 'Another2battery' };
    must(await t.api.post('/auth/change-password', { cookie, body }));
    expect(await guess(body.new_password)).toEqual(LIMITED);
  });

  it('at one place are forgotten by a sign-in from there', async () => {
    const user = await createUser(t.api);
    const ip = stranger();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 9; i++)
        expect((await login(limited, user.email, 'Wrong1wrong', { ip })).status).toBe(401);
      expect((await login(limited, user.email, PASSWORD, { ip })).status).toBe(200);
    }
  });

  it('are told to the security log, with the limit that was exceeded', async () => {
    const user = await createUser(t.api);
    const ip = stranger();
    for (let i = 0; i < 11; i++) await login(limited, user.email, 'Wrong1wrong', { ip });
    const events = lines.map((line) => JSON.parse(line)).filter((line) => line.ip === ip);
    expect(events.slice(0, 10)).toEqual(
      Array(10).fill(
        expect.objectContaining({
          message: 'security event',
          event: 'sign_in_failed',
          reason: 'wrong password',
          account: user.id,
        }),
      ),
    );
    expect(events[10]).toMatchObject({ event: 'limit_exceeded', limit: 'password' });
    expect(lines.join('')).not.toMatch(/Wrong1wrong|Correct1horse/);
  });

  it('name a disabled account to the security log, not to the client', async () => {
    const user = await createUser(t.api);
    await t.services.database.db.update(users).set({ disabledAt: new Date() }).where(eq(users.id, user.id));
    expect((await login(limited, user.email, PASSWORD, { ip: stranger() })).refusal).toBe(
      '401 auth_error/invalid_credentials',
    );
    expect(lines.map((line) => JSON.parse(line)).filter((line) => line.account === user.id)).toEqual([
      expect.objectContaining({ event: 'sign_in_failed', reason: 'disabled account' }),
    ]);
  });
});

describe('mails that others ask for', () => {
  it('do not keep the owner from a reset link: invitations', async () => {
    const { email } = await createVerifiedUser(t);
    const mallory = await createOrg(limited.api);
    const invite = () =>
      limited.api.post('/members/invite', {
        ...mallory.asOwner,
        headers: headersOf({ ip: stranger() }),
        body: { email, role: 'viewer' },
      });
    for (let i = 0; i < 5; i++) {
      const { user_id } = must(await invite());
      await limited.api.delete(`/members/${user_id}`, mallory.asOwner);
    }
    expect(outcome(await invite())).toEqual(LIMITED);
    must(
      await limited.api.post('/auth/forgot-password', {
        body: { email },
        headers: headersOf({ ip: stranger() }),
      }),
    );
    expect((await limited.delivered(email)).subject).toBe('Reset your password');
  });

  it('do not keep the owner from a sign-in code: the step-up codes of a stolen session', async () => {
    const { cookie, email } = await createVerifiedUser(t);
    must(await t.api.post('/profile/mfa/enable', { cookie }));
    const [{ id: device_id }] = must(await t.api.get('/profile/mfa/devices', { cookie })).devices;
    const stolen = () => limited.api.post('/auth/step-up/send-email-otp', { cookie, body: { device_id } });
    for (let i = 0; i < 5; i++) must(await stolen());
    expect(outcome(await stolen())).toEqual(LIMITED);
    const { mfa_token } = must(await login(limited, email, PASSWORD, { ip: stranger() }));
    must(
      await limited.api.post('/auth/mfa/send-email-otp', {
        body: { mfa_token, device_id },
        headers: headersOf({ ip: stranger() }),
      }),
    );
    expect((await limited.delivered(email)).subject).toBe('Your sign-in code');
  });
});

describe('the device cookie', () => {
  it('is no session, and not given without limits', async () => {
    const user = await createUser(t.api);
    const answer = await login(limited, user.email);
    const device = deviceCookie(answer);
    expect((await t.api.get('/auth/me', { cookie: device })).refusal).toBe(
      '401 auth_error/not_authenticated',
    );
    expect(answer.headers.getSetCookie().find((cookie) => cookie.startsWith('svc_device'))).toMatch(
      /; Max-Age=7776000; Path=\/api\/v1\/auth; HttpOnly; SameSite=Lax$/,
    );
    expect(deviceCookie(await login(t, user.email))).toBeUndefined();
  });
});

describe('the mail about a sign-in', () => {
  const noticesTo = async (email: string) =>
    (await subjectsTo(limited, email)).filter((subject) => subject === 'New sign-in to your account').length;

  it('is not sent for a browser with the cookie of the account, with limits', async () => {
    const [user, other] = [await createVerifiedUser(t), await createUser(t.api)];
    const signIn = async (device: string | undefined, app = limited) => {
      const before = await noticesTo(user.email);
      const answer = await login(app, user.email, PASSWORD, { ip: stranger(), device });
      expect(answer.status).toBe(200);
      return { mails: (await noticesTo(user.email)) - before, device: deviceCookie(answer) };
    };
    const first = await signIn(undefined);
    const known = await signIn(first.device);
    expect([first.mails, known.mails, (await signIn(known.device)).mails]).toEqual([1, 0, 0]);
    const foreign = deviceCookie(await login(limited, other.email, PASSWORD, { ip: stranger() }));
    expect([(await signIn(foreign)).mails, (await signIn(`${first.device}x`)).mails]).toEqual([1, 1]);
    // The contract reports every sign-in.
    expect((await signIn(first.device, t)).mails).toBe(1);
  });
});

describe('a client', () => {
  const attempt = async (app: TestApp, ip: string) =>
    (await login(app, `${crypto.randomUUID()}@example.com`, PASSWORD, { ip })).status;
  /** How many of 70 requests got past the limit of 60. */
  async function passed(app: TestApp, ipOf: (i: number) => string): Promise<number> {
    const statuses = await Promise.all(Array.from({ length: 70 }, (_, i) => attempt(app, ipOf(i))));
    return statuses.filter((status) => status !== 429).length;
  }

  it('is a network of IPv6, whose addresses one host can all have', async () => {
    expect(await passed(limited, (i) => `2001:db8:1:2:${i}::${i.toString(16)}`)).toBe(60);
    expect(await attempt(limited, '2001:db8:1:3::1')).toBe(401);
  });
});
