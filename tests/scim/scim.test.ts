import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Logger } from '../../lib/logger.ts';
import {
  addMember,
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import {
  connectProvider,
  createProvider,
  domainFor,
  newToken,
  PATCH,
  type Provider,
  prove,
} from '../support/scim/provider.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

let t: TestApp;
let org: TestOrg;
let provider: Provider;

const brokenOff: string[] = [];
const log: Logger = {
  ...silentLog,
  info: (message) => {
    if (message.endsWith('lost access')) brokenOff.push(message);
  },
};

beforeAll(async () => {
  t = await startApp({ log });
});

beforeEach(async () => {
  org = await createOrg(t.api);
  provider = await connectProvider(t, org);
});

const address = (of = org) => `p-${crypto.randomUUID()}@${domainFor(of)}`;
const add = async (fields: object = {}, by = provider) => {
  const answer = await by.call('POST', '/Users', { userName: address(), ...fields });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};
const patch = (path: string, Operations: unknown, by = provider) =>
  by.call('PATCH', path, { schemas: [PATCH], Operations });
const setActive = (id: string, value: unknown, by = provider) =>
  patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value }], by);
const members = async (of = org) =>
  must(await t.api.get('/members', of.asOwner)) as Record<string, unknown>[];
const memberOf = async (id: string) => (await members()).find(({ user_id }) => user_id === id);
const audit = async (query = '') =>
  must(await t.api.get(`/audit?${query}`, org.asOwner)) as { action: string; [name: string]: unknown }[];
const connect = async (body: object) =>
  must(
    await t.api.post('/settings/connections', {
      ...org.asOwner,
      body: { name: 'Login', issuer: 'https://login.example', client_id: 'x', ...body },
    }),
  ).id as string;
const addGroup = async (displayName: string, ids: string[]) => {
  const answer = await provider.call('POST', '/Groups', {
    displayName,
    members: ids.map((value) => ({ value })),
  });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id as string;
};

describe('the token', () => {
  it('is shown once, replaced at once, and removed', async () => {
    const before = must(await t.api.get('/settings/scim', org.asOwner));
    expect(before).toMatchObject({
      base_url: expect.stringMatching(/\/scim\/v2$/),
      token: { prefix: expect.stringMatching(/^scim_[0-9a-f]{8}$/), created_by: org.owner.id },
    });
    expect(before.token).not.toHaveProperty('last_used');
    expect((await provider.call('GET', '/Users')).status).toBe(200);
    expect(must(await t.api.get('/settings/scim', org.asOwner)).token.last_used).toBeDefined();
    const next = createProvider(t, await newToken(t, org));
    expect((await provider.call('GET', '/Users')).status).toBe(401);
    expect((await next.call('GET', '/Users')).status).toBe(200);
    expect((await t.api.delete('/settings/scim/token', org.asOwner)).status).toBe(204);
    expect((await next.call('GET', '/Users')).status).toBe(401);
    expect(must(await t.api.get('/settings/scim', org.asOwner))).not.toHaveProperty('token');
    expect((await audit('action=scim_token.created')).length).toBe(2);
    expect((await audit('action=scim_token.removed')).length).toBe(1);
  });

  it('is required everywhere, and opens nothing else', async () => {
    const token = await newToken(t, org);
    for (const wrong of [undefined, 'scim_', `scim_${'0'.repeat(32)}`, org.token, 'x'])
      for (const path of ['/Users', '/Groups', '/Schemas', '/nothing', '/Users/x']) {
        const answer = await createProvider(t, wrong).call('GET', path);
        expect([answer.status, answer.body.status]).toEqual([401, '401']);
        expect(answer.headers.get('content-type')).toBe('application/scim+json');
      }
    for (const path of ['/findings', '/members', '/settings/scim', '/agent/findings'])
      expect((await t.api.get(path, { token, org: org.slug })).status).toBe(401);
    const admin = await addMember(t.api, org, 'admin');
    expect((await t.api.post('/settings/scim/token', admin.as)).refusal).toBe('403 permission_error/denied');
    expect((await t.api.get('/settings/scim', admin.as)).refusal).toBe('403 permission_error/denied');
  });

  it('that is replaced meanwhile changes nothing', async () => {
    const userName = address();
    const late = new ReadableStream({
      // The body is read after the token is checked.
      async pull(controller) {
        await newToken(t, org);
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ userName })));
        controller.close();
      },
    });
    const answer = await provider.call('POST', '/Users', late);
    expect(answer.status).toBe(401);
    expect((await members()).map(({ email }) => email)).not.toContain(userName);
  });

  it('of a deleted organization is refused', async () => {
    must(await t.api.delete(`/orgs/${org.slug}`, { ...org.asOwner, body: { confirm: org.slug } }));
    expect((await provider.call('GET', '/Users')).status).toBe(403);
  });

  it('works from everywhere', async () => {
    await t.api.patch('/settings/security', {
      ...org.asOwner,
      body: { allowed_networks: ['203.0.113.0/24'] },
    });
    expect((await provider.call('GET', '/Users')).status).toBe(200);
  });
});

