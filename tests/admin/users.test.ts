import { beforeAll, describe, expect, it } from 'vitest';
import { mfaDevices } from '../../db/schema/accounts.ts';
import { admin } from '../support/admin/command.ts';
import { switchMfaOn } from '../support/api/account.ts';
import {
  type Answer,
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
  type TestUser,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let api: TestApp['api'];

beforeAll(async () => {
  t = await startApp();
  ({ api } = t);
});

/** Runs `admin users …`. */
async function users(...args: string[]) {
  const ended = await admin(t.databaseUrl, ['users', ...args], { env: { LOG_LEVEL: 'error' } });
  return { ...ended, event: ended.code === 0 && ended.err ? JSON.parse(ended.err) : undefined };
}

const json = async (...args: string[]) => JSON.parse((await users(...args, '--json')).out);

const login = (email: string, password = PASSWORD) => api.post('/auth/login', { body: { email, password } });
const outcome = ({ status, error }: Answer) => [status, error];
/** The parameters of the last link that was mailed to an address. */
async function linkTo(email: string): Promise<Record<string, string>> {
  await t.services.mail.deliverDue();
  const mail = t.mails.findLast(({ recipient, link }) => recipient === email && link !== undefined);
  return Object.fromEntries(new URL(mail?.link ?? '').searchParams);
}

/** A user with MFA by an authenticator app, and its recovery codes. */
async function withMfa() {
  const user = await createUser(api);
  const { id: deviceId, code, recoveryCodes: codes } = await switchMfaOn(t, user.cookie);
  return { ...user, deviceId, code, codes };
}

describe('users show', () => {
  it('shows what an investigation needs, by address or id, and no secret', async () => {
    const user = await withMfa();
    const org = await createOrg(api);
    must(await api.post('/members/invite', { ...org.asOwner, body: { email: user.email, role: 'admin' } }));
    const as = { cookie: user.cookie, org: org.slug };
    const path = `/projects/${org.projectId}/tokens`;
    const { token, info } = must(await api.post(path, { ...as, body: { name: 'of an admin' } }));
    must(await api.post('/profile/emails', { cookie: user.cookie, body: { email: `2.${user.email}` } }));

    const shown = await json('show', user.email.toUpperCase());
    expect(shown).toMatchObject({
      id: user.id,
      email: user.email,
      mfa_enabled: true,
      has_password: true,
      disabled_at: null,
      emails: [
        { email: user.email, is_primary: true },
        { email: `2.${user.email}`, is_primary: false, verified_at: null },
      ],
      sessions: [{ ip_address: expect.any(String), created_at: expect.any(String) }],
      factors: [{ id: user.deviceId, type: 'totp', name: 'Phone', verified: true }],
      recovery_codes: 8,
      tokens: [{ org: org.slug, id: info.id, name: 'of an admin', project_id: org.projectId }],
    });
    expect(shown.memberships).toContainEqual(expect.objectContaining({ org: org.slug, role: 'admin' }));
    const { code, out, err } = await users('show', user.id);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(user.email);
    const [device] = await t.services.database.db.select({ secret: mfaDevices.secret }).from(mfaDevices);
    for (const secret of [token, user.cookie, device?.secret ?? '', 'argon2', ...user.codes]) {
      expect(out + JSON.stringify(shown)).not.toContain(secret);
    }
  });

  it('finds nobody by an address that is only claimed', async () => {
    const mallory = await createUser(api);
    must(
      await api.post('/profile/emails', { cookie: mallory.cookie, body: { email: 'claimed@example.com' } }),
    );
    for (const name of ['claimed@example.com', crypto.randomUUID(), 'no\u001b[31mbody']) {
      const { code, err } = await users('show', name);
      expect(code).toBe(1);
      expect(err).toMatch(/^account ".*" does not exist\n$/);
      expect(err).not.toContain('\u001b');
    }
  });
});

describe('users disable', () => {
  it('ends sessions, refuses sign-ins like a wrong password, and is undone by enable', async () => {
    const user = await createUser(api);
    const wrong = await login(user.email, 'Wrong1password');
    const { code, out, event } = await users('disable', user.email);
    expect([code, out]).toEqual([0, `${user.email} is now disabled, 1 session ended\n`]);
    expect(event).toMatchObject({
      message: 'security event',
      event: 'account_disabled',
      account: user.id,
      operator: expect.stringMatching(/./),
      changed: true,
      sessions: 1,
    });
    expect(outcome(await api.get('/auth/me', { cookie: user.cookie }))).toEqual([
      401,
      'auth_error/session_revoked',
    ]);
    const refused = await login(user.email);
    expect({ ...refused.json, request_id: '' }).toEqual({ ...wrong.json, request_id: '' });

    expect((await users('disable', user.id)).out).toBe(
      `${user.email} is disabled already: nothing changed\n`,
    );
    expect((await users('enable', user.email)).event).toMatchObject({
      event: 'account_enabled',
      changed: true,
    });
    expect((await login(user.email)).status).toBe(200);
    expect((await api.get('/auth/me', { cookie: user.cookie })).status, 'ended for good').toBe(401);
  });

  it('spends the time of a password check on it', async () => {
    const user = await createUser(api);
    await users('disable', user.email);
    const checked: (string | null | undefined)[] = [];
    const { hasher } = t.services;
    const { verify } = hasher;
    hasher.verify = (hash, password) => {
      checked.push(hash);
      return verify(hash, password);
    };
    await login(user.email);
    hasher.verify = verify;
    // As for an unknown address: without a hash, the same time is spent on another.
    expect(checked).toEqual([undefined]);
  });

  it('makes mailed links and sign-ins under way worthless, and mails no new ones', async () => {
    const user = await withMfa();
    const verification = await linkTo(user.email);
    must(await api.post('/auth/forgot-password', { body: { email: user.email } }));
    const { token } = await linkTo(user.email);
    const { mfa_token } = must(await login(user.email));
    await users('disable', user.email);

    const password = 'Another2battery';
    expect((await api.post('/auth/reset-password', { body: { token, password } })).status).toBe(400);
    expect((await api.post('/auth/verify-email', { body: verification })).status).toBe(400);
    const body = { mfa_token, device_id: user.deviceId, code: user.code() };
    expect(outcome(await api.post('/auth/mfa/validate', { body }))).toEqual([
      401,
      'auth_error/mfa_invalid_code',
    ]);
    const before = t.mails.length;
    const forgot = await api.post('/auth/forgot-password', { body: { email: user.email } });
    const nobody = await api.post('/auth/forgot-password', { body: { email: 'nobody@example.com' } });
    expect({ ...forgot.json, request_id: '' }).toEqual({ ...nobody.json, request_id: '' });
    await t.services.mail.deliverDue();
    expect(t.mails.slice(before)).toEqual([]);
    const register = { email: user.email, password: PASSWORD, name: 'Again' };
    expect((await api.post('/auth/register', { body: register })).status).toBe(409);

    await users('enable', user.email);
    expect((await api.post('/auth/reset-password', { body: { token, password } })).status).toBe(400);
  });

  it('keeps an account from being invited, and leaves the API tokens it made', async () => {
    const [org, owner] = [await createOrg(api), await createOrg(api)];
    const user = await createUser(api);
    await users('disable', user.email);
    const invite = await api.post('/members/invite', {
      ...org.asOwner,
      body: { email: user.email, role: 'member' },
    });
    expect(outcome(invite)).toEqual([409, 'resource_error/conflict']);
    expect(must(await api.get('/members', org.asOwner))).toHaveLength(1);

    await users('disable', owner.owner.email);
    const list = `/agent/findings?project_id=${owner.projectId}`;
    expect((await api.get(list, owner.asAgent)).status).toBe(200);
    expect((await json('show', owner.owner.email)).tokens).toEqual([
      expect.objectContaining({ org: owner.slug, id: owner.tokenId }),
    ]);
  });

  it('comes before or after a sign-in at the same moment, and leaves no session that works', async () => {
    const user = await createUser(api);
    const signIns = Array.from({ length: 10 }, () => login(user.email));
    const [, ...answers] = await Promise.all([users('disable', user.email), ...signIns]);
    for (const { cookie } of answers)
      if (cookie) expect((await api.get('/auth/me', { cookie })).status).toBe(401);
    await users('enable', user.email);
    for (const { cookie } of answers)
      if (cookie) expect((await api.get('/auth/me', { cookie })).status).toBe(401);
  });
});

describe('users end-sessions', () => {
  it('ends all sessions, and nothing else', async () => {
    const user = await createUser(api);
    const { cookie } = await login(user.email);
    const { out, event } = await users('end-sessions', user.email);
    expect(out).toBe(`${user.email}: 2 sessions ended\n`);
    expect(event).toMatchObject({ event: 'sessions_ended', account: user.id, sessions: 2 });
    for (const one of [cookie, user.cookie])
      expect((await api.get('/auth/me', { cookie: one })).status).toBe(401);
    expect((await login(user.email)).status).toBe(200);
  });
});

describe('users reset-mfa', () => {
  it('removes factors and recovery codes, and mails the owner', async () => {
    const user = await withMfa();
    const { mfa_token } = must(await login(user.email));
    const { out, event } = await users('reset-mfa', user.email);
    expect(out).toBe(`${user.email}: MFA is now off, MFA devices removed: 1; a mail says so\n`);
    expect(event).toMatchObject({ event: 'mfa_reset', account: user.id, changed: true });
    // Mails that are due together may be sent in any order.
    await t.delivered(user.email);
    const subjects = t.mails
      .filter(({ recipient }) => recipient === user.email)
      .map(({ subject }) => subject);
    expect(subjects).toContain('Multi-factor authentication was reset');

    const recovery = { mfa_token, is_recovery: true, code: user.codes[0] };
    expect((await api.post('/auth/mfa/validate', { body: recovery })).status).toBe(401);
    const { cookie } = await login(user.email);
    expect(must(await api.get('/profile/mfa/devices', { cookie }))).toEqual({
      devices: [],
      mfa_enabled: false,
    });
    expect(must(await api.get('/profile/mfa/recovery-codes', { cookie })).remaining).toBe(0);
    await t.services.mail.deliverDue();
    const mails = t.mails.length;
    expect((await users('reset-mfa', user.email)).out).toContain('already: nothing changed');
    await t.services.mail.deliverDue();
    expect(t.mails).toHaveLength(mails);
  });
});

/** A user whose own organization has another owner. */
async function replaceable(): Promise<TestUser> {
  const [user, heir] = [await createUser(api, 'Zaphod'), await createUser(api)];
  for (const { slug } of must(await api.get('/orgs', { cookie: user.cookie }))) {
    const body = { email: heir.email, role: 'owner' };
    must(await api.post('/members/invite', { cookie: user.cookie, org: slug, body }));
  }
  return user;
}

describe('users revoke-token', () => {
  it('revokes a token that users show lists, and no token of others', async () => {
    const [user, other] = [await createUser(api), await createUser(api)];
    const body = { name: 'weekly report', scopes: ['read'], expires_in: 30 };
    const { token, info } = must(await api.post('/profile/tokens', { cookie: user.cookie, body }));
    expect((await json('show', user.email)).personal_tokens).toMatchObject([
      { id: info.id, name: 'weekly report', org_id: null, scopes: ['read'] },
    ]);
    const shown = (await users('show', user.email)).out;
    expect(shown).toContain(info.id);
    expect(shown).not.toContain(token);

    for (const [name, id] of [
      [other.email, info.id],
      [user.email, crypto.randomUUID()],
      [user.email, "x' or true"],
    ]) {
      const { code, err } = await users('revoke-token', name, id);
      expect([code, err]).toEqual([1, `${name} has no personal access token "${id}"\n`]);
    }
    expect((await api.get('/auth/me', { token })).status).toBe(200);
    const { code, out, event } = await users('revoke-token', user.email, info.id);
    expect([code, out]).toEqual([0, `${user.email}: the token "weekly report" is revoked\n`]);
    expect(event).toMatchObject({ event: 'token_revoked', account: user.id, revoked: info.id });
    expect((await api.get('/auth/me', { token })).error).toBe('token_error/invalid');
    expect((await users('revoke-token', user.email, info.id)).code).toBe(1);
    expect((await json('show', user.email)).personal_tokens).toEqual([]);
  });
});

describe('users export', () => {
  it('has the records of organizations that the person has left, and no secret', async () => {
    const user = await withMfa();
    const org = await createOrg(api);
    must(await api.post('/members/invite', { ...org.asOwner, body: { email: user.email, role: 'member' } }));
    const finding = (await push(api, org, await createScan(api, org))).id;
    const comment = { cookie: user.cookie, org: org.slug, body: { body: 'Mine' } };
    must(await api.post(`/findings/${finding}/comments`, comment));
    must(await api.delete(`/members/${user.id}`, org.asOwner));
    const { code, out, event } = await users('export', user.email);
    expect(code).toBe(0);
    expect(event).toMatchObject({
      event: 'account_exported',
      account: user.id,
      operator: expect.any(String),
    });
    const exported = JSON.parse(out);
    expect(exported.account).toMatchObject({ id: user.id });
    expect(exported.memberships).not.toContainEqual(expect.objectContaining({ slug: org.slug }));
    expect(exported.organizations).toContainEqual(
      expect.objectContaining({
        slug: org.slug,
        activity: [expect.objectContaining({ note: 'Mine', by_you: true })],
      }),
    );
    for (const secret of [user.cookie, PASSWORD, ...user.codes]) expect(out).not.toContain(secret);
    expect(await json('export', user.id)).toMatchObject({ emails: [{ email: user.email }] });
    expect((await users('export', 'nobody@example.com')).code).toBe(1);
  });
});

describe('users delete', () => {
  it('needs the primary address as confirmation', async () => {
    const user = await replaceable();
    expect((await users('delete', user.email)).code).toBe(2);
    for (const confirm of ['other@example.com', user.id, '']) {
      const { code, err } = await users('delete', user.email, '--confirm', confirm);
      expect([code, err]).toEqual([1, '--confirm must be the primary address of the account\n']);
    }
    expect((await api.get('/auth/me', { cookie: user.cookie })).status).toBe(200);
  });

  it('deletes the account, mails its owner, and is done once', async () => {
    const user = await replaceable();
    const [first, second] = await Promise.all(
      [0, 1].map(() => users('delete', user.email, '--confirm', user.email)),
    );
    const [done, late] = first?.code === 0 ? [first, second] : [second, first];
    expect([done?.code, late?.code]).toEqual([0, 1]);
    expect(done?.out).toMatch(/^user-\w+@example\.com is deleted: erased from all organizations/);
    expect(done?.err).toContain('"event":"account_deleted"');
    expect((await api.get('/auth/me', { cookie: user.cookie })).status).toBe(401);
    expect(await t.delivered(user.email)).toMatchObject({ subject: 'Your account was deleted' });
    expect((await users('delete', user.email, '--confirm', user.email)).err).toContain('does not exist');
  });

  it('names the organizations that would have no owner', async () => {
    const org = await createOrg(api);
    const { code, err } = await users('delete', org.owner.email, '--confirm', org.owner.email);
    expect(code).toBe(1);
    expect(err).toMatch(/^the account is the only owner of: .*; make another member an owner first\n$/);
    expect(err).toContain(org.slug);
    expect((await api.get('/auth/me', { cookie: org.owner.cookie })).status).toBe(200);
  });
});
