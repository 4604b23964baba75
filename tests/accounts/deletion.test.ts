import { describe, expect, it } from 'vitest';
import { createUser, must, PASSWORD } from '../support/api/api.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import {
  eraseFully,
  erasures,
  finding,
  handOver,
  heir,
  IDS_OF_HISTORY,
  in_,
  leaveTraces,
  NAME,
  org,
  placesOf,
  prepareAccount,
  remove,
  sql,
  t,
  zaphod,
} from './deletion-kit.ts';

/* DELETE /auth/me, and what erases deleted accounts. */

prepareAccount();

describe('an account', () => {
  it('is erased from all tables and queues, and decisions stay', async () => {
    const { personal, agent } = await leaveTraces();
    expect(await placesOf(NAME)).toContain('finding_events.note');
    expect((await remove()).status).toBe(204);

    // At once, however busy the machine is.
    expect(await placesOf(NAME)).not.toContain('users.name');
    expect(await placesOf(zaphod.email)).toContain('account_erasures.emails');
    await eraseFully();
    expect(await placesOf(NAME)).toEqual([]);
    expect(await placesOf(zaphod.email)).toEqual([]);
    expect((await placesOf(zaphod.id)).filter((place) => !IDS_OF_HISTORY.includes(place))).toEqual([]);

    for (const path of ['/auth/me', '/profile/sessions'])
      expect((await t.api.get(path, { cookie: zaphod.cookie })).status, path).toBe(401);
    expect((await t.api.get('/auth/me', { token: personal })).error).toBe('token_error/invalid');
    const login = { body: { email: zaphod.email, password: PASSWORD } };
    expect((await t.api.post('/auth/login', login)).error).toBe('auth_error/invalid_credentials');
    // It belongs to the organization.
    const findings = `/agent/findings?project_id=${org.projectId}`;
    expect((await t.api.get(findings, { token: agent, org: org.slug })).status).toBe(200);

    const shown = must(await t.api.get(`/findings/${finding}`, org.asOwner));
    expect(shown).toMatchObject({ status: 'confirmed' });
    expect(shown.assignee_id).toBeUndefined();
    const activity: { kind: string; actor: object; note?: string; mentions?: object[] }[] = must(
      await t.api.get(`/findings/${finding}/activity`, org.asOwner),
    );
    expect(activity.filter(({ kind }) => kind === 'comment')).toMatchObject([
      {
        note: `@Deleted user and @[Ada](${org.owner.id}), \`@Deleted user\``,
        mentions: [{ id: org.owner.id }],
      },
      { note: 'By me', actor: { type: 'user', id: zaphod.id } },
    ]);
    for (const { actor } of activity) expect(Object.values(actor)).not.toContain(NAME);
    expect(
      must(await t.api.get('/members', org.asOwner)).map(({ name }: { name: string }) => name),
    ).not.toContain(NAME);
    expect(must(await t.api.get('/views', org.asOwner))).toMatchObject([{ shared: true }]);
    const { rules } = must(await t.api.get('/rules', org.asOwner));
    expect(rules[0]).toMatchObject({ name: 'Rule', enabled: false, actions: {} });
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('gets a last mail, and its address is free for an account that sees nothing of it', async () => {
    await leaveTraces();
    const answer = await remove();
    expect(answer.headers.get('set-cookie')).toMatch(/^svc_token=;.*Max-Age=0/);
    expect(await t.delivered(zaphod.email)).toMatchObject({ subject: 'Your account was deleted' });

    const again = must(
      await t.api.post('/auth/register', {
        body: { email: zaphod.email, password: PASSWORD, name: 'Zaphod II' },
      }),
    ).user;
    const { cookie } = await t.api.post('/auth/login', { body: { email: zaphod.email, password: PASSWORD } });
    await eraseFully();
    expect(again.id).not.toBe(zaphod.id);
    expect(must(await t.api.get('/orgs', { cookie }))).toHaveLength(1);
    expect((await t.api.get('/findings', { cookie, org: org.slug })).error).toBe('tenant_error/not_member');
    expect(must(await t.api.get('/profile/tokens', { cookie })).tokens).toEqual([]);
    expect(must(await t.api.get('/profile/mfa/devices', { cookie }))).toMatchObject({ devices: [] });
    // The second pass leaves what the new account has.
    expect(must(await t.api.get('/profile/emails', { cookie })).emails).toHaveLength(1);
    expect(await t.delivered(zaphod.email)).toMatchObject({ subject: /Verify/ });
  });

  it('is not deleted without a `confirm` that is its primary address', async () => {
    const { cookie } = zaphod;
    must(await t.api.post('/profile/emails', { cookie, body: { email: 'second@example.com' } }));
    const bodies: [object, string][] = [
      [{ body: {} }, 'validation_error/field_required'],
      [{}, 'validation_error/invalid_body'],
      [{ body: { confirm: 'other@example.com' } }, 'validation_error/field_invalid'],
      [{ body: { confirm: 'second@example.com' } }, 'validation_error/field_invalid'],
      [{ body: { confirm: 1 } }, 'validation_error/field_invalid'],
    ];
    for (const [body, error] of bodies) {
      expect((await t.api.delete('/auth/me', { cookie, ...body })).error, JSON.stringify(body)).toBe(error);
      expect((await t.api.get('/auth/me', { cookie })).status).toBe(200);
      expect(await erasures()).toBe(0);
    }
  });

  it('takes the primary address in other letters', async () => {
    expect((await remove(zaphod, { confirm: ` ${zaphod.email.toUpperCase()} ` })).status).toBe(204);
  });

  it('stays while an organization would be without an owner who can sign in', async () => {
    const [own] = must(await t.api.get('/orgs', { cookie: zaphod.cookie })).filter(
      ({ role }: { role: string }) => role === 'owner',
    );
    await sql(`update shared.users set disabled_at = now() where id = '${heir.id}'`);
    const refused = await remove();
    expect([refused.status, refused.error]).toEqual([409, 'resource_error/conflict']);
    expect(refused.json.errors[0].details).toEqual([{ field: 'orgs', message: own.slug }]);
    await sql(`update shared.users set disabled_at = null where id = '${heir.id}'`);
    expect((await remove()).status).toBe(204);
  });

  it('may go as the only owner of an organization that is deleted', async () => {
    const ford = await createUser(t.api, 'Ford Prefect');
    const [{ slug }] = must(await t.api.get('/orgs', { cookie: ford.cookie }));
    expect((await remove(ford)).error).toBe('resource_error/conflict');
    must(await t.api.delete(`/orgs/${slug}`, { cookie: ford.cookie, body: { confirm: slug } }));
    expect((await remove(ford)).status).toBe(204);
    expect(
      await sql(
        `select from shared.org_deletions d join shared.orgs o on o.id = d.org_id where slug = '${slug}'`,
      ),
    ).toHaveLength(1);
  });

  it('that has not verified its address erases nothing that others get at that address', async () => {
    await t.services.mail.enqueue(t.services.database.db, zaphod.email, {
      subject: 'To the owner of the mailbox',
      html: '',
      text: '',
    });
    expect((await remove()).status).toBe(204);
    await t.services.mail.deliverDue();
    expect(
      t.mails.filter(({ recipient }) => recipient === zaphod.email).map(({ subject }) => subject),
    ).toContain('To the owner of the mailbox');
  });
});

describe('at the same instant', () => {
  it('one of several deletions succeeds, and the others find no session', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove()));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([204, 401, 401, 401, 401]);
  });

  it('two owners cannot both go', async () => {
    const other = await createUser(t.api);
    await handOver(other);
    const { slug, id } = must(
      await t.api.post('/orgs', {
        cookie: zaphod.cookie,
        body: { name: 'Both', slug: `both-${other.id.slice(-8)}` },
      }),
    );
    must(
      await t.api.post('/members/invite', {
        ...{ cookie: zaphod.cookie, org: slug },
        body: { email: other.email, role: 'owner' },
      }),
    );
    const answers = await Promise.all([remove(zaphod), remove(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(await sql(`select 1 from shared.memberships where org_id = '${id}'`)).toHaveLength(1);
  });

  it('sign-ins, invitations and new organizations do not outlive it', async () => {
    const { email, cookie } = zaphod;
    const slug = `late-${zaphod.id.slice(-8)}`;
    const [removed, ...others] = await Promise.all([
      remove(),
      t.api.post('/auth/login', { body: { email, password: PASSWORD } }),
      t.api.post('/orgs', { cookie, body: { name: 'Late', slug } }),
      t.api.post('/profile/tokens', { cookie, body: { name: 'late', scopes: ['read'], expires_in: 1 } }),
      t.api.patch(`/findings/${finding}`, { ...org.asOwner, body: { assignee_id: zaphod.id } }),
    ]);
    // Creating the organization may come first: then it needs another owner.
    expect([204, 409]).toContain(removed.status);
    for (const { status, text } of others) expect(status, text).toBeLessThan(500);
    if (removed.status === 409) return;
    await eraseFully();
    expect((await placesOf(zaphod.id)).filter((place) => !IDS_OF_HISTORY.includes(place))).toEqual([]);
  });
});

it('undoing a change does not assign a finding to a deleted account', async () => {
  const { id } = zaphod;
  const bulk = (assignee_id: string | null) =>
    t.api.patch('/findings', { ...org.asOwner, body: { ids: [finding], assignee_id } });
  must(await bulk(id));
  const { change } = must(await bulk(null));
  expect(must(await t.api.get('/changes', org.asOwner))).not.toEqual([]);
  await remove();
  await eraseFully();
  const { status } = await t.api.post(`/changes/${change}/undo`, org.asOwner);
  expect(status).toBeLessThan(500);
  expect(must(await t.api.get(`/findings/${finding}`, org.asOwner)).assignee_id).toBeUndefined();
  expect(await sql(`select 1 from ${in_(org)}.changes where fields::text like '%${id}%'`)).toEqual([]);
});
