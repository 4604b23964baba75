import { SignJWT } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import { createVerifiedUser, switchMfaOn } from '../support/api/account.ts';
import { type Answer, type Api, createUser, must, PASSWORD } from '../support/api/api.ts';
import { linkTo } from '../support/api/mailed.ts';
import { JWT_SECRET, startApp, type TestApp, type TestAppOptions } from '../support/server/app.ts';
import { waitingHasher } from '../support/server/hasher.ts';

const start = (options?: TestAppOptions) => startApp({ hasher: waitingHasher, ...options });

let t: TestApp;
let api: Api;

beforeAll(async () => {
  t = await start();
  api = t.api;
});

const login = (email: string, password = PASSWORD) => api.post('/auth/login', { body: { email, password } });
const me = (cookie?: string) => api.get('/auth/me', { cookie });

async function forgot(email: string): Promise<string> {
  must(await api.post('/auth/forgot-password', { body: { email } }));
  return (await linkTo(t, email)).token ?? '';
}

const reset = (token: string, password = 'Another2battery') =>
  api.post('/auth/reset-password', { body: { token, password } });
const verify = (body: object) => api.post('/auth/verify-email', { body });

const verifiedUser = () => createVerifiedUser(t);
const outcome = ({ status, error }: Answer) => [status, error];

describe('the name of an account', () => {
  it('is changed by its user only, and others see the new one', async () => {
    const [ada, eve] = [await createUser(api, 'Ada'), await createUser(api, 'Eve')];
    const changed = must(
      await api.patch('/auth/me', { cookie: ada.cookie, body: { name: '  Ada Lovelace ' } }),
    );
    expect(changed).toMatchObject({ id: ada.id, email: ada.email, name: 'Ada Lovelace', mfa_enabled: false });
    expect(must(await me(ada.cookie)).user).toEqual(changed);
    expect(must(await me(eve.cookie)).user.name).toBe('Eve');
  });

  it('stays when a change is empty or has no valid name', async () => {
    const { cookie } = await createUser(api, 'Ada');
    const rename = (body: object) => api.patch('/auth/me', { cookie, body });
    expect(outcome(await rename({}))).toEqual([400, 'validation_error/field_required']);
    expect((await rename({ name: '   ' })).status).toBe(400);
    expect(must(await me(cookie)).user.name).toBe('Ada');
  });

  it.each([
    'http://example.com/a.png',
    'javascript:alert(1)',
    'https://ada:secret@example.com/',
    'https://',
    `https://example.com/${'x'.repeat(500)}`,
    1,
  ])('has no picture %j', async (avatar_url) => {
    const { cookie } = await createUser(api, 'Ada');
    const { status, badFields } = await api.patch('/auth/me', { cookie, body: { avatar_url } });
    expect([status, badFields]).toEqual([400, ['avatar_url']]);
  });

  it('stays when only the picture is changed, which can be removed', async () => {
    const { cookie } = await createUser(api, 'Ada');
    for (const avatar_url of ['https://images.example.com/ada.png', '']) {
      must(await api.patch('/auth/me', { cookie, body: { avatar_url } }));
      expect(must(await me(cookie)).user).toMatchObject({ name: 'Ada', avatar_url });
    }
  });
});

