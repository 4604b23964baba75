import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { users } from '../../db/schema/accounts.ts';
import { endpoints } from '../../handlers/index.ts';
import { createLogger } from '../../lib/logger.ts';
import {
  addAuthenticator,
  addVerifiedEmail,
  createVerifiedUser,
  subjectsTo,
  switchMfaOn,
  wrongCode,
} from '../support/api/account.ts';
import { type Answer, createUser, must, PASSWORD } from '../support/api/api.ts';
import { linkTo } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let t: TestApp;
const lines: string[] = [];

beforeAll(async () => {
  const log = createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) });
  t = await startApp({ log });
});

const outcome = ({ status, error }: Answer) => [status, error];
const OK = [200, undefined];
const STEP_UP = [403, 'permission_error/step_up_required'];
const SESSION_OVER = [401, 'auth_error/session_revoked'];
const login = (email: string, password = PASSWORD) =>
  t.api.post('/auth/login', { body: { email, password } });
const stepUp = (cookie: string | undefined, body: object) => t.api.post('/auth/step-up', { cookie, body });
const undo = (token: string | undefined) => t.api.post('/auth/undo-email-change', { body: { token } });
const emails = async (cookie?: string) => must(await t.api.get('/profile/emails', { cookie })).emails;
const setPrimary = (cookie: string, id: string) =>
  t.api.post(`/profile/emails/${id}/set-primary`, { cookie });
const newAddress = () => `${crypto.randomUUID()}@example.org`;

/** The events of a user in the security log. */
const eventsOf = ({ id }: { id: string }) =>
  lines
    .map((line) => JSON.parse(line))
    .filter(({ message, user, account }) => message === 'security event' && [user, account].includes(id))
    .map(({ event }) => event);

/** Signs in with the password that a reset by mail sets. */
async function resetAndLogIn(email: string, token: string | undefined) {
  const password = 'Another2battery';
  must(await t.api.post('/auth/reset-password', { body: { token, password } }));
  return login(email, password);
}

describe('a stolen session', () => {
  it('that is fresh leaves a trail of mails, and an undo link that gives the account back', async () => {
    const owner = await createVerifiedUser(t);
    const { cookie, email } = owner;
    const [evil, second] = [newAddress(), newAddress()];
    // The attack, as fast as it can be: add, verify, promote, delete, enrol, reset, sign in, switch MFA off.
    const evilId = await addVerifiedEmail(t, cookie, evil);
    must(await setPrimary(cookie, evilId));
    const link = await linkTo(t, email);
    expect((await t.api.delete(`/profile/emails/${owner.emailId}`, { cookie })).status).toBe(204);
    await addVerifiedEmail(t, cookie, second);
    await switchMfaOn(t, cookie);
    must(await t.api.post('/auth/forgot-password', { body: { email: evil } }));
    const { token } = await linkTo(t, evil);
    const password = 'Attackers1choice';
    must(await t.api.post('/auth/reset-password', { body: { token, password } }));
    expect((await login(evil, password)).result.mfa_required).toBe(true);

    expect(await subjectsTo(t, email)).toEqual([
      'Verify your e-mail address',
      'An e-mail address was added to your account',
      'Your primary e-mail address was changed',
      'An e-mail address was removed from your account',
    ]);
    expect(outcome(await undo(link.token))).toEqual(OK);
    // Neither password nor address of the attacker is worth anything now.
    for (const address of [evil, second, email]) {
      for (const known of [password, PASSWORD]) expect((await login(address, known)).status).toBe(401);
    }
    for (const address of [evil, second]) {
      const before = (await subjectsTo(t, address)).length;
      must(await t.api.post('/auth/forgot-password', { body: { email: address } }));
      expect((await subjectsTo(t, address)).length).toBe(before);
    }
    expect(await subjectsTo(t, evil)).toContain('A change of your primary address was undone');
    const again = await resetAndLogIn(email, (await linkTo(t, email)).token);
    expect(again.result.user).toMatchObject({ id: owner.id, email });
    expect(await emails(again.cookie)).toMatchObject([{ email, is_primary: true, verified: true }]);
    const mfa = must(await t.api.get('/profile/mfa/devices', { cookie: again.cookie }));
    expect(mfa).toEqual({ devices: [], mfa_enabled: false });
    expect(eventsOf(owner)).toEqual([
      'sign_in',
      'email_verified',
      'email_added',
      'email_verified',
      'primary_email_changed',
      'email_removed',
      'email_added',
      'email_verified',
      'mfa_device_added',
      'mfa_enabled',
      'password_reset',
      'primary_email_restored',
      ...Array(2).fill('sign_in_failed'),
      'password_reset',
      'sign_in',
    ]);
  });
});

