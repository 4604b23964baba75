import { beforeAll, describe, expect, it } from 'vitest';
import { disableUser, enableUser, resetMfa } from '../../lib/admin/users/change.ts';
import { addAuthenticator, createVerifiedUser, subjectsTo } from '../support/api/account.ts';
import { type Answer, addMember, createOrg, createUser, must, PASSWORD } from '../support/api/api.ts';
import { linkTo } from '../support/api/mailed.ts';
import {
  addPasskey,
  createPasskeyDevice,
  type Forgery,
  type PasskeyDevice,
  signInByPasskey,
  signInOptions,
} from '../support/api/passkeys.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

const MINUTE = 60_000;
const OK = [200, undefined];
const REFUSED = [401, 'auth_error/invalid_credentials'];
const WRONG_CODE = [401, 'auth_error/mfa_invalid_code'];

let t: TestApp;
const outcome = ({ status, error }: Answer) => [status, error];
const login = async (email: string) =>
  must(await t.api.post('/auth/login', { body: { email, password: PASSWORD } }));
const verify = (credential: object, mfa_token?: string) =>
  t.api.post('/auth/passkey/verify', { body: { credential, ...(mfa_token && { mfa_token }) } });
const secondFactorOptions = async (mfa_token: string) =>
  must(await t.api.post('/auth/passkey/options', { body: { mfa_token } })).options;
const register = async (cookie: string, device: PasskeyDevice, forged?: Forgery) => {
  const { options } = must(await t.api.post('/profile/passkeys/options', { cookie }));
  const body = { name: 'Laptop', credential: device.create(options, forged) };
  return t.api.post('/profile/passkeys', { cookie, body });
};
const list = async (cookie: string) => must(await t.api.get('/profile/passkeys', { cookie })).passkeys;
const enable = async (cookie: string) => must(await t.api.post('/profile/mfa/enable', { cookie }));

beforeAll(async () => {
  t = await startApp({ env: { SVC_MAX_MFA_DEVICES_PER_ACCOUNT: '5' } });
});

