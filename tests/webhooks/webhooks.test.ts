import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addMember,
  type CallOptions,
  createOrg,
  createUser,
  must,
  PASSWORD,
  type TestOrg,
} from '../support/api/api.ts';
import { createLimited } from '../support/api/limited.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { withoutOutbox } from '../support/server/no-outbox.ts';

/* GET, POST, PATCH and DELETE /webhooks, and their secrets. */

const KEY = 'an encryption key of the tests with 32 bytes';
const PATH = '/services/T024BE7LD/path-secret';
const INPUT = { url: `https://hooks.acme.example${PATH}?key=query-secret`, events: ['scan.completed'] };
const ORIGIN = 'https://hooks.acme.example';
const NOBODY = '00000000-0000-7000-8000-000000000000';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp({ env: { SVC_ENCRYPTION_KEY: KEY, SVC_MAX_MAILS_PER_HOUR: '1000' } });
  await withoutOutbox(t);
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const sql = (text: string, params: string[] = []) =>
  t.services.database.sql.unsafe(text.replaceAll('ORG', `"org_${org.id.replaceAll('-', '')}"`), params);
const post = (body: object = INPUT, as: CallOptions = org.asOwner) =>
  t.api.post('/webhooks', { ...as, body });
const patch = (id: string, body: object, as: CallOptions = org.asOwner) =>
  t.api.patch(`/webhooks/${id}`, { ...as, body });
const list = async (as: CallOptions = org.asOwner) => must(await t.api.get('/webhooks', as));
const rotate = (id: string, as: CallOptions = org.asOwner) => t.api.post(`/webhooks/${id}/rotate-secret`, as);
const entries = async () => must(await t.api.get('/audit', org.asOwner));
const rowOf = async (id: string) => (await sql('select * from shared.destinations where id = $1', [id]))[0];
const position = async () =>
  (
    await sql(
      `select seq, extract(epoch from check_at)::float8 as check_at, extract(epoch from overdue_until)::float8 as overdue_until
       from shared.event_positions where org_id = $1`,
      [org.id],
    )
  )[0];
const mailsTo = async ({ email }: { email: string }) => {
  await t.services.mail.deliverDue();
  return t.mails.filter(({ recipient }) => recipient === email);
};