describe('a password', () => {
  it('is reset by a mailed link, once, which ends all sessions', async () => {
    const user = await createUser(api);
    const token = await forgot(user.email);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(outcome(await reset(token, 'weak'))).toEqual([400, 'validation_error/field_invalid']);
    const done = await reset(token);
    expect([done.status, done.result, typeof done.json.message]).toEqual([200, undefined, 'string']);
    expect(outcome(await me(user.cookie))).toEqual([401, 'auth_error/session_revoked']);
    expect((await login(user.email)).status).toBe(401);
    expect((await login(user.email, 'Another2battery')).status).toBe(200);
    expect(outcome(await reset(token, 'Third3third'))).toEqual([400, 'validation_error/field_invalid']);
    await t.services.mail.deliverDue();
    expect(
      t.mails.filter(({ recipient, subject }) => recipient === user.email && /password/i.test(subject)),
    ).toHaveLength(2);
  });

  it('link ends after an hour, with the next reset, and with a change of the password', async () => {
    const user = await createUser(api);
    const old = await forgot(user.email);
    t.advance(60 * 60_000);
    expect((await reset(old)).status).toBe(400);
    const [first, second] = [await forgot(user.email), await forgot(user.email)];
    expect((await reset(second)).status).toBe(200);
    expect((await reset(first)).status).toBe(400);
    const cookie = (await login(user.email, 'Another2battery')).cookie;
    const third = await forgot(user.email);
    const body = { current_password: 'Another2battery', new_password: PASSWORD };
    expect((await api.post('/auth/change-password', { cookie, body })).status).toBe(200);
    expect((await reset(third)).status).toBe(400);
  });

  it('link has one user when several use it at once', async () => {
    const user = await createUser(api);
    const token = await forgot(user.email);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => reset(token, `Password${i}x`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await login(user.email, `Password${winner}x`)).status).toBe(200);
  });

  it('reset wins over a login and a change that knew the old one', async () => {
    for (let round = 0; round < 6; round++) {
      const user = await createUser(api);
      const token = await forgot(user.email);
      const body = { current_password: PASSWORD, new_password: 'Attackers1choice' };
      const [byLink, byOld, signedIn] = await Promise.all([
        reset(token),
        api.post('/auth/change-password', { cookie: user.cookie, body }),
        login(user.email),
      ]);
      // The first request may have succeeded; afterwards the link has the last word, or was never used.
      const owner =
        byLink.status === 200 &&
        (byOld.status !== 200 || (await login(user.email, 'Another2battery')).status === 200);
      expect(owner || byLink.status === 400).toBe(true);
      if (byLink.status === 200 && signedIn.cookie) {
        expect((await me(signedIn.cookie)).error).toBe('auth_error/session_revoked');
      }
    }
  });

  it('links used at once are answered, each in its own way', async () => {
    const user = await createUser(api);
    const tokens = [await forgot(user.email), await forgot(user.email), await forgot(user.email)];
    const answers = await Promise.all(tokens.map((token) => reset(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const address = `second-${user.email}`;
    const { cookie } = await login(user.email, 'Another2battery');
    const { id } = must(await api.post('/profile/emails', { cookie, body: { email: address } }));
    must(await api.post(`/profile/emails/${id}/send-verification`, { cookie }));
    await t.services.mail.deliverDue();
    const links = t.mails
      .filter(({ recipient }) => recipient === address)
      .map(({ link }) => new URL(link ?? '').searchParams);
    const verified = await Promise.all(
      links.map((params) => verify({ token: params.get('token'), email_id: params.get('email_id') })),
    );
    expect(verified.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('link to an address that was given up is worth nothing', async () => {
    const user = await createUser(api);
    const token = await forgot(user.email);
    const address = `new-${user.email}`;
    const { id } = must(await api.post('/profile/emails', { cookie: user.cookie, body: { email: address } }));
    must(await verify(await linkTo(t, address)));
    must(await api.post(`/profile/emails/${id}/set-primary`, { cookie: user.cookie }));
    must(await api.post('/auth/register', { body: { email: user.email, password: PASSWORD, name: 'Next' } }));
    expect(outcome(await reset(token))).toEqual([400, 'validation_error/field_invalid']);
    expect((await login(address)).status).toBe(200);
  });

  it('reset is answered the same for everybody', async () => {
    const user = await createUser(api);
    const known = await api.post('/auth/forgot-password', { body: { email: user.email.toUpperCase() } });
    const unknown = await api.post('/auth/forgot-password', { body: { email: 'nobody@example.com' } });
    const shown = ({ status, json: { request_id, ...rest } }: Answer) => ({ status, ...rest });
    expect(shown(known)).toEqual(shown(unknown));
    await t.services.mail.deliverDue();
    expect(t.mails.some(({ recipient }) => recipient === 'nobody@example.com')).toBe(false);
  });

  it('is changed by a user who knows it, which ends the other sessions', async () => {
    const user = await createUser(api);
    const other = (await login(user.email)).cookie;
    const change = (current_password: string, new_password: string) =>
      api.post('/auth/change-password', { cookie: user.cookie, body: { current_password, new_password } });
    expect((await change('Wrong1wrong', 'Another2battery')).refusal).toBe(
      '401 auth_error/invalid_credentials',
    );
    expect(outcome(await change(PASSWORD, 'weak'))).toEqual([400, 'validation_error/field_invalid']);
    expect((await change(PASSWORD, 'Another2battery')).status).toBe(200);
    expect((await me(user.cookie)).status).toBe(200);
    expect((await me(other)).error).toBe('auth_error/session_revoked');
    expect((await login(user.email)).status).toBe(401);
    expect((await t.delivered(user.email)).subject).toMatch(/password/i);
  });
});

describe('e-mail addresses', () => {
  const emails = async (cookie: string) => must(await api.get('/profile/emails', { cookie })).emails;
  const add = (cookie: string, email: string) => api.post('/profile/emails', { cookie, body: { email } });

  it('are verified by a mailed link, once', async () => {
    const user = await createUser(api);
    const [primary] = await emails(user.cookie);
    expect(primary).toEqual({
      id: expect.any(String),
      email: user.email,
      is_primary: true,
      verified: false,
      created_at: expect.any(String),
    });
    const link = await linkTo(t, user.email);
    expect(link.email_id).toBe(primary.id);
    expect((await verify(link)).status).toBe(200);
    expect((await emails(user.cookie))[0]).toMatchObject({ verified: true, verified_at: expect.any(String) });
    expect(outcome(await verify(link))).toEqual([400, 'validation_error/field_invalid']);
    const again = await api.post(`/profile/emails/${primary.id}/send-verification`, { cookie: user.cookie });
    expect(outcome(again)).toEqual([409, 'resource_error/conflict']);
  });

  it('links end after a day and work for their own address only', async () => {
    const user = await createUser(api);
    const link = await linkTo(t, user.email);
    const added = must(await add(user.cookie, `second-${user.email}`));
    const other = await linkTo(t, `second-${user.email}`);
    expect((await verify({ token: link.token, email_id: added.id })).status).toBe(400);
    expect((await verify({ token: other.token, email_id: link.email_id })).status).toBe(400);
    expect((await verify({ token: 'f'.repeat(64), email_id: link.email_id })).status).toBe(400);
    t.advance(24 * 60 * 60_000);
    expect((await verify(link)).status).toBe(400);
    const { cookie } = await login(user.email);
    expect((await emails(cookie ?? '')).map(({ verified }: { verified: boolean }) => verified)).toEqual([
      false,
      false,
    ]);
  });

  it('are added, verified, made primary and removed', async () => {
    const user = await createUser(api);
    const address = `second-${user.email}`;
    const added = await add(user.cookie, ` ${address.toUpperCase()} `);
    expect(added.status).toBe(201);
    expect(added.result).toMatchObject({ email: address, is_primary: false, verified: false });
    const call = (action: string) =>
      api.post(`/profile/emails/${added.result.id}/${action}`, { cookie: user.cookie });
    expect((await call('set-primary')).status).toBe(400);
    expect((await call('send-verification')).status).toBe(200);
    must(await verify(await linkTo(t, address)));
    // Newest first, whichever is primary.
    const listed = (await emails(user.cookie)).map(({ email }: { email: string }) => email);
    expect(listed).toEqual([address, user.email]);
    expect((await login(address)).result.user.email).toBe(user.email);
    expect((await call('set-primary')).status).toBe(200);
    expect((await me(user.cookie)).result.user.email).toBe(address);
    const [primary, former] = await emails(user.cookie);
    expect([primary.email, former.email]).toEqual([address, user.email]);
    const remove = (id: string) => api.delete(`/profile/emails/${id}`, { cookie: user.cookie });
    expect((await remove(primary.id)).status).toBe(400);
    expect((await remove(former.id)).status).toBe(204);
    expect(await emails(user.cookie)).toHaveLength(1);
    expect((await remove(former.id)).status).toBe(404);
  });

  it('in use are refused, unverified ones of others are not', async () => {
    const [one, two] = [await createUser(api), await createUser(api)];
    expect(outcome(await add(one.cookie, two.email))).toEqual([409, 'resource_error/already_exists']);
    expect((await add(one.cookie, one.email)).status).toBe(409);
    const wanted = `wanted-${one.email}`;
    expect((await add(one.cookie, wanted)).status).toBe(201);
    expect((await add(one.cookie, wanted)).status).toBe(409);
    expect((await add(two.cookie, wanted)).status).toBe(201);
    expect(
      (await api.post('/auth/register', { body: { email: wanted, password: PASSWORD, name: 'Third' } }))
        .status,
    ).toBe(201);
    expect((await add(one.cookie, 'no address')).error).toBe('validation_error/field_invalid');
  });

  it('that are MFA devices stay while MFA is on', async () => {
    const user = await verifiedUser();
    const { cookie } = user;
    const address = `second-${user.email}`;
    const { id } = must(await add(cookie, address));
    must(await verify(await linkTo(t, address)));
    const device = () => api.post('/profile/mfa/devices/email', { cookie, body: { email_id: id } });
    expect((await device()).status).toBe(201);
    expect(outcome(await device())).toEqual([409, 'resource_error/already_exists']);
    must(await api.post('/profile/mfa/enable', { cookie }));
    const remove = () => api.delete(`/profile/emails/${id}`, { cookie });
    expect(outcome(await remove())).toEqual([409, 'resource_error/conflict']);
    // While it is off, the device goes with its address.
    must(await api.post('/profile/mfa/disable', { cookie, body: { password: PASSWORD } }));
    expect((await remove()).status).toBe(204);
    expect(must(await api.get('/profile/mfa/devices', { cookie })).devices).toEqual([]);
  });

  it('that cannot exist are not found', async () => {
    const { cookie } = await createUser(api);
    const notFound = [404, 'resource_error/not_found'];
    expect((await api.post('/profile/emails/nonsense/set-primary', { cookie })).error).toBe(
      'validation_error/invalid_request',
    );
    expect(outcome(await api.post('/profile/emails/nonsense/send-verification', { cookie }))).toEqual(
      notFound,
    );
    expect(outcome(await api.delete('/profile/emails/nonsense', { cookie }))).toEqual(notFound);
  });

  it('of strangers are not verified unawares: the mail names the account that added them', async () => {
    const mallory = await createUser(api, 'Your Administrator');
    const stranger = `stranger-of-${mallory.email}`;
    const { id } = must(
      await api.post('/profile/emails', { cookie: mallory.cookie, body: { email: stranger } }),
    );
    must(await api.post(`/profile/emails/${id}/send-verification`, { cookie: mallory.cookie }));
    await t.services.mail.deliverDue();
    const sent = t.mails.filter(({ recipient }) => recipient === stranger);
    expect(sent).toHaveLength(2);
    for (const { text, html } of sent) {
      // No mail program makes a link of it.
      const account = mallory.email.replace(/[.@]/g, '$&\u200b');
      // Before the link.
      expect(text).toMatch(new RegExp(`account of ${account} added this address[^]*/verify-email`));
      expect(html).toContain(account);
      expect(text).toContain('If this is not your account, do not click');
      expect(text + html, 'no more than the address').not.toMatch(/Your Administrator/);
    }
    // The account's own address is not told to itself.
    expect((await t.delivered(mallory.email)).text).not.toContain('added this address');
  });

  it('go to the first account that verifies them', async () => {
    const users = await Promise.all([createUser(api), createUser(api), createUser(api)]);
    const wanted = `raced-${users[0].email}`;
    const ids: string[] = [];
    for (const { cookie } of users) ids.push(must(await add(cookie, wanted)).id);
    await t.services.mail.deliverDue();
    const links = t.mails
      .filter(({ recipient }) => recipient === wanted)
      .map(({ link }) => new URL(link ?? '').searchParams);
    const answers = await Promise.all(
      links.map((params) => verify({ token: params.get('token'), email_id: params.get('email_id') })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(ids).toHaveLength(3);
  });
});

const mfaToken = async (email: string) => (await login(email)).result.mfa_token as string;
const validate = (body: object) => api.post('/auth/mfa/validate', { body });

describe('MFA', () => {
  it('asks for the password before it makes new recovery codes', async () => {
    const { cookie } = await createUser(api);
    const body = { password: 'Not1mypassword' };
    const answer = await api.post('/profile/mfa/recovery-codes/regenerate', { cookie, body });
    expect(outcome(answer)).toEqual([401, 'auth_error/invalid_credentials']);
  });

  it('mails no code for a token that is none', async () => {
    const body = { mfa_token: 'a.b.c', device_id: crypto.randomUUID() };
    const answer = await api.post('/auth/mfa/send-email-otp', { body });
    expect(outcome(answer)).toEqual([401, 'auth_error/mfa_invalid_code']);
  });

  it('by an authenticator app is enrolled, switched on, and asked for', async () => {
    const user = await verifiedUser();
    const { cookie } = user;
    const made = await api.post('/profile/mfa/devices/totp', { cookie, body: { name: 'Phone' } });
    expect(made.status).toBe(201);
    const { device, secret, url } = made.result;
    expect(device).toEqual({ id: expect.any(String), name: 'Phone', type: 'totp', verified: false });
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(url).toMatch(/^otpauth:\/\/totp\/.*secret=/);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const verifyDevice = (code: string) =>
      api.post(`/profile/mfa/devices/totp/${device.id}/verify`, { cookie, body: { code } });
    expect(outcome(await verifyDevice('12345'))).toEqual([400, 'validation_error/field_invalid']);
    const now = t.services.clock().getTime();
    const wrong = totp.generate({ timestamp: now - 300_000 });
    expect(outcome(await verifyDevice(wrong))).toEqual([401, 'auth_error/mfa_invalid_code']);
    expect((await verifyDevice(totp.generate({ timestamp: now - 30_000 }))).status).toBe(200);
    expect((await verifyDevice(totp.generate({ timestamp: now }))).refusal).toBe(
      '409 resource_error/conflict',
    );

    const enabled = await api.post('/profile/mfa/enable', { cookie });
    expect(enabled.result.recovery_codes).toHaveLength(8);
    expect(new Set(enabled.result.recovery_codes).size).toBe(8);
    // 24 of 32 letters and digits: 120 bits, enough for the fast hash they are kept by.
    for (const code of enabled.result.recovery_codes)
      expect(code).toMatch(/^[a-km-z2-9]{4}(?:-[a-km-z2-9]{4}){5}$/);
    expect((await api.post('/profile/mfa/enable', { cookie })).status).toBe(409);
    expect((await me(cookie)).result.user.mfa_enabled).toBe(true);

    const first = await login(user.email);
    expect([first.status, first.cookie]).toEqual([200, undefined]);
    expect(first.result).toEqual({
      mfa_required: true,
      mfa_token: expect.any(String),
      mfa_methods: [{ id: device.id, type: 'totp', name: 'Phone' }],
    });
    const { mfa_token } = first.result;
    const bad = await validate({ mfa_token, device_id: device.id, code: '000000' });
    expect(outcome(bad)).toEqual([401, 'auth_error/mfa_invalid_code']);
    const code = totp.generate({ timestamp: t.services.clock().getTime() });
    const done = await validate({ mfa_token, device_id: device.id, code });
    expect(done.status).toBe(200);
    expect(done.result).toEqual({ user: expect.objectContaining({ id: user.id, email: user.email }) });
    expect((await me(done.cookie)).status).toBe(200);
    expect(must(await api.get('/profile/mfa/devices', { cookie }))).toMatchObject({
      mfa_enabled: true,
      devices: [{ id: device.id, verified: true, last_used_at: expect.any(String) }],
    });
  });

  it('by e-mail is made of a verified address, and mails codes that work once for five minutes', async () => {
    const user = await verifiedUser();
    must(await api.post('/profile/mfa/enable', { cookie: user.cookie }));
    const { mfa_methods, mfa_token } = (await login(user.email)).result;
    expect(mfa_methods).toEqual([{ id: expect.any(String), type: 'email', name: 'u***@example.com' }]);
    const device_id = mfa_methods[0].id;
    const send = async () => {
      const answer = await api.post('/auth/mfa/send-email-otp', { body: { mfa_token, device_id } });
      expect([answer.status, answer.json.message]).toEqual([
        200,
        expect.stringContaining('u***@example.com'),
      ]);
      return /\b\d{6}\b/.exec((await t.delivered(user.email)).text)?.[0] ?? '';
    };
    const old = await send();
    const code = await send();
    if (old !== code) expect((await validate({ mfa_token, device_id, code: old })).status).toBe(401);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => validate({ mfa_token, device_id, code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    const next = await mfaToken(user.email);
    must(await api.post('/auth/mfa/send-email-otp', { body: { mfa_token: next, device_id } }));
    const late = /\b\d{6}\b/.exec((await t.delivered(user.email)).text)?.[0] ?? '';
    t.advance(5 * 60_000);
    const fresh = await mfaToken(user.email);
    expect((await validate({ mfa_token: fresh, device_id, code: late })).status).toBe(401);
  });

  it('takes a mailed code for the sign-in that asked for it, and for no other', async () => {
    const user = await verifiedUser();
    must(await api.post('/profile/mfa/enable', { cookie: user.cookie }));
    const own = (await login(user.email)).result;
    const device_id = own.mfa_methods[0].id;
    // Somebody who knows the password has begun a sign-in of their own.
    const stranger = await mfaToken(user.email);
    must(await api.post('/auth/mfa/send-email-otp', { body: { mfa_token: own.mfa_token, device_id } }));
    const code = /\b\d{6}\b/.exec((await t.delivered(user.email)).text)?.[0] ?? '';
    const answer = await validate({ mfa_token: stranger, device_id, code });
    expect(outcome(answer)).toEqual([401, 'auth_error/mfa_invalid_code']);
    expect((await validate({ mfa_token: own.mfa_token, device_id, code })).status).toBe(200);
  });

  it('has one mailed code at a time, and refuses input that is not a code', async () => {
    const user = await verifiedUser();
    must(await api.post('/profile/mfa/enable', { cookie: user.cookie }));
    const { mfa_methods, mfa_token } = (await login(user.email)).result;
    const device_id = mfa_methods[0].id;
    const send = () =>
      api.post('/auth/mfa/send-email-otp', { body: { mfa_token, device_id: device_id.toUpperCase() } });
    expect((await Promise.all(Array.from({ length: 6 }, send))).map(({ status }) => status)).toEqual(
      Array(6).fill(200),
    );
    await t.services.mail.deliverDue();
    const codes = new Set(
      t.mails
        .filter(({ recipient, subject }) => recipient === user.email && /code/i.test(subject))
        .map(({ text }) => /\b\d{6}\b/.exec(text)?.[0] ?? ''),
    );
    const answers = [];
    for (const code of codes)
      answers.push(await validate({ mfa_token, device_id: device_id.toUpperCase(), code }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('refuses full-width digits as any other wrong code', async () => {
    const user = await verifiedUser();
    const { id: deviceId } = await switchMfaOn(t, user.cookie);
    const answer = await validate({
      mfa_token: await mfaToken(user.email),
      device_id: deviceId,
      code: '１２３４５６',
    });
    expect(outcome(answer)).toEqual([401, 'auth_error/mfa_invalid_code']);
  });

  it('takes each recovery code once', async () => {
    const user = await verifiedUser();
    const { recoveryCodes: codes } = await switchMfaOn(t, user.cookie);
    const [first = '', second = ''] = codes;
    const use = async (code: string) =>
      validate({ mfa_token: await mfaToken(user.email), code, is_recovery: true });
    const tokens = await Promise.all(Array.from({ length: 5 }, () => mfaToken(user.email)));
    const answers = await Promise.all(
      tokens.map((mfa_token) => validate({ mfa_token, code: first, is_recovery: true })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    expect(answers.find(({ status }) => status === 200)?.result.recovery_codes_remaining).toBe(7);
    const sloppy = ` ${second.toUpperCase().replaceAll('-', ' ')}`;
    expect((await use(sloppy)).result.recovery_codes_remaining).toBe(6);
    expect(must(await api.get('/profile/mfa/recovery-codes', { cookie: user.cookie }))).toEqual({
      remaining: 6,
      total: 8,
    });
    const again = await api.post('/profile/mfa/recovery-codes/regenerate', {
      cookie: user.cookie,
      body: { password: PASSWORD },
    });
    expect(again.result.recovery_codes).toHaveLength(8);
    expect((await use(codes[2] ?? '')).status).toBe(401);
    expect((await use(again.result.recovery_codes[0])).status).toBe(200);
  });

  it('is switched off with the password, recovery codes included', async () => {
    const user = await verifiedUser();
    const { cookie } = user;
    const off = (password: string) => api.post('/profile/mfa/disable', { cookie, body: { password } });
    expect((await off(PASSWORD)).status).toBe(400);
    await switchMfaOn(t, cookie);
    expect(outcome(await off('Wrong1wrong'))).toEqual([401, 'auth_error/invalid_credentials']);
    expect((await off(PASSWORD)).status).toBe(200);
    expect((await login(user.email)).cookie).toBeDefined();
    expect(must(await api.get('/profile/mfa/recovery-codes', { cookie })).remaining).toBe(0);
    const again = await api.post('/profile/mfa/recovery-codes/regenerate', {
      cookie,
      body: { password: PASSWORD },
    });
    expect(again.status).toBe(400);
  });

  it('ends with its last device', async () => {
    const user = await verifiedUser();
    const { id: deviceId } = await switchMfaOn(t, user.cookie);
    const email = must(
      await api.post('/profile/mfa/devices/email', { cookie: user.cookie, body: { email_id: user.emailId } }),
    );
    const { devices } = must(await api.get('/profile/mfa/devices', { cookie: user.cookie }));
    // Newest first.
    expect(devices.map(({ id }: { id: string }) => id)).toEqual([email.id, deviceId]);
    const remove = (id: string, password = PASSWORD) =>
      api.delete(`/profile/mfa/devices/${id}`, { cookie: user.cookie, body: { password } });
    expect((await api.delete(`/profile/emails/${user.emailId}`, { cookie: user.cookie })).status).toBe(400);
    expect((await remove(deviceId, 'Wrong1wrong')).status).toBe(401);
    expect((await remove(deviceId)).status).toBe(200);
    expect((await me(user.cookie)).result.user.mfa_enabled).toBe(true);
    const last = await remove(email.id);
    expect(last.json.message).toMatch(/now off/);
    expect((await me(user.cookie)).result.user.mfa_enabled).toBe(false);
    expect((await remove(email.id)).status).toBe(404);
  });

  it('needs something verified', async () => {
    const user = await createUser(api);
    expect((await api.post('/profile/mfa/enable', { cookie: user.cookie })).status).toBe(400);
    const { emails } = must(await api.get('/profile/emails', { cookie: user.cookie }));
    const body = { email_id: emails[0].id };
    const device = await api.post('/profile/mfa/devices/email', { cookie: user.cookie, body });
    expect([device.status, device.badFields]).toEqual([400, ['email_id']]);
  });

  it('has one winner when it is switched on twice at once', async () => {
    const user = await verifiedUser();
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.post('/profile/mfa/enable', { cookie: user.cookie })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(must(await api.get('/profile/mfa/devices', { cookie: user.cookie })).devices).toHaveLength(1);
  });
});

describe('confusion is refused', () => {
  const key = (secret: string) => new TextEncoder().encode(secret);
  const sign = (userId: string, audience: string, secret = JWT_SECRET, alg = 'HS256') => {
    const now = Math.floor(t.services.clock().getTime() / 1000);
    return new SignJWT({})
      .setProtectedHeader({ alg })
      .setSubject(userId)
      .setJti(crypto.randomUUID())
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + 60)
      .sign(key(secret));
  };

  it('between session and MFA tokens', async () => {
    const user = await verifiedUser();
    const { id: deviceId, code } = await switchMfaOn(t, user.cookie);
    const mfa_token = await mfaToken(user.email);
    expect(outcome(await me(mfa_token))).toEqual([401, 'auth_error/not_authenticated']);
    for (const wrong of [
      user.cookie,
      '',
      'x.y.z',
      await sign(user.id, 'mfa', 'another secret'),
      await sign(user.id, 'mfa', undefined, 'HS384'),
      await sign(user.id, 'session'),
      `${btoa('{"alg":"none"}').replaceAll('=', '')}.${mfa_token.split('.')[1]}.`,
    ]) {
      const answer = await validate({ mfa_token: wrong, device_id: deviceId, code: code() });
      expect(outcome(answer)).toEqual([401, 'auth_error/mfa_invalid_code']);
    }
    t.advance(5 * 60_000);
    expect((await validate({ mfa_token, device_id: deviceId, code: code() })).status).toBe(401);
  });

  it('between links', async () => {
    const user = await createUser(api);
    const link = await linkTo(t, user.email);
    const token = await forgot(user.email);
    expect((await verify({ token, email_id: link.email_id })).status).toBe(400);
    expect((await reset(link.token ?? '')).status).toBe(400);
    expect((await verify(link)).status).toBe(200);
    expect((await reset(token)).status).toBe(200);
  });

  it("between users' devices", async () => {
    const [one, two] = [await verifiedUser(), await verifiedUser()];
    const [mine, theirs] = [await switchMfaOn(t, one.cookie), await switchMfaOn(t, two.cookie)];
    const mfa_token = await mfaToken(one.email);
    for (const body of [
      { device_id: theirs.id, code: theirs.code() },
      { device_id: theirs.id, code: mine.code() },
      { device_id: 'nonsense', code: mine.code() },
      { code: mine.code() },
      { code: theirs.recoveryCodes[0], is_recovery: true },
    ]) {
      expect(outcome(await validate({ mfa_token, ...body }))).toEqual([401, 'auth_error/mfa_invalid_code']);
    }
    const { cookie } = two;
    for (const answer of [
      await api.delete(`/profile/mfa/devices/${mine.id}`, { cookie, body: { password: PASSWORD } }),
      await api.post(`/profile/mfa/devices/totp/${mine.id}/verify`, {
        cookie,
        body: { code: mine.code() },
      }),
      await api.post('/auth/mfa/send-email-otp', { body: { mfa_token, device_id: mine.id } }),
    ]) {
      expect(outcome(answer)).toEqual([404, 'resource_error/not_found']);
    }
  });
});

describe('sessions', () => {
  const list = async (cookie: string) => must(await api.get('/profile/sessions', { cookie })).sessions;

  it('are listed with what they were made with, the current one flagged', async () => {
    const user = await createUser(api);
    const chrome =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
    const phone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
    for (const agent of [chrome, phone]) {
      t.advance(10);
      await api.post('/auth/login', {
        body: { email: user.email, password: PASSWORD },
        headers: { 'user-agent': agent },
      });
    }
    const sessions = await list(user.cookie);
    expect(sessions.map(({ current }: { current: boolean }) => current)).toEqual([false, false, true]);
    expect(sessions[1]).toMatchObject({
      user_agent: chrome,
      browser: 'Chrome 126',
      os: 'Windows 10',
      device_type: 'desktop',
    });
    expect(sessions[0]).toMatchObject({ browser: 'Mobile Safari 17', os: 'iOS 17.5', device_type: 'mobile' });
    expect(Object.keys(sessions[0]).sort()).toEqual([
      'browser',
      'created_at',
      'current',
      'device_type',
      'expires_at',
      'id',
      'ip_address',
      'last_active_at',
      'os',
      'user_agent',
    ]);
    const mail = t.mails.findLast(({ recipient }) => recipient === user.email);
    expect((mail ?? (await t.delivered(user.email))).text).toBeDefined();
  });

  it('are revoked one by one, and all but the current one', async () => {
    const user = await createUser(api);
    const others = [(await login(user.email)).cookie, (await login(user.email)).cookie];
    const sessions = await list(user.cookie);
    const revoke = (id: string, cookie = user.cookie) => api.delete(`/profile/sessions/${id}`, { cookie });
    expect((await revoke(sessions[0].id)).status).toBe(204);
    expect((await revoke(sessions[0].id)).status).toBe(404);
    expect((await me(others[1])).error).toBe('auth_error/session_revoked');
    const stranger = await createUser(api);
    expect((await revoke(sessions[1].id, stranger.cookie)).status).toBe(404);
    const all = await api.delete('/profile/sessions', { cookie: user.cookie });
    expect([all.status, typeof all.json.message]).toEqual([200, 'string']);
    expect((await me(others[0])).status).toBe(401);
    expect(await list(user.cookie)).toHaveLength(1);
    expect((await me(stranger.cookie)).status).toBe(200);
  });
});

describe('the base domain', () => {
  it('is the only place for all eight operations', async () => {
    const based = await start({ databaseUrl: t.databaseUrl, env: { SVC_BASE_DOMAIN: 'example.com' } });
    for (const path of [
      ...[
        'register',
        'login',
        'logout',
        'forgot-password',
        'reset-password',
        'mfa/validate',
        'mfa/send-email-otp',
      ],
      'verify-email',
    ]) {
      const answer = await based.api.post(`/auth/${path}`, { host: 'acme.example.com', body: {} });
      expect(outcome(answer)).toEqual([403, 'auth_error/base_domain_only']);
      expect(
        (await based.api.post(`/auth/${path}`, { host: 'EXAMPLE.com.:8080', body: {} })).status,
      ).not.toBe(403);
    }
  });
});

describe('limits', () => {
  it('are switched on by SVC_AUTH_LIMITS and shared by all processes', async () => {
    const env = { SVC_AUTH_LIMITS: 'on' };
    const processes = [
      await start({ databaseUrl: t.databaseUrl, env }),
      await start({ databaseUrl: t.databaseUrl, env }),
    ];
    const user = await createUser(api);
    const answers: Answer[] = [];
    for (let i = 0; i < 12; i++) {
      const process = processes[i % 2] as TestApp;
      answers.push(
        await process.api.post('/auth/login', { body: { email: user.email, password: 'Wrong1wrong' } }),
      );
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429]);
    expect(answers[11]?.error).toBe('rate_limit_error/exceeded');
    expect(Number(answers[11]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await login(user.email)).status).toBe(200);
  });
});

describe('stored data', () => {
  it('holds no token or code, and TOTP secrets sealed when there is a key', async () => {
    const sealed = await start({ databaseUrl: t.databaseUrl, env: { SVC_ENCRYPTION_KEY: 'a key' } });
    const user = await verifiedUser();
    const { recoveryCodes: codes } = await switchMfaOn(t, user.cookie);
    const device = must(
      await sealed.api.post('/profile/mfa/devices/totp', { cookie: user.cookie, body: { name: 'Tablet' } }),
    );
    const token = await forgot(user.email);
    const tables = [
      'mailed_tokens',
      'mfa_devices',
      'recovery_codes',
      'mail_queue',
      'outgoing_mails',
      'sessions',
      'email_codes',
    ];
    let dump = '';
    for (const table of tables) {
      dump += JSON.stringify(await t.services.database.sql.unsafe(`select * from shared.${table}`));
    }
    for (const secret of [
      token,
      device.secret,
      user.cookie,
      ...codes,
      ...codes.map((code) => code.replaceAll('-', '')),
    ]) {
      expect(dump).not.toContain(secret);
    }
    const totp = new TOTP({ secret: Secret.fromBase32(device.secret) });
    const body = { code: totp.generate({ timestamp: sealed.services.clock().getTime() }) };
    const path = `/profile/mfa/devices/totp/${device.device.id}/verify`;
    expect((await sealed.api.post(path, { cookie: user.cookie, body })).status).toBe(200);
  });
});
