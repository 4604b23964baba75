import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHAT_KINDS } from '../../db/schema/destinations.ts';
import { createLogger } from '../../lib/logger.ts';
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

/* GET, POST, PATCH and DELETE /integrations. The tests of webhooks cover what both share. */

const KEY = 'an encryption key of the tests with 32 bytes';
const URL = 'https://hooks.slack.example/services/T024BE7LD/path-secret?key=query-secret';
const INPUT = { kind: 'slack', name: 'Security team', url: URL };
const lines: string[] = [];
/** All levels. */
const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
const NOBODY = '00000000-0000-7000-8000-000000000000';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp({ log, env: { SVC_ENCRYPTION_KEY: KEY, SVC_MAX_MAILS_PER_HOUR: '1000' } });
  await withoutOutbox(t);
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const post = (body: object = INPUT, as: CallOptions = org.asOwner) =>
  t.api.post('/integrations', { ...as, body });
const patch = (id: string, body: object, as: CallOptions = org.asOwner) =>
  t.api.patch(`/integrations/${id}`, { ...as, body });
const list = async (as: CallOptions = org.asOwner) => must(await t.api.get('/integrations', as));
const rowOf = async (id: string) => (await sql('select * from shared.destinations where id = $1', [id]))[0];

/** Every call of an integration with its smallest body, except for its list. */
const calls = (id: string, delivery = NOBODY): ((as: CallOptions) => Promise<{ refusal: string }>)[] => [
  (as) => post(INPUT, as),
  (as) => patch(id, { url: 'https://elsewhere.example/hook' }, as),
  (as) => t.api.delete(`/integrations/${id}`, as),
  (as) => t.api.post(`/integrations/${id}/test`, as),
  (as) => t.api.post(`/integrations/${id}/deliveries/${delivery}/redeliver`, as),
];

