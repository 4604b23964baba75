import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Mail } from '../../lib/mail/mailer.ts';
import {
  type Answer,
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { linkTo, resetBy, verify } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/*
 * The attacks that the API contract leaves open in default mode, and that strict mode closes: taking over an invitation,
 * hijacking an account before its owner makes it, and adding people who did not agree. `open` and `strict` serve the same
 * database, as a deployment that is switched over does.
 */

let open: TestApp;
let strict: TestApp;
/** An organization whose owner has verified their address. */
let acme: TestOrg;

beforeAll(async () => {
  const mails: Mail[] = [];
  open = await startApp({ mails });
  // Limits of their own would end the tests, which all come from one client.
  const env = { SVC_STRICT: 'on', SVC_AUTH_LIMITS: 'off' };
  strict = await startApp({ databaseUrl: open.databaseUrl, mails, env });
  // Mails go out when the tests ask for them, not while the other app is asked.
  for (const { services } of [open, strict]) services.mail.kick = () => {};
  acme = await createOrg(open.api);
  must(
    await open.api.post('/auth/verify-email', {
      body: await linkTo(open, acme.owner.email),
    }),
  );
  await push(open.api, acme, await createScan(open.api, acme));
});

const sql = (text: string, params: string[] = []) => open.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const newAddress = (name = 'someone') => `${name}-${crypto.randomUUID().slice(0, 8)}@bigcorp.example`;

const OK = [200, undefined];
const NOT_VERIFIED = [403, 'permission_error/email_not_verified'];
const NOT_MEMBER = [403, 'tenant_error/not_member'];
const NOT_FOUND = [404, 'resource_error/not_found'];

const register = async (email: string, app = strict, name = 'Grace Hopper') => {
  const answer = await app.api.post('/auth/register', { body: { email, password: PASSWORD, name } });
  must(answer);
  return { id: answer.result.user.id, email, cookie: answer.cookie } as TestUser;
};
const signIn = async (email: string, password = PASSWORD, app = strict) =>
  app.api.post('/auth/login', { body: { email, password } });
const invite = (email: string, role = 'member', app = strict) =>
  app.api.post('/members/invite', { ...acme.asOwner, body: { email, role } });
const members = async (app = strict): Promise<Record<string, unknown>[]> =>
  must(await app.api.get('/members', acme.asOwner));
const memberOf = async (userId: string, app = strict) =>
  (await members(app)).find(({ user_id }) => user_id === userId);
const forgot = async (email: string, app = strict) => {
  const before = app.mails.length;
  must(await app.api.post('/auth/forgot-password', { body: { email } }));
  await app.services.mail.deliverDue();
  return app.mails.slice(before).filter(({ recipient }) => recipient === email);
};
/** The last mail about a changed password. */
const lastChange = async (email: string) => {
  await strict.services.mail.deliverDue();
  return strict.mails.findLast(
    ({ recipient, subject }) => recipient === email && /password was changed/.test(subject),
  );
};
/** The data that an intruder in an organization wants to read. */
const LOOT = ['/findings', '/scans', '/members', '/projects', '/dashboard/stats', '/org-features', '/tokens'];
const loot = (cookie: string | undefined, app = strict) =>
  Promise.all(LOOT.map(async (path) => outcome(await app.api.get(path, { cookie, org: acme.slug }))));

describe('an account whose primary address is not verified', () => {
  it('signs in, sees who it is, verifies the address, and goes on with the same session', async () => {
    const { id, email } = await register(newAddress());
    const { cookie } = await signIn(email);
    const who = must(await strict.api.get('/auth/me', { cookie }));
    expect(who.user).toMatchObject({ id, email });
    const session = must(await strict.api.get('/auth/session', { cookie }));
    expect(session).toMatchObject({ user: { id }, email_verification_required: true });
    const { emails } = must(await strict.api.get('/profile/emails', { cookie }));
    expect(emails).toEqual([expect.objectContaining({ email, is_primary: true, verified: false })]);
    must(await strict.api.post(`/profile/emails/${emails[0].id}/send-verification`, { cookie }));

    expect(outcome(await strict.api.get('/orgs', { cookie }))).toEqual(NOT_VERIFIED);
    await verify(strict, email);
    expect(outcome(await strict.api.get('/orgs', { cookie }))).toEqual(OK);
    expect(must(await strict.api.get('/auth/session', { cookie }))).not.toHaveProperty(
      'email_verification_required',
    );
  });

  it('acts as ever in default mode', async () => {
    const { cookie } = await register(newAddress(), open);
    expect(outcome(await open.api.get('/orgs', { cookie }))).toEqual(OK);
    expect((await open.api.post('/profile/emails', { cookie, body: { email: newAddress() } })).status).toBe(
      201,
    );
    expect(must(await open.api.get('/auth/session', { cookie }))).not.toHaveProperty(
      'email_verification_required',
    );
  });
});

describe('taking over an invitation', () => {
  /** An attacker registers the address of somebody whom Acme is about to invite. */
  async function attack(app: TestApp) {
    const victim = newAddress('victim');
    const attacker = await register(victim, app);
    must(await invite(victim, 'admin', app));
    return { victim, attacker };
  }

  it('shows an attacker everything in default mode, and the admin that nobody has verified the address', async () => {
    const { victim, attacker } = await attack(open);
    expect(await loot(attacker.cookie, open)).toEqual(LOOT.map(() => OK));
    expect(await memberOf(attacker.id, open)).toMatchObject({
      email: victim,
      verified: false,
      pending: false,
    });
  });

  it('shows an attacker nothing in strict mode', async () => {
    const { victim, attacker } = await attack(strict);
    expect(await loot(attacker.cookie)).toEqual(LOOT.map(() => NOT_VERIFIED));
    const { cookie } = await signIn(victim);
    expect(await loot(cookie)).toEqual(LOOT.map(() => NOT_VERIFIED));
    const { orgs } = must(await strict.api.get('/auth/me', { cookie }));
    expect(orgs).not.toContainEqual(expect.objectContaining({ slug: acme.slug }));
    expect(await memberOf(attacker.id)).toMatchObject({ email: victim, verified: false, pending: true });
  });

  it('ends when the invited person follows the mail: the account is theirs, and the attacker is out', async () => {
    const { victim, attacker } = await attack(strict);
    await resetBy(strict, victim, 'Another2battery');
    expect((await strict.api.get('/auth/me', { cookie: attacker.cookie })).refusal).toBe(
      '401 auth_error/session_revoked',
    );
    expect((await signIn(victim)).status).toBe(401);
    const { cookie } = await signIn(victim, 'Another2battery');
    expect(await loot(cookie)).toEqual(LOOT.map(() => OK));
    expect(await memberOf(attacker.id)).toMatchObject({ email: victim, verified: true, pending: false });
  });

  it('does not get a click on the invitation to verify the address for the attacker', async () => {
    const { victim } = await attack(strict);
    const { token, email_id } = await linkTo(strict, victim);
    expect(email_id).toBeUndefined();
    const body = { token, email_id: crypto.randomUUID() };
    expect((await strict.api.post('/auth/verify-email', { body })).status).toBe(400);
  });

  it('does not work with another address of the attacker, even where only invitations are strict', async () => {
    const env = { SVC_PENDING_INVITATIONS: 'on' };
    const half = await startApp({ databaseUrl: open.databaseUrl, mails: open.mails, env });
    half.services.mail.kick = () => {};
    const { victim, attacker } = await attack(half);
    expect(await loot(attacker.cookie, half)).toEqual(LOOT.map(() => NOT_MEMBER));
    const own = newAddress('mallory');
    const { cookie } = attacker;
    const { id } = must(await half.api.post('/profile/emails', { cookie, body: { email: own } }));
    await verify(half, own);
    must(await half.api.post(`/profile/emails/${id}/set-primary`, { cookie }));
    expect(await loot(cookie, half)).toEqual(LOOT.map(() => NOT_MEMBER));
    expect(await memberOf(attacker.id, half)).toMatchObject({ email: victim, pending: true });
    expect(outcome(await half.api.get(`/orgs/${acme.slug}`, { cookie }))).toEqual(NOT_FOUND);
    expect(outcome(await half.api.post('/members/leave', { cookie, org: acme.slug }))).toEqual(NOT_MEMBER);
  });
});

describe('hijacking an account before its owner makes it', () => {
  /** In default mode an attacker registers the victim's address, and attaches what is theirs. */
  async function attack() {
    const victim = newAddress('victim');
    const own = newAddress('mallory');
    const { id, cookie } = await register(victim, open);
    const { id: ownId } = must(await open.api.post('/profile/emails', { cookie, body: { email: own } }));
    await verify(open, own);
    const { device, secret } = must(
      await open.api.post('/profile/mfa/devices/totp', { cookie, body: { name: 'Mine' } }),
    );
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = totp.generate({ timestamp: open.services.clock().getTime() });
    must(await open.api.post(`/profile/mfa/devices/totp/${device.id}/verify`, { cookie, body: { code } }));
    must(await open.api.post('/profile/mfa/devices/email', { cookie, body: { email_id: ownId } }));
    must(await open.api.post('/profile/mfa/enable', { cookie }));
    return { victim, own, id, cookie };
  }

  /** The victim finds the address taken, and resets the password. */
  async function reclaim(victim: string, app: TestApp) {
    must(await app.api.post('/auth/forgot-password', { body: { email: victim } }));
    await resetBy(app, victim, 'Another2battery');
  }

  it('ends with the victim’s reset in strict mode, also when it began in default mode', async () => {
    const { victim, own, id, cookie } = await attack();
    // Links that were mailed before the reset.
    expect(await forgot(own, open)).toHaveLength(1);
    const { token } = await linkTo(open, own);
    const other = newAddress('mallory');
    must(await open.api.post('/profile/emails', { cookie, body: { email: other } }));
    const unverified = await linkTo(open, other);

    await reclaim(victim, strict);
    const signedIn = await signIn(victim, 'Another2battery');
    expect(signedIn.result).not.toHaveProperty('mfa_required');
    const mine = { cookie: signedIn.cookie };
    expect(must(await strict.api.get('/profile/emails', mine)).emails).toEqual([
      expect.objectContaining({ email: victim, verified: true }),
    ]);
    expect(must(await strict.api.get('/profile/mfa/devices', mine))).toEqual({
      devices: [],
      mfa_enabled: false,
    });

    const body = { token, password: PASSWORD };
    expect((await strict.api.post('/auth/reset-password', { body })).status).toBe(400);
    expect((await strict.api.post('/auth/verify-email', { body: unverified })).status).toBe(400);
    expect(await forgot(own)).toEqual([]);
    expect((await signIn(own)).status).toBe(401);
    expect((await strict.api.get('/auth/me', { cookie })).status).toBe(401);
    for (const table of [
      'mfa_devices',
      'recovery_codes',
      'mailed_tokens',
      'mfa_logins',
      'primary_email_changes',
    ])
      expect([table, ...(await sql(`select * from shared.${table} where user_id = $1`, [id]))]).toEqual([
        table,
      ]);
    expect((await lastChange(victim))?.text).toContain('first time your address was verified');
  });

  it('ends with the victim’s reset at the same time as the attacker verifies another address', async () => {
    for (let round = 0; round < 4; round++) {
      const { victim, own, cookie } = await attack();
      const other = newAddress('mallory');
      must(await open.api.post('/profile/emails', { cookie, body: { email: other } }));
      const body = await linkTo(open, other);
      must(await strict.api.post('/auth/forgot-password', { body: { email: victim } }));
      await strict.services.mail.deliverDue();
      await Promise.all([
        resetBy(strict, victim, 'Another2battery'),
        strict.api.post('/auth/verify-email', { body }),
        strict.api.post('/auth/forgot-password', { body: { email: own } }),
      ]);
      await strict.services.mail.deliverDue();
      for (const address of [own, other]) {
        for (const { recipient, link } of [...strict.mails]) {
          const token = new URL(link ?? 'http://none').searchParams.get('token');
          if (recipient !== address || !link?.includes('/reset-password')) continue;
          const attempt = { token, password: PASSWORD };
          expect((await strict.api.post('/auth/reset-password', { body: attempt })).status).toBe(400);
        }
        expect(await forgot(address)).toEqual([]);
      }
      const { cookie: mine } = await signIn(victim, 'Another2battery');
      expect(must(await strict.api.get('/profile/emails', { cookie: mine })).emails).toHaveLength(1);
    }
  });

  it('leaves the victim no membership that was meant for the attacker', async () => {
    const { victim, own, id } = await attack();
    must(await invite(own, 'admin'));
    await reclaim(victim, strict);
    expect(await memberOf(id)).toBeUndefined();
  });

  it('cannot be helped by a session from before: it verifies no other address in strict mode', async () => {
    const { cookie, own } = await attack();
    const { emails } = must(await strict.api.get('/profile/emails', { cookie }));
    const { id } = emails.find(({ email }: { email: string }) => email === own);
    expect(outcome(await strict.api.post(`/profile/emails/${id}/send-verification`, { cookie }))).toEqual(
      NOT_VERIFIED,
    );
    expect(outcome(await strict.api.post(`/profile/emails/${id}/set-primary`, { cookie }))).toEqual(
      NOT_VERIFIED,
    );
    // The address signs in, and is as closed as the other.
    const answer = await forgot(own);
    expect(answer).toHaveLength(1);
  });

  it('takes nothing from an account that verified the address before', async () => {
    const { email, cookie } = await register(newAddress());
    await verify(strict, email);
    const second = newAddress();
    must(await strict.api.post('/profile/emails', { cookie, body: { email: second } }));
    await verify(strict, second);
    await forgot(email);
    await resetBy(strict, email, 'Another2battery');
    const { cookie: mine } = await signIn(second, 'Another2battery');
    expect(must(await strict.api.get('/profile/emails', { cookie: mine })).emails).toHaveLength(2);
    expect((await lastChange(email))?.text).not.toContain('first time your address was verified');
  });

  it('is as the contract says in default mode: a reset leaves addresses and factors alone', async () => {
    const { victim } = await attack();
    await reclaim(victim, open);
    expect((await signIn(victim, 'Another2battery', open)).result).toMatchObject({ mfa_required: true });
  });
});

describe('consent', () => {
  it('is asked for by a mail to every invited person, who can leave at once', async () => {
    const { email, cookie } = await register(newAddress());
    await verify(strict, email);
    must(await invite(email, 'viewer'));
    const mail = await strict.delivered(email);
    expect(mail.text).toContain('Ada Lovelace invited you');
    expect(mail.link).toBe(`http://localhost:8080/o/${acme.slug}`);
    expect(outcome(await strict.api.get('/projects', { cookie, org: acme.slug }))).toEqual(OK);
    must(await strict.api.post('/members/leave', { cookie, org: acme.slug }));
    expect(outcome(await strict.api.get('/projects', { cookie, org: acme.slug }))).toEqual(NOT_MEMBER);
  });

  it('keeps the name of an account to itself until its owner has used the organization', async () => {
    const { id, email, cookie } = await register(newAddress(), strict, 'Katherine Johnson');
    await verify(strict, email);
    const answer = await invite(email);
    expect(answer.result).toMatchObject({ email, name: email.split('@')[0], verified: true, pending: false });
    expect((await strict.api.get('/members', acme.asOwner)).text).not.toContain('Katherine');
    must(await strict.api.get('/projects', { cookie, org: acme.slug }));
    expect(await memberOf(id)).toMatchObject({ email, name: 'Katherine Johnson' });
  });

  it('is given for the invited address only, not for what the account verifies besides', async () => {
    const { id, email, cookie } = await register(newAddress());
    await verify(strict, email);
    // The account tries to verify an address that somebody else is invited by.
    const invited = newAddress('victim');
    const { user_id } = must(await invite(invited));
    const add = await strict.api.post('/profile/emails', { cookie, body: { email: invited } });
    expect(outcome(add)).toEqual([409, 'resource_error/already_exists']);
    expect(user_id).not.toBe(id);
    expect(await memberOf(user_id)).toMatchObject({ pending: true });
  });
});

describe('a pending membership', () => {
  it('is confirmed by verifying the invited address, at once', async () => {
    const { id, email, cookie } = await register(newAddress());
    const verification = await linkTo(strict, email);
    expect(must(await invite(email, 'admin'))).toMatchObject({ verified: false, pending: true });
    expect(outcome(await strict.api.get('/members', { cookie, org: acme.slug }))).toEqual(NOT_VERIFIED);
    must(await strict.api.post('/auth/verify-email', { body: verification }));
    expect(outcome(await strict.api.get('/members', { cookie, org: acme.slug }))).toEqual(OK);
    expect(await memberOf(id)).toMatchObject({ verified: true, pending: false, name: 'Grace Hopper' });
    expect(must(await strict.api.get('/orgs', { cookie }))).toContainEqual(
      expect.objectContaining({ slug: acme.slug, role: 'admin' }),
    );
  });

  it('of a placeholder is confirmed by setting the password', async () => {
    const email = newAddress();
    const { user_id } = must(await invite(email));
    expect(await memberOf(user_id)).toMatchObject({ pending: true });
    await resetBy(strict, email);
    expect(await memberOf(user_id)).toMatchObject({ pending: false, verified: true });
    const { cookie } = await signIn(email);
    expect(outcome(await strict.api.get('/findings', { cookie, org: acme.slug }))).toEqual(OK);
  });

  it('is confirmed whichever comes first when both happen at once', async () => {
    for (let round = 0; round < 6; round++) {
      const { email, cookie } = await register(newAddress());
      const body = await linkTo(strict, email);
      await Promise.all([invite(email), strict.api.post('/auth/verify-email', { body })]);
      expect(outcome(await strict.api.get('/findings', { cookie, org: acme.slug }))).toEqual(OK);
    }
  });

  it('is no owner to leave an organization to', async () => {
    const at = await createOrg(open.api);
    await verify(open, at.owner.email);
    const email = newAddress();
    const { cookie } = await register(email);
    const body = { email, role: 'owner' };
    must(await strict.api.post('/members/invite', { ...at.asOwner, body }));
    const leave = () => strict.api.post('/members/leave', at.asOwner);
    expect(outcome(await leave())).toEqual([409, 'resource_error/conflict']);
    await resetBy(strict, email);
    expect((await strict.api.get('/auth/me', { cookie })).status).toBe(401);
    expect(outcome(await leave())).toEqual([409, 'resource_error/conflict']);
    const invited = await signIn(email);
    must(await strict.api.post('/members/accept-ownership', { cookie: invited.cookie, org: at.slug }));
    expect(outcome(await leave())).toEqual(OK);
  });
});

describe('a deployment that is switched to strict mode', () => {
  it('keeps members with a verified address working, whenever they were invited', async () => {
    const old = await createUser(open.api);
    await verify(open, old.email);
    must(await invite(old.email, 'member', open));
    // As a row of before invitations were kept.
    await sql('update shared.memberships set invited_email = null, confirmed_at = null where user_id = $1', [
      old.id,
    ]);
    const invited = await createUser(open.api);
    await verify(open, invited.email);
    must(await invite(invited.email, 'member', open));
    for (const { cookie } of [old, invited]) expect(await loot(cookie)).toContainEqual(OK);
    expect(await memberOf(old.id)).toMatchObject({ email: old.email, verified: true, pending: false });
  });

  it('closes out members without a verified address, until they verify it', async () => {
    const late = await createUser(open.api);
    const verification = await linkTo(open, late.email);
    must(await invite(late.email, 'member', open));
    const old = await createUser(open.api);
    const oldVerification = await linkTo(open, old.email);
    must(await invite(old.email, 'member', open));
    await sql('update shared.memberships set invited_email = null where user_id = $1', [old.id]);
    for (const { id, cookie } of [late, old]) {
      expect(await loot(cookie)).toEqual(LOOT.map(() => NOT_VERIFIED));
      expect(await memberOf(id)).toMatchObject({ verified: false, pending: true });
    }
    for (const body of [verification, oldVerification])
      must(await strict.api.post('/auth/verify-email', { body }));
    for (const { id, cookie } of [late, old]) {
      expect(outcome(await strict.api.get('/findings', { cookie, org: acme.slug }))).toEqual(OK);
      expect(await memberOf(id)).toMatchObject({ verified: true, pending: false });
    }
  });
});