describe('a step-up', () => {
  it('by the password lasts for 10 minutes, for its own session', async () => {
    const user = await createVerifiedUser(t);
    const other = (await login(user.email)).cookie ?? '';
    t.advance(11 * MINUTE);
    const add = (cookie: string) => t.api.post('/profile/emails', { cookie, body: { email: newAddress() } });
    expect(outcome(await add(user.cookie))).toEqual(STEP_UP);
    const done = await stepUp(user.cookie, { password: PASSWORD });
    expect([done.status, done.result, typeof done.json.message]).toEqual([200, undefined, 'string']);
    expect((await add(user.cookie)).status).toBe(201);
    expect(outcome(await add(other))).toEqual(STEP_UP);
    t.advance(9 * MINUTE);
    expect((await add(user.cookie)).status).toBe(201);
    t.advance(2 * MINUTE);
    expect(outcome(await add(user.cookie))).toEqual(STEP_UP);
  });

  it('needs the password, and with MFA on a code', async () => {
    const user = await createVerifiedUser(t);
    const { cookie } = user;
    const app = await switchMfaOn(t, cookie);
    const body = { password: PASSWORD };
    const codeless = await stepUp(cookie, body);
    expect(codeless.refusal).toBe('400 validation_error/field_required code');
    expect((await stepUp(cookie, {})).badFields).toEqual(['password']);
    const refused = async (fields: object) => outcome(await stepUp(cookie, { ...body, ...fields }));
    const wrong = [401, 'auth_error/mfa_invalid_code'];
    expect(await refused({ password: 'Wrong1wrong', code: app.code() })).toEqual([
      401,
      'auth_error/invalid_credentials',
    ]);
    expect(await refused({ code: wrongCode(app.code()) })).toEqual(wrong);
    expect(await refused({ code: app.code(), device_id: crypto.randomUUID() })).toEqual(wrong);
    expect(await refused({ code: app.recoveryCodes[0] })).toEqual(wrong);
    expect(await refused({ code: app.code() })).toEqual(OK);
    expect(await refused({ code: app.code(), device_id: app.id })).toEqual(OK);
    expect(await refused({ code: app.recoveryCodes[0], is_recovery: true })).toEqual(OK);
    expect(await refused({ code: app.recoveryCodes[0], is_recovery: true })).toEqual(wrong);
  });

  it('takes a mailed code once, for the user whose device it is', async () => {
    const [user, stranger] = [await createVerifiedUser(t), await createVerifiedUser(t)];
    const { cookie } = user;
    must(await t.api.post('/profile/mfa/enable', { cookie }));
    const [device] = must(await t.api.get('/profile/mfa/devices', { cookie })).devices;
    const send = (as: string) =>
      t.api.post('/auth/step-up/send-email-otp', { cookie: as, body: { device_id: device.id } });
    expect(outcome(await send(stranger.cookie))).toEqual([404, 'resource_error/not_found']);
    const sent = await send(cookie);
    expect(sent.json.message).toContain('u***@example.com');
    const mail = await t.delivered(user.email);
    expect(mail.subject).toBe('Your confirmation code');
    const code = /\b\d{6}\b/.exec(mail.text)?.[0];
    const answers = await Promise.all([1, 2, 3].map(() => stepUp(cookie, { password: PASSWORD, code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  it('leaves a sign-in code alone that waits for the same device, and the other way round', async () => {
    const { cookie, email } = await createVerifiedUser(t);
    must(await t.api.post('/profile/mfa/enable', { cookie }));
    const [{ id: device_id }] = must(await t.api.get('/profile/mfa/devices', { cookie })).devices;
    const codeOf = async (sent: Answer) => {
      must(sent);
      return /\b\d{6}\b/.exec((await t.delivered(email)).text)?.[0];
    };
    const sendSignIn = async () => {
      const { mfa_token } = must(await login(email));
      const body = { mfa_token, device_id };
      return { ...body, code: await codeOf(await t.api.post('/auth/mfa/send-email-otp', { body })) };
    };
    const sendStepUp = () => t.api.post('/auth/step-up/send-email-otp', { cookie, body: { device_id } });
    const first = await sendSignIn();
    const stale = await codeOf(await sendStepUp());
    const fresh = await codeOf(await sendStepUp());
    const second = await sendSignIn();
    const validate = (body: object) => t.api.post('/auth/mfa/validate', { body });
    const wrong = [401, 'auth_error/mfa_invalid_code'];
    expect(outcome(await validate(first)), 'asked for before the step-up').toEqual(OK);
    // For each purpose only the newest code works, and for no other purpose.
    expect(outcome(await stepUp(cookie, { password: PASSWORD, code: stale }))).toEqual(wrong);
    expect(outcome(await validate({ ...second, code: fresh }))).toEqual(wrong);
    expect(outcome(await stepUp(cookie, { password: PASSWORD, code: fresh }))).toEqual(OK);
    expect(outcome(await validate(second))).toEqual(OK);
  });

  it('loses against a reset that comes at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const user = await createVerifiedUser(t);
      must(await t.api.post('/auth/forgot-password', { body: { email: user.email } }));
      const { token } = await linkTo(t, user.email);
      await Promise.all([
        stepUp(user.cookie, { password: PASSWORD }),
        t.api.post('/auth/reset-password', { body: { token, password: 'Another2battery' } }),
      ]);
      expect((await stepUp(user.cookie, { password: PASSWORD })).error).toBe('auth_error/session_revoked');
    }
  });
});

describe('the owner hears of', () => {
  it('every change, without a link', async () => {
    const user = await createVerifiedUser(t);
    const { cookie, email } = user;
    const body = { password: PASSWORD };
    const evil = `"><b>@click.evil.example`.replace(/[^a-z.@]/g, '');
    const id = await addVerifiedEmail(t, cookie, `${crypto.randomUUID()}${evil}`);
    const device = must(await t.api.post('/profile/mfa/devices/email', { cookie, body: { email_id: id } }));
    await switchMfaOn(t, cookie);
    must(await t.api.post('/profile/mfa/recovery-codes/regenerate', { cookie, body }));
    must(await t.api.delete(`/profile/mfa/devices/${device.id}`, { cookie, body }));
    must(await t.api.post('/profile/mfa/disable', { cookie, body }));
    expect((await t.api.delete(`/profile/emails/${id}`, { cookie })).status).toBe(204);
    expect((await subjectsTo(t, email)).slice(1)).toEqual([
      'An e-mail address was added to your account',
      'A second factor was added to your account',
      'A second factor was added to your account',
      'Multi-factor authentication was switched on',
      'Your recovery codes were replaced',
      'A second factor was removed from your account',
      'Multi-factor authentication was switched off',
      'An e-mail address was removed from your account',
    ]);
    for (const mail of t.mails.filter(({ recipient, link }) => recipient === email && !link)) {
      expect(mail.text).not.toMatch(/https?:|\w[.@]\w+\.example/);
      expect(mail.html).not.toContain('<a ');
    }
  });

  it('the end of MFA with its last factor', async () => {
    const user = await createVerifiedUser(t);
    const { cookie } = user;
    const { id } = await switchMfaOn(t, cookie);
    must(await t.api.delete(`/profile/mfa/devices/${id}`, { cookie, body: { password: PASSWORD } }));
    expect((await subjectsTo(t, user.email)).slice(-2)).toEqual([
      'A second factor was removed from your account',
      'Multi-factor authentication was switched off',
    ]);
  });
});

describe('an undo link', () => {
  /** Makes another address the primary one. @returns the token of the undo link */
  async function promote(cookie: string, former: string, address = newAddress()): Promise<string> {
    must(await setPrimary(cookie, await addVerifiedEmail(t, cookie, address)));
    const { link } = await t.delivered(former);
    expect(link).toMatch(/\/undo-email-change\?token=[0-9a-f]{64}$/);
    return new URL(link ?? '').searchParams.get('token') ?? '';
  }

  const INVALID = [400, 'validation_error/field_invalid'];

  it('works once, also when it is used several times at once', async () => {
    const user = await createVerifiedUser(t);
    const token = await promote(user.cookie, user.email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => undo(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect(outcome(await undo(token))).toEqual(INVALID);
    expect(outcome(await undo('f3'.repeat(32)))).toEqual(INVALID);
  });

  it('works for 72 hours', async () => {
    const [early, late] = [await createVerifiedUser(t), await createVerifiedUser(t)];
    const tokens = [await promote(early.cookie, early.email), await promote(late.cookie, late.email)];
    t.advance(71 * HOUR);
    expect(outcome(await undo(tokens[0]))).toEqual(OK);
    t.advance(HOUR);
    expect(outcome(await undo(tokens[1]))).toEqual(INVALID);
  });

  it('changes nothing while an operator has disabled the account', async () => {
    const user = await createVerifiedUser(t);
    const evil = newAddress();
    const token = await promote(user.cookie, user.email, evil);
    const set = (disabledAt: Date | null) =>
      t.services.database.db.update(users).set({ disabledAt }).where(eq(users.id, user.id));
    await set(new Date());
    expect(outcome(await undo(token))).toEqual(INVALID);
    await set(null);
    expect((await login(evil)).status, 'the address and the password are as they were').toBe(200);
    expect(outcome(await undo(token))).toEqual(OK);
  });

  it('is not made when nothing changes', async () => {
    const user = await createVerifiedUser(t);
    must(await setPrimary(user.cookie, user.emailId));
    expect(await subjectsTo(t, user.email)).toEqual(['Verify your e-mail address']);
  });

  it('is stored as a hash, and shows up in no log', async () => {
    const user = await createVerifiedUser(t);
    const token = await promote(user.cookie, user.email);
    const rows = await t.services.database.sql.unsafe('select * from shared.primary_email_changes');
    expect(JSON.stringify(rows)).not.toContain(token);
    must(await undo(token));
    expect(lines.join('')).not.toContain(token);
  });

  it('ends all sessions, sign-ins that wait for a code, and links that were mailed meanwhile', async () => {
    const user = await createVerifiedUser(t);
    const { cookie } = user;
    const evil = newAddress();
    const token = await promote(cookie, user.email, evil);
    const app = await switchMfaOn(t, cookie);
    const { mfa_token } = (await login(evil)).result;
    must(await t.api.post('/auth/forgot-password', { body: { email: evil } }));
    const reset = await linkTo(t, evil);
    must(await undo(token));
    expect(outcome(await t.api.get('/auth/me', { cookie }))).toEqual(SESSION_OVER);
    const validate = { mfa_token, device_id: app.id, code: app.code() };
    expect((await t.api.post('/auth/mfa/validate', { body: validate })).status).toBe(401);
    const body = { token: reset.token, password: 'Attackers1choice' };
    expect((await t.api.post('/auth/reset-password', { body })).status).toBe(400);
  });

  it('of the first owner wins over those of later changes', async () => {
    const user = await createVerifiedUser(t);
    const [a, b] = [newAddress(), newAddress()];
    const first = await promote(user.cookie, user.email, a);
    const second = await promote(user.cookie, a, b);
    must(await undo(first));
    expect(outcome(await undo(second))).toEqual(INVALID);
    const { cookie } = await resetAndLogIn(user.email, (await linkTo(t, user.email)).token);
    expect((await emails(cookie)).map(({ email }: { email: string }) => email)).toEqual([user.email]);
  });

  it('of the first owner works after an attacker has used a later one', async () => {
    const user = await createVerifiedUser(t);
    const [a, b] = [newAddress(), newAddress()];
    const first = await promote(user.cookie, user.email, a);
    const second = await promote(user.cookie, a, b);
    must(await undo(second));
    const attacker = await resetAndLogIn(a, (await linkTo(t, a)).token);
    expect(attacker.status).toBe(200);
    must(await undo(first));
    expect(outcome(await t.api.get('/auth/me', { cookie: attacker.cookie }))).toEqual(SESSION_OVER);
    const { result } = await resetAndLogIn(user.email, (await linkTo(t, user.email)).token);
    expect(result.user).toMatchObject({ id: user.id, email: user.email });
  });

  it('leaves addresses and factors that were there a week before', async () => {
    const user = await createVerifiedUser(t);
    const old = newAddress();
    await addVerifiedEmail(t, user.cookie, old);
    const app = await switchMfaOn(t, user.cookie);
    t.advance(8 * 24 * HOUR);
    const { mfa_token } = (await login(user.email)).result;
    const body = { mfa_token, device_id: app.id, code: app.code() };
    const { cookie = '' } = await t.api.post('/auth/mfa/validate', { body });
    const evil = newAddress();
    const token = await promote(cookie, user.email, evil);
    await addAuthenticator(t, cookie);
    must(await undo(token));
    // MFA is still asked for: the owner has the phone.
    const again = await resetAndLogIn(user.email, (await linkTo(t, user.email)).token);
    expect(again.result.mfa_methods).toMatchObject([{ id: app.id }]);
    const next = { ...body, mfa_token: again.result.mfa_token, code: app.code() };
    const owner = await t.api.post('/auth/mfa/validate', { body: next });
    const list = await emails(owner.cookie);
    expect(list.map(({ email }: { email: string }) => email).sort()).toEqual([old, user.email].sort());
    // Recovery codes may have been shown to somebody else.
    expect(must(await t.api.get('/profile/mfa/recovery-codes', { cookie: owner.cookie })).remaining).toBe(0);
  });

  it('works although somebody has registered or invited the address meanwhile', async () => {
    const user = await createVerifiedUser(t);
    const token = await promote(user.cookie, user.email);
    expect((await t.api.delete(`/profile/emails/${user.emailId}`, { cookie: user.cookie })).status).toBe(204);
    const squatter = { email: user.email, password: PASSWORD, name: 'Mallory' };
    const { cookie } = await t.api.post('/auth/register', { body: squatter });
    must(await undo(token));
    const { result } = await resetAndLogIn(user.email, (await linkTo(t, user.email)).token);
    expect(result.user.id).toBe(user.id);
    // The other account is there, with an address that reaches nobody.
    expect((await t.api.get('/auth/me', { cookie })).result.user.email).toMatch(/@released\.invalid$/);
  });

  it('takes no address from another account that its own account had not verified', async () => {
    // An attacker registers the victim's address, and promotes one of their own: the victim is mailed the link.
    const victim = newAddress();
    const register = (name: string) =>
      t.api.post('/auth/register', { body: { email: victim, password: PASSWORD, name } });
    const { cookie: evil = '' } = await register('Mallory');
    const token = await promote(evil, victim);
    const [, { id }] = await emails(evil);
    expect((await t.api.delete(`/profile/emails/${id}`, { cookie: evil })).status).toBe(204);
    const { cookie } = await register('Victor Victim');
    const before = { own: await emails(cookie), evil: await emails(evil) };
    expect(outcome(await undo(token))).toEqual([409, 'resource_error/conflict']);
    expect({ own: await emails(cookie), evil: await emails(evil) }).toEqual(before);
    expect((await login(victim)).result.user.name).toBe('Victor Victim');
    // Nor after the victim has verified it.
    must(await t.api.post('/auth/forgot-password', { body: { email: victim } }));
    await resetAndLogIn(victim, (await linkTo(t, victim)).token);
    expect(outcome(await undo(token))).toEqual([409, 'resource_error/conflict']);
  });

  it('restores an address that was not verified while nobody else has it', async () => {
    const user = await createUser(t.api);
    const token = await promote(user.cookie, user.email);
    // Another account that has added it, without being able to verify it, claims nothing.
    const other = await createUser(t.api);
    const add = { cookie: other.cookie, body: { email: user.email } };
    expect((await t.api.delete(`/profile/emails/${(await emails(user.cookie))[1].id}`, user)).status).toBe(
      204,
    );
    must(await t.api.post('/profile/emails', add));
    expect(outcome(await undo(token))).toEqual(OK);
    const { result } = await resetAndLogIn(user.email, (await linkTo(t, user.email)).token);
    expect(result.user).toMatchObject({ id: user.id, email: user.email });
  });

  it('does not take the address from an account that has verified it meanwhile', async () => {
    const user = await createVerifiedUser(t);
    const token = await promote(user.cookie, user.email);
    expect((await t.api.delete(`/profile/emails/${user.emailId}`, { cookie: user.cookie })).status).toBe(204);
    const other = await createUser(t.api);
    await addVerifiedEmail(t, other.cookie, user.email);
    expect(outcome(await undo(token))).toEqual([409, 'resource_error/conflict']);
    // Nothing was changed, and the link can be used when the address is free.
    expect((await t.api.get('/auth/me', { cookie: user.cookie })).status).toBe(200);
  });

  it('wins over changes that come at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const user = await createVerifiedUser(t);
      const token = await promote(user.cookie, user.email);
      const { cookie } = user;
      await Promise.all([
        t.api.post('/profile/emails', { cookie, body: { email: newAddress() } }),
        t.api.post('/profile/emails', { cookie, body: { email: newAddress() } }),
        undo(token),
        t.api.post('/profile/emails', { cookie, body: { email: newAddress() } }),
        t.api.post('/profile/mfa/enable', { cookie }),
      ]);
      const [row] = await t.services.database.sql.unsafe(
        `select mfa_enabled, (select string_agg(email, ' ') from shared.user_emails where user_id = u.id) as emails
         from shared.users u where u.id = $1`,
        [user.id],
      );
      expect(row).toMatchObject({ mfa_enabled: false, emails: user.email });
    }
  });

  it('is purged after it has expired', async () => {
    const user = await createVerifiedUser(t);
    await promote(user.cookie, user.email);
    await switchMfaOn(t, user.cookie);
    must(await login((await emails(user.cookie)).find((e: { is_primary: boolean }) => e.is_primary).email));
    const { purgeExpired } = await import('../../lib/maintenance/purge.ts');
    const { sql } = t.services.database;
    const left = async () =>
      Promise.all(
        ['primary_email_changes', 'mfa_logins'].map(
          async (table) =>
            (await sql.unsafe(`select from shared.${table} where user_id = $1`, [user.id])).length,
        ),
      );
    expect(await left()).toEqual([1, 1]);
    await purgeExpired(t.services.database.db, new Date(t.services.clock().getTime() + 97 * HOUR));
    expect(await left()).toEqual([0, 0]);
  });
});

it('every change of addresses and factors, a new token, the export, deletions and their undoing ask for it, and nothing else', () => {
  const asking = Object.entries(endpoints).filter(
    ([, { access }]) => access.kind === 'cookie' && access.stepUp === true,
  );
  expect(asking.map(([id]) => id)).toEqual([
    'deleteMe',
    'exportMe',
    'addEmail',
    'removeEmail',
    'setPrimaryEmail',
    'createTotpDevice',
    'verifyTotpDevice',
    'createEmailDevice',
    'removeMfaDevice',
    'enableMfa',
    'disableMfa',
    'regenerateRecoveryCodes',
    'newPasskeyOptions',
    'createPasskey',
    'removePasskey',
    'createPersonalToken',
    'deleteOrg',
    'restoreOrg',
    'connectIdentity',
    'removeIdentity',
  ]);
});