describe('an integration', () => {
  it.each(CHAT_KINDS)('with %s has defaults, and is shown without its address', async (kind) => {
    const made = must(await post({ ...INPUT, kind }));
    expect(made).toEqual({
      ...{ id: expect.any(String), kind, name: INPUT.name, host: 'hooks.slack.example', enabled: true },
      ...{ created_at: expect.any(String), updated_at: made.created_at },
    });
    expect(await list()).toEqual([made]);
    const row = await rowOf(made.id);
    expect(row).toMatchObject({
      ...{ kind, url: 'https://hooks.slack.example', events: '{scan.completed,scan.failed}' },
      secret: expect.stringMatching(/^v2\./),
    });
    expect(await t.services.secretBox.open(row?.secret, `destinations ${made.id}`)).toBe(URL);
  });

  it('changes field by field, and keeps its kind', async () => {
    const choices = {
      ...{ project_ids: [org.projectId], muted_project_ids: [org.projectId], min_severity: 'high' },
    };
    const made = must(await post({ ...INPUT, ...choices, enabled: false }));
    expect(made).toMatchObject({ ...choices, enabled: false });
    const named = must(await patch(made.id, { name: 'Everybody', kind: 'teams' }));
    expect(named).toEqual({ ...made, name: 'Everybody', updated_at: expect.any(String) });
    const none = { project_ids: null, muted_project_ids: null, min_severity: null };
    const all = must(await patch(made.id, none));
    for (const field of Object.keys(none)) expect(all).not.toHaveProperty(field);
    const secret = (await rowOf(made.id))?.secret;
    must(await patch(made.id, { name: null, url: null, enabled: null }));
    expect((await rowOf(made.id))?.secret).toBe(secret);
    const moved = must(await patch(made.id, { url: 'https://chat.acme.example:8443/hooks/x' }));
    expect(moved).toEqual({ ...all, host: 'chat.acme.example:8443', updated_at: expect.any(String) });
  });

  it.each<[string, object, string]>([
    ['no name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(101) }, 'name'],
    ['plain http', { url: 'http://hooks.slack.example' }, 'url'],
    ['a private address', { url: 'https://10.1.2.3/hook' }, 'url'],
    ['a long address', { url: `https://hooks.slack.example/${'x'.repeat(2_048)}` }, 'url'],
    ['a project of nobody', { project_ids: [NOBODY] }, 'project_ids.0'],
    ['no muted project', { muted_project_ids: [] }, 'muted_project_ids'],
    ['a muted project of nobody', { muted_project_ids: [NOBODY] }, 'muted_project_ids.0'],
    ['an unknown severity', { min_severity: 'worst' }, 'min_severity'],
  ])('with %s is refused', async (_, body, field) => {
    const answer = await post({ ...INPUT, ...body });
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
    const { id } = must(await post());
    expect((await patch(id, body)).badFields).toEqual([field]);
  });

  it.each([
    ['no kind', { ...INPUT, kind: undefined }, 'kind'],
    ['an unknown kind', { ...INPUT, kind: 'irc' }, 'kind'],
    ['the kind of webhooks', { ...INPUT, kind: 'webhook' }, 'kind'],
    ['the kind of mails', { ...INPUT, kind: 'mail' }, 'kind'],
    ['no address', { ...INPUT, url: undefined }, 'url'],
  ])('with %s is not added', async (_, body, field) => {
    expect((await post(body)).badFields).toEqual([field]);
  });

  it('names no project of another organization, but one that was deleted later', async () => {
    const other = await createOrg(t.api);
    expect((await post({ ...INPUT, muted_project_ids: [other.projectId] })).badFields).toEqual([
      'muted_project_ids.0',
    ]);
    const { id } = must(await post({ ...INPUT, muted_project_ids: [org.projectId] }));
    must(await t.api.delete('/projects/web-shop', { ...org.asOwner, body: { confirm: 'web-shop' } }));
    expect(must(await patch(id, { muted_project_ids: [org.projectId] })).muted_project_ids).toEqual([
      org.projectId,
    ]);
  });

  it('is one of 20, also when two are added at once, and webhooks do not count', async () => {
    must(await t.api.post('/webhooks', { ...org.asOwner, body: { url: URL, events: ['member.*'] } }));
    for (let i = 0; i < 19; i++) must(await post());
    const answers = await Promise.all([post(), post()]);
    expect(answers.map(({ refusal }) => refusal).toSorted()).toEqual(['201', '409 resource_error/conflict']);
    const [{ id }] = await list();
    expect((await t.api.delete(`/integrations/${id}`, org.asOwner)).status).toBe(204);
    must(await post());
  });

  it('of an organization without tables creates them', async () => {
    const owner = await createUser(t.api);
    const [{ slug }] = must(await t.api.get('/orgs', { cookie: owner.cookie }));
    const as = { cookie: owner.cookie, org: slug };
    const made = must(await post(INPUT, as));
    expect(await list(as)).toEqual([made]);
  });

  it('is no webhook, and a webhook no integration', async () => {
    const { id } = must(await post());
    const body = { url: URL, events: ['member.*'] };
    const { id: webhook } = must(await t.api.post('/webhooks', { ...org.asOwner, body }));
    expect((await list()).map((one: { id: string }) => one.id)).toEqual([id]);
    const webhooks = must(await t.api.get('/webhooks', org.asOwner));
    expect(webhooks.map((one: { id: string }) => one.id)).toEqual([webhook]);
    for (const [path, other] of [
      ['integrations', webhook],
      ['webhooks', id],
    ])
      for (const answer of [
        await t.api.patch(`/${path}/${other}`, { ...org.asOwner, body: { enabled: false } }),
        await t.api.delete(`/${path}/${other}`, org.asOwner),
        await t.api.post(`/${path}/${other}/test`, org.asOwner),
        await t.api.get(`/${path}/${other}/deliveries`, org.asOwner),
        await t.api.post(`/${path}/${other}/deliveries/${NOBODY}/redeliver`, org.asOwner),
      ])
        expect(answer.refusal).toBe('404 resource_error/not_found');
    const rotated = await t.api.post(`/webhooks/${id}/rotate-secret`, org.asOwner);
    expect(rotated.refusal).toBe('404 resource_error/not_found');
  });

  it('of another organization does not exist', async () => {
    const { id } = must(await post());
    const delivery = must(await t.api.post(`/integrations/${id}/test`, org.asOwner)).id;
    const other = await createOrg(t.api);
    for (const call of calls(id, delivery).slice(1))
      expect((await call(other.asOwner)).refusal).toBe('404 resource_error/not_found');
    const path = `/integrations/${id}/deliveries`;
    expect((await t.api.get(path, other.asOwner)).refusal).toBe('404 resource_error/not_found');
    expect(await list(other.asOwner)).toEqual([]);
    expect(await list()).toMatchObject([{ id, host: 'hooks.slack.example' }]);
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
    const theirs = must(await post(INPUT, limited.orgs.mine.asOwner));
    const asLimited = { cookie: limited.cyd.cookie, org: limited.orgs.mine.slug };
    for (const [as, integration] of [
      [member.as, id],
      [asLimited, theirs.id],
    ] as const)
      for (const call of [
        ...calls(integration),
        () => t.api.get('/integrations', as),
        () => t.api.get(`/integrations/${integration}/deliveries`, as),
      ])
        expect((await call(as)).refusal).toBe('403 permission_error/denied');
  });

  it('read with a token, and write with a session only', async () => {
    const { id } = must(await post());
    must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
    const body = { name: 'all', scopes: ['admin'], expires_in: 30 };
    for (const path of ['/tokens', '/profile/tokens']) {
      const { token } = must(await t.api.post(path, { ...org.asOwner, body }));
      const as = { token, org: org.slug };
      expect(await list(as)).toHaveLength(1);
      expect(must(await t.api.get(`/integrations/${id}/deliveries`, as))).toEqual([]);
      for (const call of calls(id)) expect((await call(as)).refusal).toMatch(/^401 /);
    }
  });

  it('have just signed in, except for tests', async () => {
    const { id } = must(await post());
    const { id: delivery } = must(await t.api.post(`/integrations/${id}/test`, org.asOwner));
    t.advance(11 * 60_000);
    const [create, change, remove, test, redeliver] = calls(id, delivery);
    for (const call of [create, change, remove])
      expect((await call?.(org.asOwner))?.refusal).toBe('403 permission_error/step_up_required');
    for (const call of [test, redeliver]) expect((await call?.(org.asOwner))?.refusal).toBe('202');
    must(await t.api.post('/auth/step-up', { cookie: org.owner.cookie, body: { password: PASSWORD } }));
    must(await patch(id, { enabled: false }));
  });

  it('who are no longer admins when the lock is free are refused', async () => {
    const { id } = must(await post());
    const { id: delivery } = must(await t.api.post(`/integrations/${id}/test`, org.asOwner));
    for (const call of calls(id, delivery)) {
      const admin = await addMember(t.api, org, 'admin');
      let refusal: Promise<{ refusal: string }> | undefined;
      await t.services.database.sql.begin(async (tx) => {
        await tx.unsafe('select from shared.orgs where id = $1 for update', [org.id]);
        refusal = call(admin.as);
        await expect
          .poll(async () => (await sql(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length)
          .toBeGreaterThan(0);
        const text = "update shared.memberships set role = 'member' where user_id = $1";
        await tx.unsafe(text, [admin.id]);
      });
      expect((await refusal)?.refusal).toBe('403 permission_error/denied');
    }
  });
});

it('the address is in no answer, audit log, mail and log', async () => {
  const { id } = must(await post({ ...INPUT, muted_project_ids: [org.projectId] }));
  must(await patch(id, { url: 'https://hooks.slack.example/services/other-secret' }));
  must(await patch(id, { url: 'https://elsewhere.example/third-secret', min_severity: 'low' }));
  must(await patch(id, { name: 'Everybody' }));
  must(await t.api.post(`/integrations/${id}/test`, org.asOwner));
  must(await patch(id, { enabled: false }));
  expect((await t.api.post(`/integrations/${id}/test`, org.asOwner)).refusal).toBe(
    '409 resource_error/conflict',
  );
  const shown = await list();
  expect((await t.api.delete(`/integrations/${id}`, org.asOwner)).status).toBe(204);
  const all = must(await t.api.get('/audit', org.asOwner));
  const entries = all.filter(({ action }: { action: string }) => action.startsWith('integration.'));
  const [slack, elsewhere] = ['https://hooks.slack.example', 'https://elsewhere.example'];
  expect(entries).toMatchObject([
    { action: 'integration.deleted', target: { type: 'integration', id, name: 'Everybody' } },
    { action: 'integration.changed', changes: { enabled: { from: true, to: false } } },
    { action: 'integration.tested', target: { type: 'integration', id, name: 'Everybody' } },
    { action: 'integration.changed', changes: { name: { from: 'Security team', to: 'Everybody' } } },
    {
      action: 'integration.changed',
      changes: { url: { from: slack, to: elsewhere }, min_severity: { to: 'low' } },
    },
    { action: 'integration.changed', changes: { url: { from: slack, to: slack } } },
    {
      action: 'integration.created',
      target: { name: 'Security team' },
      changes: { kind: { to: 'slack' }, url: { to: slack }, muted_project_ids: { to: [org.projectId] } },
    },
  ]);
  await t.services.mail.deliverDue();
  const texts = t.mails.filter(({ recipient }) => recipient === org.owner.email).map(({ text }) => text);
  const told = texts.filter((text) => /n integration was/.test(text));
  expect(told).toHaveLength(5);
  expect(told[0]).toMatch(/added to[\s\S]*Service: Slack\nName: Security team\n[\s\S]*Muted projects: 1/);
  expect(told[1]).toMatch(/Changed: address\n/);
  expect(told[2]).toMatch(/Changed: address, lowest severity\n/);
  expect(told[3]).toMatch(/Changed: switched off\n/);
  const everything = JSON.stringify([shown, all, t.mails, lines]);
  for (const hidden of ['path-secret', 'query-secret', 'other-secret', 'third-secret'])
    expect(everything).not.toContain(hidden);
});

it('the events of an organization are published while it has an integration', async () => {
  const checkAt = async () => {
    const text = 'select check_at from shared.event_positions where org_id = $1';
    return (await sql(text, [org.id]))[0]?.check_at;
  };
  expect(await checkAt()).toBeUndefined();
  const { id } = must(await post());
  expect(await checkAt()).not.toBeNull();
  expect((await t.api.delete(`/integrations/${id}`, org.asOwner)).status).toBe(204);
  expect(await checkAt()).toBeNull();
});
