import { beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../db/schema/orgs.ts';
import type { LogFields, Logger } from '../../lib/logger.ts';
import { type Answer, addMember, createOrg, createUser, must, type TestOrg } from '../support/api/api.ts';
import { linkTo, resetBy, verify } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/*
 * A membership after the invitation: leaving, another role, and the invitation once more. An organization
 * keeps an owner who can act, whatever happens at the same time.
 */

/** Lines of the security log. */
const events: LogFields[] = [];
const log: Logger = {
  ...silentLog,
  info: (message, fields) => void (message === 'security event' && events.push(fields ?? {})),
};
let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp({ log });
  org = await createOrg(t.api);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const newAddress = () => `guest-${crypto.randomUUID().slice(0, 8)}@example.com`;

const invite = (email: string, role: Role, who: object = org.asOwner, app = t) =>
  app.api.post('/members/invite', { ...who, body: { email, role } });
const leave = (who: object) => t.api.post('/members/leave', who);
const remove = (userId: string, who: object) => t.api.delete(`/members/${userId}`, who);
const setRole = (userId: string, role: unknown, who: object = org.asOwner) =>
  t.api.patch(`/members/${userId}`, { ...who, body: { role } });
const resend = (userId: string, who: object = org.asOwner, app = t) =>
  app.api.post(`/members/${userId}/resend-invitation`, who);

const member = (role: Role, at = org) => addMember(t.api, at, role);

const rolesIn = async ({ asOwner }: Pick<TestOrg, 'asOwner'>) =>
  Object.fromEntries(
    must(await t.api.get('/members', asOwner)).map(({ user_id, role }: Record<string, string>) => [
      user_id,
      role,
    ]),
  );
const ownersOf = async ({ id }: TestOrg) =>
  (await sql("select user_id from shared.memberships where org_id = $1 and role = 'owner'", [id])).map(
    ({ user_id }) => user_id,
  );
/** Events of the security log, without what is the same in all. */
const logged = (event: string) =>
  events
    .filter((line) => line.event === event)
    .map(({ member, role, from, to, user, org }) => ({ member, role, from, to, user, org }));

const DENIED = [403, 'permission_error/denied'];
const NOT_FOUND = [404, 'resource_error/not_found'];
const NOT_MEMBER = [403, 'tenant_error/not_member'];
const CONFLICT = [409, 'resource_error/conflict'];
const LIMITED = [429, 'rate_limit_error/exceeded'];

describe('leaving an organization', () => {
  it.each(['viewer', 'member', 'admin'] as const)('is up to each %s', async (role) => {
    const { id, as, cookie } = await member(role);
    const answer = await leave(as);
    expect([answer.status, answer.json?.message]).toEqual([200, 'You left the organization.']);
    expect(outcome(await t.api.get('/projects', as))).toEqual(NOT_MEMBER);
    expect(must(await t.api.get('/orgs', { cookie }))).not.toContainEqual(
      expect.objectContaining({ slug: org.slug }),
    );
    expect(outcome(await t.api.get(`/orgs/${org.slug}`, { cookie }))).toEqual(NOT_FOUND);
    expect(await rolesIn(org)).not.toHaveProperty(id);
    expect(logged('member_left')).toContainEqual(expect.objectContaining({ member: id, role, user: id }));
  });

  it('changes nothing elsewhere, and they can be invited again', async () => {
    const other = await createOrg(t.api);
    const { email, as, cookie } = await member('member');
    must(await invite(email, 'viewer', other.asOwner));
    must(await leave(as));
    expect((await t.api.get('/projects', { cookie, org: other.slug })).status).toBe(200);
    must(await invite(email, 'viewer'));
    expect((await t.api.get('/projects', as)).status).toBe(200);
  });

  it('is refused to the last owner, even with other members', async () => {
    const at = await createOrg(t.api);
    await member('admin', at);
    expect(outcome(await leave(at.asOwner))).toEqual(CONFLICT);
    expect((await t.api.get('/projects', at.asOwner)).status).toBe(200);
    const { id } = await member('owner', at);
    expect((await leave(at.asOwner)).status).toBe(200);
    expect(await ownersOf(at)).toEqual([id]);
  });

  it.each([
    [
      'has set no password yet',
      async (at: TestOrg) => void must(await invite(newAddress(), 'owner', at.asOwner)),
    ],
    [
      'an operator has disabled',
      async (at: TestOrg) => {
        const { id } = await member('owner', at);
        await sql('update shared.users set disabled_at = now() where id = $1', [id]);
      },
    ],
  ])('is refused to an owner who leaves but one behind whose account %s', async (_, addOwner) => {
    const at = await createOrg(t.api);
    await addOwner(at);
    expect(await ownersOf(at)).toHaveLength(2);
    expect(outcome(await leave(at.asOwner))).toEqual(CONFLICT);
  });

  it('twice at once is done once', async () => {
    const { as } = await member('viewer');
    const answers = await Promise.all([leave(as), leave(as), leave(as)]);
    expect(answers.map(outcome).sort()).toEqual([[200, undefined], NOT_MEMBER, NOT_MEMBER]);
  });
});

describe('the role of a member', () => {
  it.each(['owner', 'admin', 'member', 'viewer'] as const)('is made %s by an owner', async (role) => {
    const { id, email, as } = await member('member');
    const answer = await setRole(id, role);
    expect(answer.status).toBe(200);
    expect(answer.result).toMatchObject({ user_id: id, email, role, verified: false, pending: false });
    expect(must(await t.api.get('/members', as))).toContainEqual(expect.objectContaining(answer.result));
    const { orgs } = must(await t.api.get('/auth/me', { cookie: as.cookie }));
    expect(orgs).toContainEqual(expect.objectContaining({ slug: org.slug, role }));
  });

  it('counts from the next request on', async () => {
    const { id, as } = await member('viewer');
    const create = () => t.api.post('/projects', { ...as, body: { name: 'Shop' } });
    expect(outcome(await create())).toEqual(DENIED);
    must(await setRole(id, 'member'));
    expect((await create()).status).toBe(201);
    must(await setRole(id, 'viewer'));
    expect(outcome(await create())).toEqual(DENIED);
  });

  it('is noted in the security log, when it changes', async () => {
    const { id } = await member('viewer');
    must(await setRole(id, 'admin'));
    must(await setRole(id, 'admin'));
    expect(logged('role_changed').filter((event) => event.member === id)).toEqual([
      { member: id, from: 'viewer', to: 'admin', user: org.owner.id, org: org.slug },
    ]);
  });

  it('is changed by an admin, but not where an owner is concerned', async () => {
    const { as: admin, id: own } = await member('admin');
    const { id } = await member('viewer');
    for (const role of ['member', 'admin', 'viewer'])
      expect((await setRole(id, role, admin)).status).toBe(200);
    expect(outcome(await setRole(id, 'owner', admin))).toEqual(DENIED);
    expect(outcome(await setRole(own, 'owner', admin))).toEqual(DENIED);
    for (const role of ['owner', 'admin', 'viewer'])
      expect(outcome(await setRole(org.owner.id, role, admin))).toEqual(DENIED);
    expect(await rolesIn(org)).toMatchObject({ [org.owner.id]: 'owner', [own]: 'admin', [id]: 'viewer' });
  });

  it('stays owner for the last one', async () => {
    const at = await createOrg(t.api);
    for (const role of ['admin', 'member', 'viewer'])
      expect(outcome(await setRole(at.owner.id, role, at.asOwner))).toEqual(CONFLICT);
    expect((await setRole(at.owner.id, 'owner', at.asOwner)).status).toBe(200);
    const { id, as } = await member('owner', at);
    expect((await setRole(at.owner.id, 'viewer', as)).status).toBe(200);
    expect(outcome(await setRole(id, 'admin', as))).toEqual(CONFLICT);
    expect(await ownersOf(at)).toEqual([id]);
  });
});

describe('an organization keeps an owner', () => {
  /** All that could take one away, for each of some owners. */
  const WAYS = ['leave', 'demote', 'remove'] as const;

  it.each([
    ['both leave', 'leave', 'leave'],
    ['both give up the role', 'demote', 'demote'],
    ['each removes the other', 'remove', 'remove'],
    ['one leaves while the other gives up the role', 'leave', 'demote'],
    ['one leaves while the other removes them', 'leave', 'remove'],
    ['one gives up the role while the other removes them', 'demote', 'remove'],
  ] as const)('when %s at once', async (_, first, second) => {
    for (let round = 0; round < 4; round++) {
      const at = await createOrg(t.api);
      const one = { id: at.owner.id, as: at.asOwner };
      const two = await member('owner', at);
      const act = (way: (typeof WAYS)[number], self: { id: string; as: object }, other: { id: string }) =>
        way === 'leave'
          ? leave(self.as)
          : way === 'demote'
            ? setRole(self.id, 'viewer', self.as)
            : remove(other.id, self.as);
      const answers = await Promise.all([act(first, one, two), act(second, two, one)]);
      for (const { status } of answers) expect([200, 204, 403, 404, 409]).toContain(status);
      expect((await ownersOf(at)).length, JSON.stringify(answers.map(outcome))).toBeGreaterThanOrEqual(1);
    }
  });

  it('when five leave, give up the role and remove each other at once', async () => {
    for (let round = 0; round < 3; round++) {
      const at = await createOrg(t.api);
      const owners: { id: string; as: object }[] = [{ id: at.owner.id, as: at.asOwner }];
      for (let i = 0; i < 4; i++) owners.push(await member('owner', at));
      await Promise.all(
        owners.flatMap(({ id, as }, i) => [
          leave(as),
          setRole(id, 'member', as),
          remove(owners[(i + 1) % owners.length]?.id ?? '', as),
          setRole(owners[(i + 2) % owners.length]?.id ?? '', 'admin', as),
        ]),
      );
      expect((await ownersOf(at)).length).toBeGreaterThanOrEqual(1);
    }
  });
});

describe('an invitation once more', () => {
  it('is mailed to a placeholder, and either link works', async () => {
    const email = newAddress();
    const { user_id } = must(await invite(email, 'admin'));
    const first = await linkTo(t, email);
    const answer = await resend(user_id);
    expect([answer.status, answer.json?.message]).toEqual([200, 'The invitation is on its way.']);
    const mail = await t.delivered(email);
    expect(mail.text).toContain('Role: admin');
    expect((await linkTo(t, email)).token).not.toBe(first.token);
    await resetBy(t, email);
    expect(must(await t.api.get('/members', org.asOwner))).toContainEqual(
      expect.objectContaining({ user_id, verified: true }),
    );
  });

  it('is mailed to an account that has not verified the address, also by an admin', async () => {
    const { id, email } = await member('viewer');
    const { as } = await member('admin');
    const before = t.mails.length;
    must(await resend(id, as));
    expect((await t.delivered(email)).subject).toContain(' invited you to ');
    expect(t.mails.length).toBeGreaterThan(before);
  });

  it('is mailed to a member of before invitations were kept, while the address is not verified', async () => {
    const { id, email } = await member('viewer');
    await sql('update shared.memberships set invited_email = null where user_id = $1', [id]);
    must(await resend(id));
    expect((await t.delivered(email)).subject).toContain(' invited you to ');
  });

  it('is refused once the address is verified, to the creator, and when the account gave the address up', async () => {
    const verified = await createUser(t.api);
    await verify(t, verified.email);
    must(await invite(verified.email, 'viewer'));
    expect(outcome(await resend(verified.id))).toEqual(CONFLICT);
    expect(outcome(await resend(org.owner.id))).toEqual(CONFLICT);

    const moved = await member('viewer');
    const body = { email: newAddress() };
    const { id } = must(await t.api.post('/profile/emails', { cookie: moved.cookie, body }));
    await verify(t, body.email);
    must(await t.api.post(`/profile/emails/${id}/set-primary`, { cookie: moved.cookie }));
    await t.services.mail.deliverDue();
    const before = t.mails.length;
    expect(outcome(await resend(moved.id))).toEqual(CONFLICT);
    await t.services.mail.deliverDue();
    expect(t.mails).toHaveLength(before);
  });

  it('is refused for a disabled account', async () => {
    const { id } = await member('viewer');
    await t.services.mail.deliverDue();
    await sql('update shared.users set disabled_at = now() where id = $1', [id]);
    const before = t.mails.length;
    expect(outcome(await resend(id))).toEqual(CONFLICT);
    await t.services.mail.deliverDue();
    expect(t.mails).toHaveLength(before);
  });

  it('counts against the limits of mails to the address', async () => {
    const limited = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_AUTH_LIMITS: 'on' } });
    const email = newAddress();
    const { user_id } = must(await invite(email, 'viewer', org.asOwner, limited));
    const answers: Answer[] = [];
    for (let i = 0; i < 5; i++) answers.push(await resend(user_id, org.asOwner, limited));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    expect(outcome(answers[4] as Answer)).toEqual(LIMITED);
    expect(Number(answers[4]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('the security log', () => {
  it('tells of invitations and removals', async () => {
    const { id, email } = await member('viewer');
    must(await remove(id, org.asOwner));
    const by = { user: org.owner.id, org: org.slug };
    expect(logged('member_invited')).toContainEqual(
      expect.objectContaining({ member: id, role: 'viewer', ...by }),
    );
    expect(logged('member_removed')).toContainEqual(
      expect.objectContaining({ member: id, role: 'viewer', ...by }),
    );
    const lines = events.filter((line) => line.member === id);
    expect(JSON.stringify(lines)).not.toContain(email);
  });
});
