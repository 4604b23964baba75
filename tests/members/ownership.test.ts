import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  addMember,
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
  type TestMember,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* With SVC_OWNER_ACCEPTANCE nobody becomes an owner without agreeing to it. */

const DAY = 24 * 60 * 60_000;

let t: TestApp;
let org: TestOrg;
let admin: TestMember;

beforeAll(async () => {
  t = await startApp({ env: { SVC_OWNER_ACCEPTANCE: 'on' } });
});

beforeEach(async () => {
  org = await createOrg(t.api);
  admin = await addMember(t.api, org, 'admin', 'Grace Hopper');
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const CONFLICT = [409, 'resource_error/conflict'];
const STEP_UP = [403, 'permission_error/step_up_required'];

const setRole = (role: string, who: { id: string } = admin, by: object = org.asOwner) =>
  t.api.patch(`/members/${who.id}`, { ...by, body: { role } });
const answer = (what: 'accept' | 'decline', who: object = admin.as) =>
  t.api.post(`/members/${what}-ownership`, who);
const stateOf = async ({ id }: { id: string } = admin) => {
  const list: { user_id: string; role: string; owner_offer_until?: string }[] = must(
    await t.api.get('/members', org.asOwner),
  );
  const { role, owner_offer_until: until } = list.find(({ user_id }) => user_id === id) ?? {};
  return until ? `${role}, offered` : role;
};
const mailsTo = async ({ email }: { email: string }) => {
  await t.services.mail.deliverDue();
  return t.mails.filter(({ recipient }) => recipient === email);
};
/** A request that only an owner may make. */
const deletes = (who: { cookie?: string | undefined }) =>
  t.api.delete(`/orgs/${org.slug}`, { cookie: who.cookie, body: { confirm: 'other' } });

describe('a promotion', () => {
  it('is an offer until the person accepts: no right of an owner before, one mail to each', async () => {
    expect(must(await setRole('owner'))).toMatchObject({
      role: 'admin',
      owner_offer_until: expect.stringMatching(/Z$/),
    });
    expect(outcome(await deletes(admin))).toEqual([403, 'permission_error/denied']);
    expect(outcome(await setRole('viewer', org.owner, admin.as))).toEqual([403, 'permission_error/denied']);
    const asked = (await mailsTo(admin)).at(-1);
    expect(asked).toMatchObject({
      subject: expect.stringContaining('Become an owner'),
      link: `http://localhost:8080/o/${org.slug}/members`,
    });
    expect((await mailsTo(org.owner)).at(-1)?.subject).toContain('asked to become an owner');

    must(await answer('accept'));
    expect(await stateOf()).toBe('owner');
    expect((await mailsTo(org.owner)).at(-1)?.text).toContain('Role: owner, was admin');
    expect(outcome(await deletes(admin))).toEqual([400, 'validation_error/field_invalid']);
  });

  it('of a viewer makes an admin first', async () => {
    const viewer = await addMember(t.api, org, 'viewer');
    must(await setRole('owner', viewer));
    expect(await stateOf(viewer)).toBe('admin, offered');
    expect((await mailsTo(org.owner)).at(-1)?.text).toContain('Role: admin, was viewer');
  });

  it('does not count as another owner', async () => {
    must(await setRole('owner'));
    expect(outcome(await t.api.post('/members/leave', org.asOwner))).toEqual(CONFLICT);
    must(await answer('accept'));
    must(await t.api.post('/members/leave', org.asOwner));
  });

  it('ends limits to projects, also of rules that assign the member, when the person accepts', async () => {
    const limited = { ...org.asOwner, body: { project_access: 'assigned' } };
    must(await t.api.patch(`/members/${admin.id}`, limited));
    const rule = { name: 'Grace', conditions: { title: ['new*'] }, actions: { assignee_id: admin.id } };
    must(await t.api.post('/rules', { ...org.asOwner, body: rule }));
    const scan = await createScan(t.api, org);
    const assignee = async () => {
      const { id } = await push(t.api, org, scan, { title: 'new finding' });
      return must(await t.api.get(`/findings/${id}`, org.asOwner)).assignee_id;
    };
    must(await setRole('owner'));
    expect(await assignee()).toBeUndefined();
    must(await answer('accept'));
    expect(await assignee()).toBe(admin.id);
    const [entry] = must(await t.api.get('/audit?action=member.owner_offer_accepted', org.asOwner));
    expect(entry.changes).toEqual({ project_access: { from: 'assigned', to: 'all' } });
  });

  it('in default mode takes effect at once, as before', async () => {
    const open = await startApp({ databaseUrl: t.databaseUrl });
    const changed = await open.api.patch(`/members/${admin.id}`, { ...org.asOwner, body: { role: 'owner' } });
    expect(must(changed)).toMatchObject({ role: 'owner' });
    expect(changed.result).not.toHaveProperty('owner_offer_until');
  });
});

describe('an offer ends', () => {
  beforeEach(async () => {
    must(await setRole('owner'));
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['when the person declines', () => answer('decline'), 'admin'],
    ['when an owner withdraws it', () => setRole('admin'), 'admin'],
    ['with another role', () => setRole('viewer'), 'viewer'],
    ['with another role from an older server', () => set("role = 'member'"), 'member'],
    ['after 7 days', () => set("owner_offer_until = now() - interval '1 second'"), 'admin'],
    ['when its author is no longer an owner', () => demoteAuthor(), 'admin'],
    ['also if the author becomes an owner again', () => becomeOwnerAgain(), 'admin'],
  ])('%s', async (_, end, role) => {
    await end();
    expect(await stateOf()).toBe(role);
    expect((await answer('accept')).status).toBeGreaterThanOrEqual(400);
    expect(await stateOf()).toBe(role);
  });

  const set = (what: string) => sql(`update shared.memberships set ${what} where user_id = $1`, [admin.id]);
  const demoteAuthor = () =>
    sql("update shared.memberships set role = 'admin' where user_id = $1", [org.owner.id]);
  const becomeOwnerAgain = async () => {
    const other = await addMember(t.api, org, 'admin');
    await sql("update shared.memberships set role = 'owner' where user_id = $1", [other.id]);
    must(await setRole('admin', org.owner, other.as));
    await sql("update shared.memberships set role = 'owner' where user_id = $1", [org.owner.id]);
  };

  it('and all owners hear that it was declined or withdrawn', async () => {
    must(await answer('decline'));
    must(await setRole('owner'));
    must(await setRole('admin'));
    const subjects = (await mailsTo(org.owner)).map(({ subject }) => subject);
    expect(subjects.slice(-3)).toEqual([
      expect.stringContaining('declined to become an owner'),
      expect.stringContaining('was asked to become an owner'),
      expect.stringContaining('is no longer asked'),
    ]);
  });
});

describe('accepting', () => {
  it('several times at once makes one change and one mail', async () => {
    must(await setRole('owner'));
    const before = (await mailsTo(org.owner)).length;
    const answers = await Promise.all([answer('accept'), answer('accept'), answer('accept')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await mailsTo(org.owner)).length).toBe(before + 1);
  });

  it('while the offer is withdrawn ends with one of both', async () => {
    must(await setRole('owner'));
    const [accepted, withdrawn] = await Promise.all([answer('accept'), setRole('admin')]);
    if (accepted.status === 409) expect(await stateOf()).toBe('admin');
    // The withdrawal came later, and demoted an owner, or was refused.
    else expect([200, 409]).toContain(withdrawn.status);
    expect(await stateOf()).not.toContain('offered');
  });

  it('is for the person only, without a token, and not for others', async () => {
    must(await setRole('owner'));
    const other = await addMember(t.api, org, 'admin');
    expect(outcome(await answer('accept', other.as))).toEqual(CONFLICT);
    expect(outcome(await answer('accept', org.asOwner))).toEqual(CONFLICT);
    const stranger = await createUser(t.api);
    expect((await answer('accept', { cookie: stranger.cookie, org: org.slug })).status).toBe(403);
    expect(await stateOf()).toBe('admin, offered');
  });
});

describe('an invitation as owner', () => {
  it('makes an admin, whom the mail asks to become an owner', async () => {
    const email = `guest-${org.slug}@example.com`;
    const invited = must(
      await t.api.post('/members/invite', { ...org.asOwner, body: { email, role: 'owner' } }),
    );
    expect(invited).toMatchObject({ role: 'admin', owner_offer_until: expect.any(String) });
    const mail = await t.delivered(email);
    expect(mail.text).toContain('Role: admin, and owner once you accept it');
    const token = new URL(mail.link ?? '').searchParams.get('token');
    must(await t.api.post('/auth/reset-password', { body: { token, password: PASSWORD } }));
    const { cookie } = await t.api.post('/auth/login', { body: { email, password: PASSWORD } });
    must(await answer('accept', { cookie, org: org.slug }));
    expect(await stateOf({ id: invited.user_id })).toBe('owner');
  });

  it('is an offer in strict mode, and needs a fresh sign-in to accept', async () => {
    const late = await startApp({ env: { SVC_OWNER_ACCEPTANCE: 'on' }, databaseUrl: t.databaseUrl });
    must(await setRole('owner'));
    late.advance(11 * 60_000);
    expect(outcome(await late.api.post('/members/accept-ownership', admin.as))).toEqual(STEP_UP);
    must(await late.api.post('/auth/step-up', { cookie: admin.cookie, body: { password: PASSWORD } }));
    must(await late.api.post('/members/accept-ownership', admin.as));
  });

  it('expires with time', async () => {
    const late = await startApp({ env: { SVC_OWNER_ACCEPTANCE: 'on' }, databaseUrl: t.databaseUrl });
    must(await setRole('owner'));
    late.advance(8 * DAY);
    const { cookie } = await late.api.post('/auth/login', {
      body: { email: admin.email, password: PASSWORD },
    });
    expect(outcome(await late.api.post('/members/accept-ownership', { cookie, org: org.slug }))).toEqual(
      CONFLICT,
    );
  });
});