describe('a webhook', () => {
  it('has defaults, and is listed without its secret', async () => {
    const { secret, ...made } = must(await post());
    expect(made).toEqual({
      ...{ id: expect.any(String), ...INPUT, enabled: true },
      ...{ created_at: expect.any(String), updated_at: made.created_at },
    });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(await list()).toEqual([made]);
    const row = await rowOf(made.id);
    expect([row?.secret, row?.former_secret]).toEqual([expect.stringMatching(/^v2\./), null]);
    expect(await t.services.secretBox.open(row?.secret, `destinations ${made.id}`)).toBe(secret);
  });

  it('has what was sent, and changes field by field', async () => {
    const body = { events: ['scan.failed', 'token.*'], project_ids: [org.projectId], min_severity: 'high' };
    const { secret: _, ...made } = must(await post({ ...INPUT, ...body, enabled: false }));
    expect(made).toMatchObject({ ...body, enabled: false });
    t.advance(1_000);
    const changed = must(await patch(made.id, { min_severity: 'low' }));
    expect(changed).toEqual({ ...made, min_severity: 'low', updated_at: expect.any(String) });
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));
    const all = must(await patch(made.id, { project_ids: null, min_severity: null, events: ['member.*'] }));
    expect(all).toMatchObject({ events: ['member.*'], enabled: false });
    expect(all).not.toHaveProperty('project_ids');
    expect(all).not.toHaveProperty('min_severity');
    expect(must(await patch(made.id, { events: null, url: null, enabled: null }))).toMatchObject({
      ...{ events: ['member.*'], url: INPUT.url, enabled: false },
    });
    expect(await list()).toEqual([{ ...all, updated_at: expect.any(String) }]);
  });

  it.each<[string, object, string]>([
    ['no address', { url: undefined }, 'url'],
    ['no address that can be read', { url: 'hooks' }, 'url'],
    ['plain http', { url: 'http://hooks.acme.example' }, 'url'],
    ['a private address', { url: 'https://10.1.2.3/hook' }, 'url'],
    ['the address of loopback', { url: 'https://localhost/hook' }, 'url'],
    ['the address of metadata', { url: 'https://169.254.169.254/latest' }, 'url'],
    ['a password in the address', { url: 'https://u:p@hooks.acme.example' }, 'url'],
    ['a long address', { url: `https://hooks.acme.example/${'x'.repeat(2_048)}` }, 'url'],
    ['no events', { events: [] }, 'events'],
    ['an unknown event', { events: ['scan.started'] }, 'events.0'],
    ['an event twice', { events: ['scan.failed', 'scan.failed'] }, 'events'],
    ['no project', { project_ids: [] }, 'project_ids'],
    ['a project of nobody', { project_ids: [NOBODY] }, 'project_ids.0'],
    ['a project twice', { project_ids: [NOBODY, NOBODY] }, 'project_ids'],
    [
      'too many projects',
      { project_ids: Array.from({ length: 101 }, () => crypto.randomUUID()) },
      'project_ids',
    ],
    ['an unknown severity', { min_severity: 'worst' }, 'min_severity'],
    ['a word for enabled', { enabled: 'yes' }, 'enabled'],
  ])('with %s is refused', async (_, body, field) => {
    const answer = await post({ ...INPUT, ...body });
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
    if (!Object.values(body).includes(undefined)) {
      const { id } = must(await post());
      expect((await patch(id, body)).badFields).toEqual([field]);
    }
  });

  it('takes an address of 2,048 characters', async () => {
    const url = `https://hooks.acme.example/${'x'.repeat(2_021)}`;
    expect(must(await post({ ...INPUT, url })).url).toHaveLength(2_048);
  });

  it('names no project of another organization, and none that was deleted', async () => {
    const other = await createOrg(t.api);
    expect((await post({ ...INPUT, project_ids: [other.projectId] })).badFields).toEqual(['project_ids.0']);
    const { id } = must(await post({ ...INPUT, project_ids: [org.projectId] }));
    must(await t.api.delete('/projects/web-shop', { ...org.asOwner, body: { confirm: 'web-shop' } }));
    // It still names the project, so it does not send what is of all.
    expect((await list())[0].project_ids).toEqual([org.projectId]);
    must(await patch(id, { project_ids: [org.projectId] }));
    expect((await patch(id, { project_ids: [org.projectId, NOBODY] })).badFields).toEqual(['project_ids.1']);
    expect((await post({ ...INPUT, project_ids: [org.projectId] })).badFields).toEqual(['project_ids.0']);
  });

  it('is one of 20, also when two are added at once', async () => {
    for (let i = 0; i < 19; i++) must(await post());
    const answers = await Promise.all([post(), post()]);
    expect(answers.map(({ refusal }) => refusal).toSorted()).toEqual(['201', '409 resource_error/conflict']);
    expect(await list()).toHaveLength(20);
    const [{ id }] = await list();
    expect((await t.api.delete(`/webhooks/${id}`, org.asOwner)).status).toBe(204);
    must(await post());
  });

  it('of an organization without tables creates them', async () => {
    const owner = await createUser(t.api);
    const [{ slug }] = must(await t.api.get('/orgs', { cookie: owner.cookie }));
    const as = { cookie: owner.cookie, org: slug };
    expect(await list(as)).toEqual([]);
    expect((await t.api.get(`/webhooks/${NOBODY}/deliveries`, as)).status).toBe(404);
    const { secret: _, ...made } = must(await post(INPUT, as));
    expect(await list(as)).toEqual([made]);
  });

  it('of another organization does not exist', async () => {
    const { id } = must(await post());
    const other = await createOrg(t.api);
    const path = `/webhooks/${id}`;
    const deliveryId = must(await t.api.post(`${path}/test`, org.asOwner)).id;
    const { id: own } = must(await post(INPUT, other.asOwner));
    for (const answer of [
      await patch(id, { enabled: false }, other.asOwner),
      await t.api.delete(path, other.asOwner),
      await rotate(id, other.asOwner),
      await t.api.post(`${path}/test`, other.asOwner),
      await t.api.get(`${path}/deliveries`, other.asOwner),
      await t.api.post(`${path}/deliveries/${deliveryId}/redeliver`, other.asOwner),
      await t.api.post(`/webhooks/${own}/deliveries/${deliveryId}/redeliver`, other.asOwner),
      await t.api.get('/webhooks/nonsense/deliveries', other.asOwner),
    ])
      expect(answer.refusal).toBe('404 resource_error/not_found');
    expect(await list()).toHaveLength(1);
    expect((await list(other.asOwner)).map((one: { id: string }) => one.id)).toEqual([own]);
  });
});

