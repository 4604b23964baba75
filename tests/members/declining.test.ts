import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purgeExpired } from '../../lib/maintenance/purge.ts';
import { type Answer, createOrg, createUser, must, PASSWORD, type TestOrg } from '../support/api/api.ts';
import { resetBy, verify } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Declining an invitation by the mailed link, and registering an address that was merely invited. */

const DAY = 24 * 60 * 60_000;

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const CONFLICT = [409, 'resource_error/conflict'];
const INVALID = [400, 'validation_error/field_invalid'];
const NOT_MEMBER = [403, 'tenant_error/not_member'];
const newAddress = () => `guest-${crypto.randomUUID().slice(0, 8)}@example.com`;

const invite = (email: string, role = 'member', to: TestOrg = org) =>
  t.api.post('/members/invite', { ...to.asOwner, body: { email, role } });
const declineToken = async (email: string) =>
  /decline-invitation\?token=(\w+)/.exec((await t.delivered(email)).text)?.[1];
const decline = (token: string | undefined, app = t) =>
  app.api.post('/auth/decline-invitation', { body: { token } });
const addresses = async (): Promise<string[]> =>
  must(await t.api.get('/members', org.asOwner)).map(({ email }: { email: string }) => email);
const register = (email: string, password = PASSWORD) =>
  t.api.post('/auth/register', { body: { email, password, name: 'Mallory' } });
const projects = (cookie: string | undefined) => t.api.get('/projects', { cookie, org: org.slug });