describe('other organizations', () => {
  it('are neither seen nor changed', async () => {
    const other = await createOrg(t.api);
    const stranger = await connectProvider(t, other);
    const user = await add();
    const group = await addGroup('team', [user.id]);
    for (const [method, path, body] of [
      ['GET', `/Users/${user.id}`],
      ['PUT', `/Users/${user.id}`, { userName: 'x' }],
      ['PATCH', `/Users/${user.id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] }],
      ['DELETE', `/Users/${user.id}`],
      ['GET', `/Groups/${group}`],
      ['PUT', `/Groups/${group}`, { displayName: 'x' }],
      ['PATCH', `/Groups/${group}`, { Operations: [{ op: 'replace', path: 'displayName', value: 'x' }] }],
      ['DELETE', `/Groups/${group}`],
    ] as const)
      expect([method, path, (await stranger.call(method, path, body)).status]).toEqual([method, path, 404]);
    const none = await stranger.call('POST', '/Groups', { displayName: 'g', members: [{ value: user.id }] });
    expect(none.body).toMatchObject({ members: [] });
    for (const filter of [`id eq "${user.id}"`, `userName eq "${user.userName}"`])
      expect((await stranger.find(filter)).body.totalResults).toBe(0);
    expect((await provider.call('GET', `/Users/${user.id}`)).body).toEqual(
      expect.objectContaining({ active: true, groups: [expect.objectContaining({ value: group })] }),
    );
  });

  it('keep the account, its name and its access', async () => {
    const person = await createUser(t.api, 'Grace Hopper');
    const other = await createOrg(t.api);
    must(
      await t.api.post('/members/invite', {
        ...other.asOwner,
        body: { email: person.email, role: 'member' },
      }),
    );
    const all = must(
      await t.api.post('/profile/tokens', { cookie: person.cookie, body: { name: 'all', expires_in: 9 } }),
    ).token;
    await prove(t, org, 'example.com');
    const user = await add({ userName: person.email, displayName: 'Somebody else' });
    expect(user.id).toBe(person.id);
    expect((await memberOf(user.id))?.name).toBe('Somebody else');
    await setActive(user.id, false);
    expect((await t.api.get('/projects', { cookie: person.cookie, org: other.slug })).status).toBe(200);
    expect((await t.api.get('/projects', { token: all, org: other.slug })).status).toBe(200);
    expect(must(await t.api.get('/auth/me', { cookie: person.cookie })).user.name).toBe('Grace Hopper');
    expect((await provider.call('DELETE', `/Users/${user.id}`)).status).toBe(204);
    expect((await members(other)).map(({ user_id }) => user_id)).toContain(person.id);
  });
});

describe('a new user', () => {
  it('is limited to assigned projects where a connection says so', async () => {
    await connect({ project_access: 'assigned' });
    const { id } = await add();
    expect((await memberOf(id))?.project_access).toBe('assigned');
    expect(await audit(`target=${id}`)).toMatchObject([
      { action: 'member.joined', changes: { role: { to: 'viewer' }, project_access: { to: 'assigned' } } },
    ]);
  });

  it('with an account that has not verified the address gets no access until it does', async () => {
    await prove(t, org, 'example.com');
    const squatter = await createUser(t.api);
    const user = await add({ userName: squatter.email });
    expect(user.id).toBe(squatter.id);
    const as = { cookie: squatter.cookie, org: org.slug };
    expect((await t.api.get('/projects', as)).refusal).toBe('403 tenant_error/not_member');
    expect(await memberOf(user.id)).toMatchObject({ pending: true });
  });

  it('gets no mail, can be invited, and signs in with the link', async () => {
    const user = await add();
    expect(t.mails.some(({ recipient }) => recipient === user.userName)).toBe(false);
    must(await t.api.post(`/members/${user.id}/resend-invitation`, org.asOwner));
    expect((await t.delivered(user.userName)).text).toContain('token=');
  });

  it('is a member whom a person added, who keeps the role', async () => {
    const member = await addMember(t.api, org, 'admin');
    const { body } = await provider.find(`userName eq "${member.email}"`);
    expect(body.Resources).toMatchObject([{ id: member.id, active: true }]);
    const linked = await add({ userName: 'upn-of-the-admin', emails: [{ value: member.email }] });
    expect(linked.id).toBe(member.id);
    expect(await memberOf(member.id)).toMatchObject({ role: 'admin' });
    expect(await memberOf(member.id)).not.toHaveProperty('role_mapped');
  });

  it('is created once by two requests at the same instant', async () => {
    const userName = address();
    const answers = await Promise.all([1, 2, 3].map(() => provider.call('POST', '/Users', { userName })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    expect((await members()).filter(({ email }) => email === userName)).toHaveLength(1);
  });

  it('needs an address of a proven domain, unless the person was invited', async () => {
    const email = `guest-${crypto.randomUUID()}@elsewhere.example`;
    expect((await provider.call('POST', '/Users', { userName: email })).body).toMatchObject({
      ...{ status: '400', scimType: 'invalidValue' },
      detail: expect.stringContaining('has not proven the domain elsewhere.example'),
    });
    must(await t.api.post('/members/invite', { ...org.asOwner, body: { email, role: 'member' } }));
    const linked = await add({ userName: email });
    expect(await memberOf(linked.id)).toMatchObject({ email, role: 'member' });
    expect((await audit(`target=${linked.id}`))[0]).toMatchObject({ action: 'member.changed' });
  });

  it('at the same instant as an invitation by another organization is one account', async () => {
    const other = await createOrg(t.api);
    const email = address();
    const [user, invited] = await Promise.all([
      add({ userName: email }),
      t.api.post('/members/invite', { ...other.asOwner, body: { email, role: 'viewer' } }),
    ]);
    expect(must(invited).user_id).toBe(user.id);
  });

  it('is a member by a verified second address, too', async () => {
    const member = await addMember(t.api, org, 'member');
    const second = address();
    await t.services.database.sql.unsafe(
      `insert into shared.user_emails (id, user_id, email, is_primary, verified_at, created_at)
       values (gen_random_uuid(), $1, $2, false, now(), now())`,
      [member.id, second],
    );
    expect((await add({ userName: second })).id).toBe(member.id);
  });

  it('is shown by the name of the identity provider until the person comes', async () => {
    const user = await add({ name: { givenName: 'Grace', familyName: 'Hopper' } });
    expect(await memberOf(user.id)).toMatchObject({ name: 'Grace Hopper' });
    const other = await createOrg(t.api);
    must(
      await t.api.post('/members/invite', {
        ...other.asOwner,
        body: { email: user.userName, role: 'viewer' },
      }),
    );
    const names = (await members(other)).map(({ name }) => name);
    expect(names).not.toContain('Grace Hopper');
  });

  it('who was there before keeps the own name', async () => {
    await provider.call('PATCH', `/Users/${org.owner.id}`, {
      schemas: [PATCH],
      Operations: [{ op: 'replace', path: 'displayName', value: 'Somebody else' }],
    });
    expect(await memberOf(org.owner.id)).toMatchObject({ name: 'Ada Lovelace' });
  });

  it('counts for the limit of members', async () => {
    const small = await startApp({ env: { SVC_MAX_MEMBERS_PER_ORG: '2' }, databaseUrl: t.databaseUrl });
    const tight = createProvider(small, await newToken(t, org));
    await add({}, tight);
    const refused = await tight.call('POST', '/Users', { userName: address() });
    expect(refused.body).toMatchObject({
      status: '409',
      detail: expect.stringContaining('at most 2 members'),
    });
  });
});

describe('roles', () => {
  it('follow the groups by the mapping of the connections', async () => {
    const connection = await connect({
      default_role: 'viewer',
      role_mapping: [
        { group: 'Security', role: 'admin' },
        { group: 'Engineers', role: 'member' },
      ],
    });
    const { id } = await add();
    expect(await memberOf(id)).toMatchObject({ role: 'viewer', role_mapped: true });
    const engineers = await addGroup('Engineers', [id]);
    const security = await addGroup('Security', []);
    expect(await memberOf(id)).toMatchObject({ role: 'member' });
    await patch(`/Groups/${security}`, [{ op: 'add', path: 'members', value: [{ value: id }] }]);
    expect(await memberOf(id)).toMatchObject({ role: 'admin' });
    await patch(`/Groups/${security}`, [{ op: 'replace', path: 'displayName', value: 'Secrets' }]);
    expect(await memberOf(id)).toMatchObject({ role: 'member' });
    await provider.call('DELETE', `/Groups/${engineers}`);
    expect(await memberOf(id)).toMatchObject({ role: 'viewer' });
    // A changed mapping counts at once.
    must(
      await t.api.patch(`/settings/connections/${connection}`, {
        ...org.asOwner,
        body: { role_mapping: [{ group: 'Secrets', role: 'member' }] },
      }),
    );
    expect(await memberOf(id)).toMatchObject({ role: 'member' });
    const [entry] = await audit('action=group.changed');
    expect(entry).toMatchObject({
      actor: { type: 'token', name: 'Provisioning (SCIM)' },
      target: { type: 'group', id: security, name: 'Secrets' },
    });
  });

  it('that a person gave stay', async () => {
    await connect({ role_mapping: [{ group: 'Security', role: 'admin' }] });
    const manual = await addMember(t.api, org, 'viewer');
    const { id } = await add();
    await addGroup('Security', [manual.id, id, org.owner.id]);
    expect(await memberOf(manual.id)).toMatchObject({ role: 'viewer' });
    expect(await memberOf(org.owner.id)).toMatchObject({ role: 'owner' });
    expect(await memberOf(id)).toMatchObject({ role: 'admin' });
    must(await t.api.patch(`/members/${id}`, { ...org.asOwner, body: { role: 'viewer' } }));
    await addGroup('Others', [id]);
    expect(await memberOf(id)).toMatchObject({ role: 'viewer' });
  });

  it('stay when a connection is added without a mapping, switched off, or deleted', async () => {
    const first = await connect({ role_mapping: [{ group: 'Security', role: 'admin' }] });
    const { id } = await add();
    await addGroup('Security', [id]);
    expect(await memberOf(id)).toMatchObject({ role: 'admin' });
    await connect({ name: 'Second', default_role: null });
    must(await t.api.patch(`/settings/connections/${first}`, { ...org.asOwner, body: { enabled: false } }));
    expect(await memberOf(id)).toMatchObject({ role: 'admin' });
    expect((await t.api.delete(`/settings/connections/${first}`, org.asOwner)).status).toBe(204);
    expect(await memberOf(id)).toMatchObject({ role: 'admin' });
  });

  it('that a sign-in gave follow the groups once one is mapped', async () => {
    const connection = await connect({ role_mapping: [{ group: 'Security', role: 'admin' }] });
    const member = await addMember(t.api, org, 'admin');
    await t.services.database.sql.unsafe(
      'update shared.memberships set mapped_by = $1 where org_id = $2 and user_id = $3',
      [connection, org.id, member.id],
    );
    const others = await addGroup('Others', [member.id]);
    expect(await memberOf(member.id)).toMatchObject({ role: 'admin' });
    const security = await addGroup('Security', [member.id]);
    await patch(`/Groups/${security}`, [{ op: 'remove', path: `members[value eq "${member.id}"]` }]);
    expect(await memberOf(member.id)).toMatchObject({ role: 'viewer', role_mapped: true });
    expect((await provider.call('GET', `/Groups/${others}`)).body.members).toHaveLength(1);
  });

  it('of many members are changed with one entry each, and one mail', async () => {
    const connection = await connect({ role_mapping: [{ group: 'Security', role: 'admin' }] });
    const ids = [(await add()).id, (await add()).id, (await add()).id];
    await addGroup('Security', ids);
    const entries = await audit('action=member.role_changed');
    expect(entries.map(({ target }) => (target as { id: string }).id).toSorted()).toEqual(ids.toSorted());
    must(
      await t.api.patch(`/settings/connections/${connection}`, {
        ...org.asOwner,
        body: { role_mapping: [{ group: 'Others', role: 'admin' }] },
      }),
    );
    expect(await audit('action=member.role_changed')).toHaveLength(6);
    await t.services.mail.deliverDue();
    const mails = t.mails.filter(({ subject }) => subject.startsWith('The roles of several members'));
    expect(mails.filter(({ recipient }) => recipient === org.owner.email)).toHaveLength(2);
  });
});

describe('the last owner', () => {
  it('is neither deactivated nor removed', async () => {
    const owner = org.owner.id;
    for (const answer of [
      await setActive(owner, 'False'),
      await provider.call('DELETE', `/Users/${owner}`),
      await provider.call('PUT', `/Users/${owner}`, { userName: org.owner.email, active: false }),
    ])
      expect(answer.body).toMatchObject({
        status: '400',
        scimType: 'mutability',
        detail: expect.stringContaining('owner'),
      });
    expect((await t.api.get('/projects', org.asOwner)).status).toBe(200);
    const second = await addMember(t.api, org, 'owner');
    const third = await addMember(t.api, org, 'viewer');
    const both = await Promise.all([owner, second.id].map((id) => setActive(id, false)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const kept = [owner, second.id][both.findIndex(({ status }) => status === 400)];
    // An identity provider must not become the only way in.
    const { sql } = t.services.database;
    await sql.unsafe('update shared.users set password_hash = null where id = $1', [third.id]);
    await sql.unsafe(`update shared.memberships set role = 'owner' where user_id = $1`, [third.id]);
    await sql.unsafe(
      `insert into shared.identities (id, user_id, issuer, subject, email, created_at, last_used_at)
       values (gen_random_uuid(), $1, 'https://x.example', $2, 'x@x.example', now(), now())`,
      [third.id, third.id],
    );
    expect((await setActive(kept ?? '', false)).status).toBe(400);
  });
});

describe('deactivation', () => {
  it('ends session, personal tokens and API tokens, and activation restores role and assignments', async () => {
    const member = await addMember(t.api, org, 'member');
    const only = must(
      await t.api.post('/profile/tokens', {
        cookie: member.cookie,
        body: { name: 'only', expires_in: 9, org_id: org.id, scopes: ['triage'] },
      }),
    ).token;
    const all = must(
      await t.api.post('/profile/tokens', { cookie: member.cookie, body: { name: 'all', expires_in: 9 } }),
    ).token;
    const scan = await createScan(t.api, org);
    const found = must(
      await t.api.post('/agent/findings', {
        ...org.asAgent,
        body: {
          scan_id: scan,
          project_id: org.projectId,
          fingerprint: 'f',
          title: 'T',
          severity: 'high',
          description: 'D',
        },
      }),
    );
    must(await t.api.patch(`/findings/${found.id}`, { ...org.asOwner, body: { assignee_id: member.id } }));
    const statuses = async () => [
      (await t.api.get('/projects', member.as)).status,
      (await t.api.get('/projects', { token: only, org: org.slug })).status,
      (await t.api.get('/projects', { token: all, org: org.slug })).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await setActive(member.id, 'False')).status).toBe(200);
    expect(await statuses()).toEqual([403, 401, 403]);
    const own = must(await t.api.get('/orgs', { cookie: member.cookie })) as { slug: string }[];
    expect(own.map(({ slug }) => slug)).not.toContain(org.slug);
    expect((await setActive(member.id, 'True')).status).toBe(200);
    expect(await statuses()).toEqual([200, 401, 200]);
    expect(await memberOf(member.id)).toMatchObject({ role: 'member' });
    expect(must(await t.api.get(`/findings/${found.id}`, org.asOwner)).assignee_id).toBe(member.id);
    expect((await audit(`target=${member.id}`)).map(({ action }) => action).slice(0, 2)).toEqual([
      'member.reactivated',
      'member.suspended',
    ]);
  });

  it('ends links that bring an owner back', async () => {
    const second = await addMember(t.api, org, 'owner');
    must(await t.api.patch(`/members/${second.id}`, { ...org.asOwner, body: { role: 'viewer' } }));
    const token = 'a'.repeat(64);
    const link = () =>
      t.services.database.sql.unsafe(
        `insert into shared.org_undo_links (token_hash, org_id, user_id, member_since, expires_at)
       values (encode(sha256($1::text::bytea), 'hex'), $2, $3, now(), now() + interval '1 hour')`,
        [token, org.id, second.id],
      );
    await link();
    await setActive(second.id, false);
    expect((await t.api.post('/auth/undo-org-change', { body: { token } })).status).toBe(400);
    // From a mail that was under way.
    await link();
    expect((await t.api.post('/auth/undo-org-change', { body: { token } })).status).toBe(400);
    expect(await memberOf(second.id)).toMatchObject({ role: 'viewer', suspended: true });
  });

  it('of an owner who is removed then gives no link that brings the owner back', async () => {
    const second = await addMember(t.api, org, 'owner');
    await t.services.database.sql.unsafe(
      `update shared.memberships set confirmed_at = now(), created_at = created_at - interval '4 days',
        owner_since = owner_since - interval '4 days' where org_id = $1`,
      [org.id],
    );
    await setActive(second.id, false);
    expect((await t.api.delete(`/members/${second.id}`, org.asOwner)).status).toBe(204);
    await t.services.mail.deliverDue();
    const mails = t.mails.filter(({ recipient }) => recipient === second.email);
    expect(mails.filter(({ text }) => text.includes('undo-org-change'))).toEqual([]);
    const links = 'select from shared.org_undo_links where org_id = $1';
    expect(await t.services.database.sql.unsafe(links, [org.id])).toHaveLength(0);
  });

  it('of an owner or admin is mailed to the owners', async () => {
    const admin = await addMember(t.api, org, 'admin');
    await setActive(admin.id, false);
    await vi.waitFor(async () =>
      expect((await t.delivered(org.owner.email)).text).toContain('deactivated by provisioning'),
    );
  });

  it('ends open streams within a second', async () => {
    const member = await addMember(t.api, org, 'viewer');
    const scan = await createScan(t.api, org);
    const description = 'x'.repeat(9_000);
    const findings = Array.from({ length: 400 }, () => finding(org, scan, { description }));
    for (let i = 0; i < findings.length; i += 80) {
      const body = { findings: findings.slice(i, i + 80) };
      must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body }));
    }
    const open = async (path: string) => {
      const response = await t.app.request(`http://localhost/api/v1${path}`, {
        headers: { cookie: `svc_token=${member.cookie}`, 'x-org-slug': org.slug },
      });
      const reader = response.body?.getReader();
      expect([response.status, (await reader?.read())?.done]).toEqual([200, false]);
      return async () => {
        for (;;) if ((await reader?.read())?.done) return 'complete';
      };
    };
    const kept = await open('/findings');
    expect(await kept()).toBe('complete');
    const rests = [await open('/findings'), await open('/findings/export.csv')];
    const began = performance.now();
    await setActive(member.id, false);
    await vi.waitFor(() => expect(brokenOff).toHaveLength(rests.length));
    expect(performance.now() - began).toBeLessThan(limit(1_000));
    for (const rest of rests) await expect(rest()).rejects.toThrow('broken off');
  });
});