describe('a sign-in with a passkey', () => {
  it('needs no password, is fresh, and is mailed', async () => {
    const user = await createVerifiedUser(t);
    const { device, passkey } = await addPasskey(t.api, user.cookie);
    t.advance(11 * MINUTE);
    const answer = await signInByPasskey(t.api, device);
    expect(answer.result.user).toMatchObject({ id: user.id, email: user.email });
    const cookie = answer.cookie ?? '';
    // Fresh: it may do what needs a step-up.
    must(await t.api.post('/profile/passkeys/options', { cookie }));
    expect(await list(cookie)).toEqual([
      { ...passkey, name: 'Laptop', sign_in: true, last_used_at: expect.any(String) },
    ]);
    const subjects = await subjectsTo(t, user.email);
    expect(subjects[1]).toMatch(/^A passkey was added to your account/);
    expect(subjects).toHaveLength(3);
  });

  it('offers the same to everybody, and a random user handle', async () => {
    const user = await createUser(t.api);
    const { options } = must(await t.api.post('/profile/passkeys/options', { cookie: user.cookie }));
    expect(options.user.id).toHaveLength(43);
    expect(JSON.stringify(options)).not.toContain(user.id);
    const again = must(await t.api.post('/profile/passkeys/options', { cookie: user.cookie }));
    expect(again.options.user.id).toBe(options.user.id);
    expect(again.options.challenge).not.toBe(options.challenge);
    expect(await signInOptions(t.api)).toEqual({
      challenge: expect.any(String),
      ...{ rpId: 'localhost', timeout: 300_000, userVerification: 'required', allowCredentials: [] },
    });
  });

  it.each<[string, Forgery]>([
    ['on another site', { origin: 'https://localhost.example.com' }],
    ['on a subdomain', { origin: 'http://acme.localhost' }],
    ['over plain http', { origin: 'http://findings.example.com' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['for another relying party', { rpId: 'example.com' }],
    ['without user verification', { verified: false }],
    ['with a challenge of its own', { challenge: Buffer.alloc(54, 1).toString('base64url') }],
    ['for another user handle', { userHandle: Buffer.alloc(32).toString('base64url') }],
  ])('%s is refused', async (_, forged) => {
    const user = await createUser(t.api);
    const { device } = await addPasskey(t.api, user.cookie);
    expect(outcome(await signInByPasskey(t.api, device, forged))).toEqual(REFUSED);
    expect(outcome(await signInByPasskey(t.api, device))).toEqual(OK);
  });

  it('with an unknown passkey, or a wrong signature, is refused alike', async () => {
    const user = await createUser(t.api);
    const { device } = await addPasskey(t.api, user.cookie);
    const options = await signInOptions(t.api);
    const right = device.get(options);
    const stranger = createPasskeyDevice().get(options, { userHandle: right.response.userHandle });
    const unknown = await verify(stranger);
    const forged = await verify({ ...stranger, id: device.id, rawId: device.id });
    expect(outcome(unknown)).toEqual(REFUSED);
    expect(forged.text.replace(/"request_id":"[^"]+"/, '')).toBe(
      unknown.text.replace(/"request_id":"[^"]+"/, ''),
    );
    expect(outcome(await verify(right))).toEqual(OK);
  });

  it('works once, within five minutes, also when sent twice at the same instant', async () => {
    const user = await createUser(t.api);
    const { device } = await addPasskey(t.api, user.cookie);
    const options = await signInOptions(t.api);
    // Without a counter, the challenge alone tells a replay.
    const answer = device.get(options, { counter: 2 });
    const both = await Promise.all([verify(answer), verify(answer)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
    expect(outcome(await verify(answer))).toEqual(REFUSED);
    const later = await signInOptions(t.api);
    t.advance(5 * MINUTE);
    expect(outcome(await verify(device.get(later, { counter: 9 })))).toEqual(REFUSED);
    // Without a counter too.
    const other = createPasskeyDevice();
    must(await register(user.cookie, other, { counter: 0 }));
    const replayed = other.get(await signInOptions(t.api), { counter: 0 });
    expect([outcome(await verify(replayed)), outcome(await verify(replayed))]).toEqual([OK, REFUSED]);
    expect(outcome(await signInByPasskey(t.api, other, { counter: 0 }))).toEqual(OK);
  });

  it('of a copy is refused, and told', async () => {
    const user = await createVerifiedUser(t);
    const { device } = await addPasskey(t.api, user.cookie);
    must(await signInByPasskey(t.api, device, { counter: 50 }));
    const copy = await signInByPasskey(t.api, device, { counter: 50 });
    expect(outcome(copy)).toEqual(REFUSED);
    expect(copy.text).toContain('may have been copied');
    expect(await subjectsTo(t, user.email)).toContain('A passkey of your account may have been copied');
    expect(outcome(await signInByPasskey(t.api, device, { counter: 51 }))).toEqual(OK);
  });

  it('is refused while the account is disabled, and after a reset of MFA', async () => {
    const user = await createUser(t.api);
    const { device } = await addPasskey(t.api, user.cookie);
    const database = t.services.database;
    await disableUser(database, silentLog, user.id);
    expect(outcome(await signInByPasskey(t.api, device))).toEqual(REFUSED);
    await enableUser(database, silentLog, user.id);
    const { cookie = '' } = await signInByPasskey(t.api, device);
    expect(cookie).not.toBe('');
    await resetMfa(database, silentLog, user.id, t.services.mailBox);
    expect(outcome(await signInByPasskey(t.api, device))).toEqual(REFUSED);
    expect(await list(cookie)).toEqual([]);
  });

  it('is no longer possible after a reset of the password, until it is allowed again', async () => {
    const user = await createVerifiedUser(t);
    const { device, passkey } = await addPasskey(t.api, user.cookie);
    must(await t.api.post('/auth/forgot-password', { body: { email: user.email } }));
    const { token } = await linkTo(t, user.email);
    must(await t.api.post('/auth/reset-password', { body: { token, password: PASSWORD } }));
    const refused = await signInByPasskey(t.api, device);
    expect(outcome(refused)).toEqual(REFUSED);
    expect(refused.text).toContain('second factor only');
    const { cookie } = await t.api.post('/auth/login', { body: { email: user.email, password: PASSWORD } });
    const path = `/profile/passkeys/${passkey.id}`;
    t.advance(11 * MINUTE);
    expect((await t.api.patch(path, { cookie, body: { sign_in: true } })).status).toBe(403);
    expect(must(await t.api.patch(path, { cookie, body: { name: 'Mine' } }))).toMatchObject({
      ...{ name: 'Mine', sign_in: false },
    });
    must(await t.api.post('/auth/step-up', { cookie, body: { password: PASSWORD } }));
    must(await t.api.patch(path, { cookie, body: { sign_in: true } }));
    expect(outcome(await signInByPasskey(t.api, device))).toEqual(OK);
    expect(await subjectsTo(t, user.email)).toContain(
      'A passkey was allowed to sign in without your password',
    );
  });
});

describe('a passkey as second factor', () => {
  it('completes the login that asked for it, once', async () => {
    const user = await createUser(t.api);
    const { device, passkey } = await addPasskey(t.api, user.cookie);
    await enable(user.cookie);
    const first = await login(user.email);
    expect(first.mfa_methods).toEqual([{ id: passkey.id, type: 'passkey', name: 'Laptop' }]);
    const options = await secondFactorOptions(first.mfa_token);
    expect(options).toMatchObject({
      ...{ userVerification: 'preferred', allowCredentials: [{ id: device.id, transports: ['internal'] }] },
    });
    // Its presence is sufficient: the password was checked.
    const answer = device.get(options, { verified: false });
    const second = await login(user.email);
    expect(outcome(await verify(answer, second.mfa_token))).toEqual(WRONG_CODE);
    expect(outcome(await verify(answer))).toEqual(REFUSED);
    expect(outcome(await verify(answer, first.mfa_token))).toEqual(OK);
    expect(outcome(await verify(answer, first.mfa_token))).toEqual(WRONG_CODE);
    // A six-digit code is none of it.
    const code = { mfa_token: second.mfa_token, device_id: passkey.id, code: '123456' };
    expect(outcome(await t.api.post('/auth/mfa/validate', { body: code }))).toEqual(WRONG_CODE);
  });

  it('of somebody else is refused', async () => {
    const [ada, eve] = [await createUser(t.api), await createUser(t.api)];
    await addPasskey(t.api, ada.cookie);
    const { device: evil } = await addPasskey(t.api, eve.cookie);
    await enable(ada.cookie);
    const { mfa_token } = await login(ada.email);
    const answer = evil.get(await secondFactorOptions(mfa_token));
    expect(outcome(await verify(answer, mfa_token))).toEqual(WRONG_CODE);
  });

  it('turns MFA off when the last one is removed', async () => {
    const user = await createVerifiedUser(t);
    const { cookie } = user;
    const [first, second] = [await addPasskey(t.api, cookie), await addPasskey(t.api, cookie, 'Key')];
    await enable(cookie);
    const remove = (id: string) => t.api.delete(`/profile/passkeys/${id}`, { cookie });
    expect((await remove(first.passkey.id)).text).not.toContain('now off');
    const phone = await addAuthenticator(t, cookie);
    expect((await remove(phone.id)).status).toBe(404);
    must(await t.api.delete(`/profile/mfa/devices/${phone.id}`, { cookie, body: { password: PASSWORD } }));
    expect((await remove(second.passkey.id)).text).toContain('now off');
    expect(must(await t.api.get('/profile/mfa/devices', { cookie }))).toEqual({
      ...{ devices: [], mfa_enabled: false },
    });
    expect((await remove(second.passkey.id)).status).toBe(404);
    const subjects = await subjectsTo(t, user.email);
    expect(subjects.filter((subject) => subject === 'A passkey was removed from your account')).toHaveLength(
      2,
    );
    // Nothing else has ended.
    expect((await t.api.get('/auth/me', { cookie })).status).toBe(200);
  });
});

describe('an organization that requires MFA', () => {
  it('accepts a sign-in by a passkey for as long as the account has it', async () => {
    const org = await createOrg(t.api);
    await enable((await addMfa(org.owner.cookie)).cookie);
    must(await t.api.patch('/org-features/require_mfa', { ...org.asOwner, body: { enabled: true } }));
    const user = await addMember(t.api, org, 'member');
    const read = (cookie = '') => t.api.get('/findings', { cookie, org: org.slug });
    expect((await read(user.cookie)).error).toBe('permission_error/mfa_required_by_org');
    const { device, passkey } = await addPasskey(t.api, user.cookie);
    const { cookie } = await signInByPasskey(t.api, device);
    expect((await read(cookie)).status).toBe(200);
    // Sessions by the password alone are refused as before.
    expect((await read(user.cookie)).status).toBe(403);
    must(await t.api.delete(`/profile/passkeys/${passkey.id}`, { cookie }));
    expect((await read(cookie)).error).toBe('permission_error/mfa_required_by_org');
  });

  async function addMfa(cookie: string) {
    await addAuthenticator(t, cookie);
    return { cookie };
  }
});

describe('a step-up with a passkey', () => {
  it('replaces password and code, in its own session', async () => {
    const user = await createUser(t.api);
    const { device } = await addPasskey(t.api, user.cookie);
    await enable(user.cookie);
    t.advance(11 * MINUTE);
    const { cookie } = user;
    const optionsOf = async (of: string) =>
      must(await t.api.post('/auth/step-up/passkey-options', { cookie: of })).options;
    const other = (await signInByPasskey(t.api, device)).cookie ?? '';
    const stepUp = (passkey: object) => t.api.post('/auth/step-up', { cookie, body: { passkey } });
    expect(outcome(await stepUp(device.get(await optionsOf(other))))).toEqual(REFUSED);
    expect(outcome(await stepUp(device.get(await optionsOf(cookie), { verified: false })))).toEqual(REFUSED);
    expect((await t.api.post('/profile/passkeys/options', { cookie })).status).toBe(403);
    const answer = device.get(await optionsOf(cookie));
    expect(outcome(await stepUp(answer))).toEqual(OK);
    expect((await t.api.post('/profile/passkeys/options', { cookie })).status).toBe(200);
    expect(outcome(await stepUp(answer))).toEqual(REFUSED);
    expect((await t.api.post('/auth/step-up', { cookie, body: {} })).status).toBe(400);
    const nobody = await createUser(t.api);
    const none = await t.api.post('/auth/step-up/passkey-options', { cookie: nobody.cookie });
    expect(none.status).toBe(404);
  });
});

it('wrong values are named, and an account without a passkey is told so', async () => {
  const { cookie, email } = await createUser(t.api);
  const { passkey } = await addPasskey(t.api, cookie);
  const wrong = await Promise.all([
    t.api.post('/auth/step-up', { cookie, body: { password: PASSWORD, code: 'x'.repeat(101) } }),
    t.api.post('/auth/passkey/options', { body: { mfa_token: 5 } }),
    t.api.patch(`/profile/passkeys/${passkey.id}`, { cookie, body: { name: '' } }),
  ]);
  expect(wrong.map(({ refusal }) => refusal)).toEqual(
    ['code', 'mfa_token', 'name'].map((field) => `400 validation_error/field_invalid ${field}`),
  );
  await addAuthenticator(t, cookie);
  await enable(cookie);
  must(await t.api.delete(`/profile/passkeys/${passkey.id}`, { cookie }));
  const { mfa_token } = await login(email);
  const unknown = await t.api.post('/auth/passkey/options', { body: { mfa_token: 'unknown' } });
  expect(outcome(unknown)).toEqual(WRONG_CODE);
  const none = await t.api.post('/auth/passkey/options', { body: { mfa_token } });
  expect(outcome(none)).toEqual([404, 'resource_error/not_found']);
});

it('an address without a host name has no passkeys', async () => {
  const { cookie } = await createUser(t.api);
  const { api } = await startApp({
    databaseUrl: t.databaseUrl,
    config: { publicUrl: 'http://192.0.2.1:3000' },
  });
  const credential = createPasskeyDevice().get(await signInOptions(t.api));
  const answers = await Promise.all([
    api.post('/auth/passkey/options', { body: {} }),
    api.post('/auth/passkey/verify', { body: { credential } }),
    api.post('/auth/step-up', { cookie, body: { passkey: credential } }),
    api.post('/auth/step-up/passkey-options', { cookie }),
    api.post('/profile/passkeys/options', { cookie }),
  ]);
  expect(answers.map(outcome)).toEqual(answers.map(() => [409, 'resource_error/conflict']));
});

describe('a registration', () => {
  it.each<[string, Forgery]>([
    ['on another site', { origin: 'https://example.com' }],
    ['for another relying party', { rpId: 'example.com' }],
    ['without user verification', { verified: false }],
    ['with an attestation', { format: 'tpm' }],
    ['with a challenge of its own', { challenge: 'abc' }],
  ])('%s is refused', async (_, forged) => {
    const user = await createUser(t.api);
    expect((await register(user.cookie, createPasskeyDevice(), forged)).error).toBe(
      'validation_error/field_invalid',
    );
    expect(await list(user.cookie)).toEqual([]);
  });

  it('works once per challenge, session and credential, and up to the limit', async () => {
    const [user, other] = [await createUser(t.api), await createUser(t.api)];
    const { cookie } = user;
    const device = createPasskeyDevice();
    const { options } = must(await t.api.post('/profile/passkeys/options', { cookie }));
    const body = { name: 'Laptop', credential: device.create(options) };
    const send = (as: string) => t.api.post('/profile/passkeys', { cookie: as, body });
    expect((await send(other.cookie)).status).toBe(400);
    const both = await Promise.all([send(cookie), send(cookie)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    expect((await register(other.cookie, device)).error).toBe('resource_error/already_exists');
    const max = t.services.config.quotas.mfaDevicesPerAccount;
    const rest = await Promise.all(
      Array.from({ length: max }, () => register(cookie, createPasskeyDevice())),
    );
    expect(rest.filter(({ status }) => status === 201)).toHaveLength(max - 1);
    expect(await list(cookie)).toHaveLength(max);
    t.advance(11 * MINUTE);
    for (const path of ['', '/options'])
      expect((await t.api.post(`/profile/passkeys${path}`, { cookie, body })).status).toBe(403);
    const [{ id }] = await list(cookie);
    for (const as of [cookie, other.cookie]) {
      const answer = await t.api.delete(`/profile/passkeys/${id}`, { cookie: as });
      expect(answer.error).toBe('permission_error/step_up_required');
    }
    const rename = { cookie: other.cookie, body: { name: 'Mine' } };
    expect((await t.api.patch(`/profile/passkeys/${id}`, rename)).status).toBe(404);
  });
});

it('sites are the base domain with its subdomains over https, and never an IP address', async () => {
  const { passkeySite } = await import('../../lib/accounts/passkeys/site.ts');
  const site = passkeySite({ baseDomain: 'example.com', publicUrl: 'https://example.com:8443' });
  const origins = [
    'https://example.com:8443',
    'https://a.example.com',
    'http://example.com',
    'https://aexample.com',
  ];
  expect(origins.map((origin) => site.isOrigin(origin, 'base'))).toEqual([true, false, false, false]);
  expect(origins.map((origin) => site.isOrigin(origin, 'any'))).toEqual([true, true, false, false]);
  expect(site.isOrigin('https://example.com/path', 'any')).toBe(false);
  for (const host of ['192.0.2.1', '[2001:db8::1]'])
    expect(passkeySite({ baseDomain: undefined, publicUrl: `http://${host}:3000` }).isUsable).toBe(false);
});

it('attempts at one account are limited', async () => {
  const limited = await startApp({ env: { SVC_AUTH_LIMITS: 'on' }, databaseUrl: t.databaseUrl });
  const user = await createUser(t.api);
  const { device } = await addPasskey(t.api, user.cookie);
  const statuses = [];
  for (let i = 0; i < 11; i++)
    statuses.push((await signInByPasskey(limited.api, device, { verified: false })).status);
  expect(statuses.slice(9)).toEqual([401, 429]);
});