describe('callers', () => {
  it('are admins who reach all projects', async () => {
    const { id } = must(await post());
    const admin = await addMember(t.api, org, 'admin');
    expect(await list(admin.as)).toHaveLength(1);
    must(await patch(id, { enabled: false }, admin.as));
    const member = await addMember(t.api, org, 'member');
    const limited = await createLimited(t);
    const { secret: _, ...theirs } = must(await post(INPUT, limited.orgs.mine.asOwner));
    const asLimited = { cookie: limited.cyd.cookie, org: limited.orgs.mine.slug };
    for (const [as, webhook] of [
      [member.as, id],
      [asLimited, theirs.id],
    ] as const)
      for (const answer of [
        await t.api.get('/webhooks', as),
        await post(INPUT, as),
        await patch(webhook, { enabled: false }, as),
        await t.api.delete(`/webhooks/${webhook}`, as),
        await rotate(webhook, as),
        await t.api.post(`/webhooks/${webhook}/test`, as),
        await t.api.get(`/webhooks/${webhook}/deliveries`, as),
        await t.api.post(`/webhooks/${webhook}/deliveries/${NOBODY}/redeliver`, as),
      ])
        expect(answer.refusal).toBe('403 permission_error/denied');
    expect(await list(limited.orgs.mine.asOwner)).toEqual([theirs]);
  });

  it('read with a token, and write with a session only', async () => {
    const { id } = must(await post());
    must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
    const ofOrg = must(
      await t.api.post('/tokens', {
        ...org.asOwner,
        body: { name: 'all', scopes: ['admin'], expires_in: 30 },
      }),
    ).token;
    const personal = must(
      await t.api.post('/profile/tokens', {
        ...org.asOwner,
        body: { name: 'script', scopes: ['admin'], expires_in: 30 },
      }),
    ).token;
    for (const token of [ofOrg, personal]) {
      const as = { token, org: org.slug };
      expect(await list(as)).toHaveLength(1);
      expect(must(await t.api.get(`/webhooks/${id}/deliveries`, as))).toEqual([]);
      for (const answer of [
        await post(INPUT, as),
        await patch(id, { url: 'https://elsewhere.example' }, as),
        await t.api.delete(`/webhooks/${id}`, as),
        await rotate(id, as),
        await t.api.post(`/webhooks/${id}/test`, as),
        await t.api.post(`/webhooks/${id}/deliveries/${NOBODY}/redeliver`, as),
      ])
        expect(answer.status).toBe(401);
    }
  });

  it('have just signed in, except for tests', async () => {
    const { id } = must(await post());
    const test = must(await t.api.post(`/webhooks/${id}/test`, org.asOwner));
    t.advance(11 * 60_000);
    for (const answer of [
      await post(),
      await patch(id, { enabled: false }),
      await t.api.delete(`/webhooks/${id}`, org.asOwner),
      await rotate(id),
    ])
      expect(answer.refusal).toBe('403 permission_error/step_up_required');
    expect((await t.api.post(`/webhooks/${id}/test`, org.asOwner)).status).toBe(202);
    const again = `/webhooks/${id}/deliveries/${test.id}/redeliver`;
    expect((await t.api.post(again, org.asOwner)).status).toBe(202);
    must(await t.api.post('/auth/step-up', { cookie: org.owner.cookie, body: { password: PASSWORD } }));
    must(await patch(id, { enabled: false }));
  });

  it('who are no longer admins when the lock is free are refused', async () => {
    const { id } = must(await post());
    const test = must(await t.api.post(`/webhooks/${id}/test`, org.asOwner));
    const calls: ((as: CallOptions) => Promise<{ refusal: string }>)[] = [
      (as) => post(INPUT, as),
      (as) => patch(id, { url: 'https://elsewhere.example' }, as),
      (as) => t.api.delete(`/webhooks/${id}`, as),
      (as) => rotate(id, as),
      (as) => t.api.post(`/webhooks/${id}/test`, as),
      (as) => t.api.post(`/webhooks/${id}/deliveries/${test.id}/redeliver`, as),
    ];
    for (const call of calls) {
      const admin = await addMember(t.api, org, 'admin');
      let refusal: Promise<{ refusal: string }> | undefined;
      await t.services.database.sql.begin(async (tx) => {
        await tx.unsafe('select from shared.orgs where id = $1 for update', [org.id]);
        refusal = call(admin.as);
        await expect
          .poll(async () => (await sql(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length)
          .toBeGreaterThan(0);
        await tx.unsafe("update shared.memberships set project_access = 'assigned' where user_id = $1", [
          admin.id,
        ]);
      });
      expect((await refusal)?.refusal).toBe('403 permission_error/denied');
    }
    expect((await list()).map(({ url }: { url: string }) => url)).toEqual([INPUT.url]);
  });
});

describe('owners and the audit log', () => {
  it('see the origin of an address only', async () => {
    const second = await addMember(t.api, org, 'owner');
    const { id, secret } = must(await post({ ...INPUT, min_severity: 'low' }));
    must(await patch(id, { url: `${ORIGIN}/services/other-secret` }));
    must(await patch(id, { url: 'https://elsewhere.example/third-secret' }));
    must(await patch(id, { events: ['scan.failed'] }));
    const rotated = must(await rotate(id)).secret;
    must(await t.api.post(`/webhooks/${id}/test`, org.asOwner));
    expect((await t.api.delete(`/webhooks/${id}`, org.asOwner)).status).toBe(204);
    const log = (await entries()).filter(({ action }: { action: string }) => action.startsWith('webhook.'));
    const target = (name: string) => ({ type: 'webhook', id, name });
    const elsewhere = target('https://elsewhere.example');
    expect(log).toMatchObject([
      { action: 'webhook.deleted', target: elsewhere, changes: { events: { to: ['scan.failed'] } } },
      { action: 'webhook.tested', target: elsewhere, changes: {} },
      { action: 'webhook.secret_rotated', target: elsewhere, changes: {} },
      {
        ...{ action: 'webhook.changed', target: elsewhere },
        changes: { events: { from: ['scan.completed'], to: ['scan.failed'] } },
      },
      {
        ...{ action: 'webhook.changed', target: elsewhere },
        changes: { url: { from: ORIGIN, to: 'https://elsewhere.example' } },
      },
      {
        ...{ action: 'webhook.changed', target: target(ORIGIN) },
        changes: { url: { from: ORIGIN, to: ORIGIN } },
      },
      {
        ...{ action: 'webhook.created', target: target(ORIGIN) },
        changes: {
          ...{ url: { to: ORIGIN }, events: { to: ['scan.completed'] } },
          ...{ min_severity: { to: 'low' }, enabled: { to: true } },
        },
      },
    ]);
    for (const owner of [org.owner, second]) {
      const mails = (await mailsTo(owner)).filter(({ subject }) => subject.includes('webhook'));
      expect(mails.map(({ subject }) => subject.replace(/ (?:in|to|from) the .*/, ''))).toEqual([
        'A webhook was added',
        'A webhook was changed',
        'A webhook was changed',
        'A webhook was changed',
        'A webhook was deleted',
      ]);
      // Mail programs make no link of an address with invisible characters.
      const texts = mails.map(({ text }) => text.replaceAll('\u200b', ''));
      expect(texts[0]).toContain(`Address: ${ORIGIN}\nEvents: scan.completed\nProjects: all\n`);
      expect(texts[2]).toMatch(/Before: .*\nAddress: https:\/\/elsewhere.example\n[\s\S]*Changed: address\n/);
    }
    const told = JSON.stringify([await entries(), t.mails]);
    for (const hidden of ['path-secret', 'query-secret', 'other-secret', 'third-secret', secret, rotated])
      expect(told).not.toContain(hidden);
  });
});

describe('a rotated secret', () => {
  it('signs beside the former one for 24 hours', async () => {
    const { id, secret } = must(await post());
    const { secret: second, ...shown } = must(await rotate(id));
    expect(second).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(second).not.toBe(secret);
    const until = Date.parse(shown.former_secret_until) - t.services.clock().getTime();
    expect(Math.round(until / 60_000)).toBe(24 * 60);
    expect(await list()).toEqual([shown]);
    const opened = async () => {
      const row = await rowOf(id);
      const open = (text: string) => t.services.secretBox.open(text, `destinations ${id}`);
      return [await open(row?.secret), await open(row?.former_secret)];
    };
    expect(await opened()).toEqual([second, secret]);
    const third = must(await rotate(id)).secret;
    expect(await opened()).toEqual([third, second]);
    await sql("update shared.destinations set former_secret_until = now() - interval '1 s' where id = $1", [
      id,
    ]);
    expect((await list())[0]).not.toHaveProperty('former_secret_until');
  });

  it('is one of those whose requests came at once', async () => {
    const { id } = must(await post());
    const answers = await Promise.all([rotate(id), rotate(id)]);
    const secrets = answers.map((answer) => must(answer).secret);
    const row = await rowOf(id);
    const open = (text: string) => t.services.secretBox.open(text, `destinations ${id}`);
    expect([await open(row?.secret), await open(row?.former_secret)].toSorted()).toEqual(secrets.toSorted());
  });
});

describe('the events of an organization', () => {
  it('are published while it has a webhook', async () => {
    expect(await position()).toBeUndefined();
    const first = must(await post({ ...INPUT, enabled: false })).id;
    const began = await position();
    expect(began).toMatchObject({ seq: '0', check_at: expect.any(Number) });
    expect(began?.overdue_until).toEqual(began?.check_at);
    t.advance(60_000);
    const second = must(await post()).id;
    const later = await position();
    expect(later?.overdue_until).toEqual(began?.overdue_until);
    expect(later?.check_at).toBeGreaterThan(began?.check_at);
    for (const id of [first, second]) {
      expect((await position())?.check_at).not.toBeNull();
      expect((await t.api.delete(`/webhooks/${id}`, org.asOwner)).status).toBe(204);
    }
    expect(await position()).toMatchObject({ check_at: null, overdue_until: began?.overdue_until });
    t.advance(60_000);
    must(await post());
    const again = await position();
    expect(again?.overdue_until).toEqual(again?.check_at);
    expect(again?.overdue_until).toBeGreaterThan(began?.overdue_until);
  });
});