describe('the link to decline', () => {
  it('ends the invitation without an account, and only a POST does it', async () => {
    const email = newAddress();
    must(await invite(email));
    const token = await declineToken(email);
    await t.api.get(`/auth/decline-invitation?token=${token}`);
    expect(await addresses()).toContain(email);
    expect(must(await decline(token))).toEqual({ organization: { name: org.slug, slug: org.slug } });
    expect(await addresses()).not.toContain(email);
    expect(outcome(await decline(token))).toEqual(INVALID);
  });

  it('keeps the organization from inviting the address again for 30 days, and no other one', async () => {
    const email = newAddress();
    must(await invite(email));
    must(await decline(await declineToken(email)));
    const sent = async () => {
      await t.services.mail.deliverDue();
      return t.mails.filter(({ recipient }) => recipient === email).length;
    };
    const before = await sent();
    for (const address of [email, ` ${email.toUpperCase()}`])
      expect(outcome(await invite(address, 'owner'))).toEqual(CONFLICT);
    expect(await sent()).toBe(before);
    const other = await createOrg(t.api);
    must(await invite(email, 'viewer', other));
    expect(await sent()).toBe(before + 1);
    // The address itself is not stored.
    const rows = await sql('select * from shared.declined_invitations');
    expect(JSON.stringify([...rows])).not.toContain(email);

    const later = await startApp({ databaseUrl: t.databaseUrl });
    later.advance(31 * DAY);
    const { cookie } = await later.api.post('/auth/login', {
      body: { email: org.owner.email, password: PASSWORD },
    });
    must(await later.api.post('/members/invite', { cookie, org: org.slug, body: { email, role: 'viewer' } }));
    await purgeExpired(later.services.database.db, later.services.clock());
    expect(await sql('select 1 from shared.declined_invitations where org_id = $1', [org.id])).toHaveLength(
      0,
    );
  });

  it('removes an attacker who had registered the address', async () => {
    const { email, cookie } = await createUser(t.api);
    must(await invite(email, 'admin'));
    expect((await projects(cookie)).status).toBe(200);
    must(await decline(await declineToken(email)));
    expect(outcome(await projects(cookie))).toEqual(NOT_MEMBER);
    const told = await t.delivered(org.owner.email);
    expect(told.text).toContain('Reason: the invitation was declined');
  });

  it('works until the person has accepted', async () => {
    const user = await createUser(t.api);
    await verify(t, user.email);
    must(await invite(user.email));
    const token = await declineToken(user.email);
    must(await projects(user.cookie));
    expect(outcome(await decline(token))).toEqual(CONFLICT);
    expect((await projects(user.cookie)).status).toBe(200);
  });

  it('works once of several requests at once, with each of the mails, and not after the removal', async () => {
    const email = newAddress();
    const { user_id } = must(await invite(email));
    const first = await declineToken(email);
    must(await t.api.post(`/members/${user_id}/resend-invitation`, org.asOwner));
    const second = await declineToken(email);
    const answers = await Promise.all([decline(first), decline(second), decline(first)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);

    const removed = newAddress();
    const member = must(await invite(removed));
    const token = await declineToken(removed);
    must(await t.api.delete(`/members/${member.user_id}`, org.asOwner));
    expect(outcome(await decline(token))).toEqual(INVALID);
    expect(outcome(await decline('0'.repeat(64)))).toEqual(INVALID);
  });

  it('revokes the tokens that the person has created, if the organization wants it', async () => {
    must(
      await t.api.patch('/settings/security', { ...org.asOwner, body: { tokens_on_role_loss: 'revoke' } }),
    );
    const user = await createUser(t.api);
    must(await invite(user.email));
    const link = await declineToken(user.email);
    const { token } = must(
      await t.api.post(`/projects/${org.projectId}/tokens`, {
        cookie: user.cookie,
        org: org.slug,
        body: { name: 'ci' },
      }),
    );
    // Nobody has used the organization as far as the invitation knows.
    await sql('update shared.memberships set confirmed_at = null where user_id = $1 and org_id = $2', [
      user.id,
      org.id,
    ]);
    must(await decline(link));
    const use = await t.api.get(`/agent/findings?project_id=${org.projectId}`, { token, org: org.slug });
    expect(outcome(use)).toEqual([401, 'token_error/invalid']);
  });

  it('leaves the organization an owner who can sign in', async () => {
    const user = await createUser(t.api);
    must(await invite(user.email, 'owner'));
    const token = await declineToken(user.email);
    must(await t.api.post('/members/leave', org.asOwner));
    expect(outcome(await decline(token))).toEqual(CONFLICT);
  });
});

describe('registering an address that was merely invited', () => {
  it('works, and gives no access to the organization, also when the address is verified', async () => {
    const email = newAddress();
    const { user_id } = must(await invite(email, 'admin'));
    const registered = await register(email);
    expect([registered.status, registered.result.user]).toEqual([
      201,
      { id: user_id, email, name: 'Mallory', avatar_url: '', created_at: expect.any(String) },
    ]);
    const { cookie } = registered;
    expect(outcome(await projects(cookie))).toEqual(NOT_MEMBER);
    const { orgs } = must(await t.api.get('/auth/me', { cookie }));
    expect(orgs.map(({ slug }: { slug: string }) => slug)).not.toContain(org.slug);
    const listed = must(await t.api.get('/members', org.asOwner));
    expect(listed).toContainEqual(expect.objectContaining({ email, pending: true, verified: false }));
    expect(JSON.stringify(listed)).not.toContain('Mallory');

    await verify(t, email);
    expect(outcome(await projects(cookie))).toEqual(NOT_MEMBER);
    // The owner of the mailbox has lost the invitation.
    must(await t.api.post('/auth/forgot-password', { body: { email } }));
    await resetBy(t, email);
    const { cookie: own } = await t.api.post('/auth/login', { body: { email, password: PASSWORD } });
    expect((await projects(own)).status).toBe(200);
  });

  it('lets nobody return by another address after the owner of the mailbox has used the invitation', async () => {
    const email = newAddress();
    must(await invite(email, 'admin'));
    const token = new URL((await t.delivered(email)).link ?? '').searchParams.get('token');
    const { cookie } = await register(email);
    const evil = newAddress();
    must(await t.api.post('/profile/emails', { cookie, body: { email: evil } }));
    await verify(t, evil);
    must(await t.api.post('/auth/reset-password', { body: { token, password: 'Another2battery' } }));
    await t.api.post('/auth/forgot-password', { body: { email: evil } });
    await t.services.mail.deliverDue();
    expect(t.mails.filter(({ recipient }) => recipient === evil).at(-1)?.link).not.toMatch(/reset-password/);
    expect(outcome(await projects(cookie))).toEqual([401, 'auth_error/session_revoked']);
  });

  it('leaves the link of the invitation to the owner of the mailbox, who gets the account', async () => {
    const email = newAddress();
    must(await invite(email));
    const token = new URL((await t.delivered(email)).link ?? '').searchParams.get('token');
    const { cookie } = await register(email);
    must(await t.api.post('/auth/reset-password', { body: { token, password: 'Another2battery' } }));
    expect((await t.api.get('/auth/me', { cookie })).status).toBe(401);
    const owner = await t.api.post('/auth/login', { body: { email, password: 'Another2battery' } });
    expect((await projects(owner.cookie)).status).toBe(200);
  });

  it('works once, and not for an account that somebody uses', async () => {
    const email = newAddress();
    must(await invite(email));
    const answers = await Promise.all([register(email), register(email), register(email)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect((await register(email)).status).toBe(409);
    expect(await sql('select 1 from shared.user_emails where email = $1', [email])).toHaveLength(1);
  });

  it('is refused while the account is disabled', async () => {
    const email = newAddress();
    const { user_id } = must(await invite(email));
    await sql('update shared.users set disabled_at = now() where id = $1', [user_id]);
    expect((await register(email)).status).toBe(409);
  });
});