describe('hostile and odd requests', () => {
  it.each([
    ['{', 'invalidSyntax'],
    ['[]', 'invalidSyntax'],
    ['{}', 'invalidValue'],
    [{ userName: 1 }, 'invalidValue'],
    [{ userName: '' }, 'invalidValue'],
    [{ userName: 'no-address' }, 'invalidValue'],
    [{ userName: 'a\u0000@acme.example' }, 'invalidValue'],
    [{ userName: 'x'.repeat(400) }, 'invalidValue'],
    [{ userName: 'a@acme.example', active: 'maybe' }, 'invalidValue'],
    [{ userName: 'a@acme.example', name: 'Ada' }, 'invalidValue'],
    [{ userName: 'a@acme.example', emails: [{ value: 'x' }] }, 'invalidValue'],
  ])('POST /Users %j', async (body, scimType) => {
    const answer = await provider.call('POST', '/Users', body);
    expect(answer.body).toMatchObject({ status: '400', scimType });
  });

  it.each([
    ['userName co "a"'],
    ['userName eq a'],
    ['userName eq "a" or userName eq "b"'],
    ['not (userName eq "a")'],
    ['title eq "a"'],
    ['__proto__ eq "a"'],
    ['userName eq "a" and'],
    ['userName eq "\\u0000"'],
    [`${'('.repeat(500)}userName eq "a"`],
  ])('filter %j', async (filter) => {
    const answer = await provider.find(filter);
    expect(answer.body).toMatchObject({ status: '400', scimType: 'invalidFilter' });
  });

  it('understands combined filters, URNs and pages', async () => {
    const user = await add({ externalId: 'E-1', displayName: 'Ada "L" Love' });
    for (const filter of [
      `externalId eq "E-1" AND userName eq "${user.userName}"`,
      'urn:ietf:params:scim:schemas:core:2.0:User:externalId EQ "E-1"',
      'displayName eq "ada \\"l\\" love"',
      `id eq "${user.id}" and active eq true`,
    ])
      expect([filter, (await provider.find(filter)).body.totalResults]).toEqual([filter, 1]);
    expect((await provider.find('externalId eq "e-1"')).body.totalResults).toBe(0);
    expect((await provider.find('')).body.totalResults).toBe(2);
    expect((await provider.call('GET', '/Users/?attributes=userName')).body.Resources[1]).toEqual({
      ...{ schemas: user.schemas, id: user.id, userName: user.userName },
    });
    expect((await provider.call('GET', '//Users')).status).toBe(200);
    expect((await provider.call('GET', '/Users?count=0')).body).toMatchObject({
      totalResults: 2,
      Resources: [],
    });
    expect((await provider.call('GET', '/Users?count=-1&startIndex=-5')).body).toMatchObject({
      startIndex: 1,
    });
    expect((await provider.call('GET', '/Users?count=x')).status).toBe(400);
    expect((await provider.call('GET', '/Users?startIndex=999999999')).body.Resources).toEqual([]);
  });

  it.each([
    [undefined, 'invalidSyntax'],
    [[], 'invalidSyntax'],
    [[{ op: 'move', path: 'active' }], 'invalidSyntax'],
    [[{ op: 'remove' }], 'invalidPath'],
    [[{ op: 'replace', path: 'emails[', value: 'x' }], 'invalidPath'],
    [[{ op: 'replace', path: 'a b', value: 'x' }], 'invalidPath'],
    [[{ op: 'replace', value: 'x' }], 'invalidValue'],
    [[{ op: 'remove', path: 'userName' }], 'invalidValue'],
    [[{ op: 'replace', path: 'active', value: null }], 'invalidValue'],
    [[{ op: 'replace', path: { toString: 1 }, value: 1 }], 'invalidPath'],
  ])('PATCH with %j', async (operations, scimType) => {
    const { id } = await add();
    expect((await patch(`/Users/${id}`, operations)).body).toMatchObject({ status: '400', scimType });
    expect((await provider.call('GET', `/Users/${id}`)).body.active).toBe(true);
  });

  it.each([
    [[{ op: 'replace', path: 'members' }], 'invalidValue'],
    [[{ op: 'replace', value: { members: null } }], 'invalidValue'],
    [[{ op: 'remove', path: 'members[primary eq true]' }], 'invalidPath'],
    [[{ op: 'remove', path: 'members[display eq "x"]' }], 'invalidPath'],
    [[{ op: 'replace', path: 'members[value eq "x"]', value: { value: 'x' } }], 'invalidPath'],
    [[{ op: 'remove', path: 'members[value co "x"]' }], 'invalidPath'],
  ])('PATCH of a group with %j changes nothing', async (operations, scimType) => {
    const { id } = await add();
    const group = await addGroup('Team', [id]);
    expect((await patch(`/Groups/${group}`, operations)).body).toMatchObject({ status: '400', scimType });
    await provider.call('PUT', `/Groups/${group}`, { displayName: 'Team 2' });
    expect((await provider.call('GET', `/Groups/${group}`)).body.members).toMatchObject([{ value: id }]);
    await patch(`/Groups/${group}`, [{ op: 'replace', path: 'members', value: [] }]);
    expect((await provider.call('GET', `/Groups/${group}`)).body.members).toEqual([]);
  });

  it('changes nothing twice, and notes nothing for it', async () => {
    const { id, userName } = await add();
    await patch(`/Users/${id}`, [{ op: 'replace', path: 'userName', value: userName }]);
    await patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: 'Countess' }]);
    await patch(`/Users/${id}`, [{ op: 'remove', path: 'emails' }]);
    await patch(`/Users/${id}`, [{ op: 'remove', path: 'emails' }]);
    expect((await audit(`target=${id}`)).map(({ action }) => action)).toEqual(['member.joined']);
    const group = await addGroup('Team', [id]);
    for (const _ of [1, 2])
      await patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: [{ value: org.id }] }]);
    expect(await audit('action=group.changed')).toEqual([]);
  });

  it('refuses names of others', async () => {
    const [one, two] = [await add(), await add()];
    const answer = await patch(`/Users/${one.id}`, [
      { op: 'replace', path: 'userName', value: two.userName.toUpperCase() },
    ]);
    expect(answer.body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    await addGroup('Team', []);
    expect((await provider.call('POST', '/Groups', { displayName: 'TEAM' })).body.scimType).toBe(
      'uniqueness',
    );
  });

  it('answers unknown paths, methods and ids', async () => {
    for (const path of ['/Users/x', '/Users/%00', `/Groups/${org.id}`, '/Me', '/Bulk', '/Schemas/x', ''])
      expect([path, (await provider.call('GET', path)).status]).toEqual([path, 404]);
    const answer = await provider.call('PUT', '/Users', {});
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
    const plain = createProvider(t, await newToken(t, org), 'application/json');
    expect((await plain.call('POST', '/Users', { userName: address() })).status).toBe(201);
    const form = createProvider(t, await newToken(t, org), 'text/plain');
    expect((await form.call('POST', '/Users', '{}')).body.scimType).toBe('invalidSyntax');
    const group = await addGroupBy(form);
    expect(group.status).toBe(400);
  });

  const addGroupBy = (by: Provider) => by.call('POST', '/Groups', '{"displayName":"x"}');

  it('refuses members that are no users', async () => {
    for (const value of ['x', '\u0000', 5, null, { value: 1 }]) {
      const answer = await provider.call('POST', '/Groups', { displayName: 'x', members: [{ value }] });
      expect(answer.body).toMatchObject({ status: '400', scimType: 'invalidValue' });
    }
    expect((await provider.call('GET', '/Groups')).body.totalResults).toBe(0);
    // A person may have been removed here: that must not keep the others out.
    const { id } = await add();
    await addGroup('Team', [org.id, id]);
    expect((await audit('action=group.created'))[0]).toMatchObject({
      changes: { members_added: { to: [id] }, members_unknown: { to: [org.id] } },
    });
  });
});

it('takes a first sync of 100 users, and a group with all of them', async () => {
  await connect({ role_mapping: [{ group: 'All', role: 'member' }], default_role: 'viewer' });
  const ids: string[] = [];
  for (let i = 0; i < 10; i++)
    ids.push(...(await Promise.all(Array.from({ length: 10 }, () => add()))).map(({ id }) => id));
  await addGroup('All', ids);
  const page = await provider.call('GET', '/Users?count=50');
  expect(page.body).toMatchObject({ totalResults: 101, itemsPerPage: 50 });
  expect((await members()).filter(({ role }) => role === 'member')).toHaveLength(100);
});
